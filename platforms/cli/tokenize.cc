// dragoman tokenize and detokenize: text to ids and back, one JSON object a line.
// Neighbours: tokenizer.h does the work, input_lines.h gives lines.
#include <memory>

#include "base64.h"
#include "commands.h"
#include "id_line.h"
#include "input_lines.h"
#include "json_line.h"
#include "line_writer.h"
#include "model_options.h"
#include "tokenizer.h"

namespace dragoman::cli {
namespace {

constexpr const char* kTokenizeFooter =
    R"(Each line gives {"ids": [...], "pieces": [...], "text": "the ids decoded again"}; no end token is added.

Examples:
  dragoman tokenize -m en-pt.drg "How are you today?"
  dragoman tokenize --spm vocab.spm --input corpus.txt
  printf 'two\nlines' | base64 -w0 | dragoman tokenize --spm vocab.spm --base64)";

constexpr const char* kDetokenizeFooter = R"(Lines hold ids separated by spaces; the objects are those of tokenize.

Examples:
  echo "9086 3" | dragoman detokenize -m en-pt.drg
  dragoman detokenize -m en-pt.drg --target --input ids.txt)";

struct Settings {
  ModelChoice model;
  std::string spm;
  TextArguments texts;
  std::vector<std::string> files;
  std::string output;
  bool target = false;
  bool base64 = false;
  bool from_ids = false;
};

std::unique_ptr<Tokenizer> open_tokenizer(const Settings& settings) {
  if (!settings.spm.empty()) return sentencepiece_tokenizer(settings.spm);
  std::optional<Model> model = open_model(settings.model);
  if (!model) return nullptr;
  return model_tokenizer(std::move(*model), settings.target ? DRAGOMAN_TARGET : DRAGOMAN_SOURCE);
}

// Ids and pieces of a line; returns "" or what went wrong.
std::string split_line(const Settings& settings, const Tokenizer& tokenizer, const std::string& line,
                       std::vector<int32_t>* ids, std::vector<std::string>* pieces) {
  std::string error;
  if (settings.from_ids) return parse_ids(line, ids, &error) ? tokenizer.pieces(*ids, pieces) : error;
  std::optional<std::string> text = settings.base64 ? decode_base64(line) : line;
  if (!text) return "the line is not base64";
  error = tokenizer.encode(*text, ids);
  return error.empty() ? tokenizer.pieces_of_text(*text, *ids, pieces) : error;
}

// Fills the object of a line; returns "" or what went wrong.
std::string describe_line(const Settings& settings, const Tokenizer& tokenizer, const std::string& line, Json* object) {
  std::vector<int32_t> ids;
  std::vector<std::string> pieces;
  std::string text;
  std::string error = split_line(settings, tokenizer, line, &ids, &pieces);
  if (error.empty()) error = tokenizer.decode(ids, &text);
  if (error.empty()) {
    *object = {{"ids", ids}, {"pieces", pieces}, {"text", settings.base64 ? encode_base64(text) : text}};
  } else {
    *object = {{"ids", Json::array()}, {"pieces", Json::array()}, {"text", ""}, {"error", error}};
  }
  return error;
}

ExitCode run(const Settings& settings) {
  std::optional<std::vector<std::string>> texts = settings.texts.texts();
  if (!texts) return kExitUsage;
  if (!texts->empty() && !settings.files.empty()) return fail(kExitUsage, "give TEXT or --input, not both");
  if (settings.model.path.empty() == settings.spm.empty()) return fail(kExitUsage, "give either --model or --spm");
  InputLines lines(std::move(*texts), settings.files);
  if (lines.reads_output(settings.output)) {
    const std::string name = settings.output.empty() ? "standard output" : settings.output;
    return fail(kExitUsage, name + " is input and output at once");
  }
  if (is_same_file(settings.output, settings.model.path) || is_same_file(settings.output, settings.spm)) {
    return fail(kExitUsage, settings.output + " is the model and the output at once");
  }
  const std::unique_ptr<Tokenizer> tokenizer = open_tokenizer(settings);
  if (!tokenizer) return kExitFile;
  LineWriter writer;
  if (!settings.output.empty() && writer.open(settings.output) != kExitOk) return kExitFile;

  constexpr size_t kWriteBytes = 1 << 16;
  ExitCode code = kExitOk;
  std::string output;
  for (Line line; lines.next(&line);) {
    Json object;
    const std::string error = describe_line(settings, *tokenizer, line.text, &object);
    output += json_line(object) + "\n";
    if (!error.empty()) {
      complain(line_name(line) + error);
      code = kExitLinesFailed;
    }
    if (output.size() < kWriteBytes && lines.ready()) continue;
    if (!writer.write(output)) break;
    output.clear();
  }
  writer.write(output);
  const ExitCode written = writer.close();
  if (written != kExitOk) return written;
  return lines.file_failed() ? kExitFile : code;
}

void add(CLI::App* program, Invocation* invocation, bool from_ids) {
  CLI::App* command = program->add_subcommand(from_ids ? "detokenize" : "tokenize",
                                              from_ids ? "Token ids to text" : "Text to token ids and pieces");
  const auto settings = std::make_shared<Settings>();
  settings->from_ids = from_ids;
  settings->model.add_path(command);
  command->add_option("--spm", settings->spm, "A SentencePiece file or a tokenizer.json instead of a model")
      ->type_name("FILE");
  settings->texts.add_to(command, &invocation->verbatim);
  command->add_option("-i,--input", settings->files, "Files, one after another; - is standard input")
      ->type_name("FILE");
  command->add_option("-o,--output", settings->output, "Write to this file")->check(file_name())->type_name("FILE");
  command->add_flag("--target", settings->target, "The model's target side");
  command->add_flag("--base64", settings->base64,
                    from_ids ? "The text comes out as base64" : "Lines are base64, and so is the text that comes out");
  command->footer(from_ids ? kDetokenizeFooter : kTokenizeFooter);
  command->callback([settings, invocation] { invocation->exit_code = run(*settings); });
}

}  // namespace

void add_tokenize(CLI::App* program, Invocation* invocation) {
  add(program, invocation, false);
  add(program, invocation, true);
}

}  // namespace dragoman::cli
