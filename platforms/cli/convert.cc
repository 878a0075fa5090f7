// dragoman convert: trained weights to one .drg file.
// Neighbours: the converter's public header does the work; this names the files and prints the report.
#include <memory>

#include "commands.h"
#include "converter/converter.h"
#include "line_writer.h"

namespace dragoman::cli {
namespace {

constexpr const char* kFooter =
    R"(DIR is a folder of one of these kinds:
  Marian        model*.bin or model*.npz, vocab*.spm or vocab*.yml (one, or a source and a target), perhaps lex*.bin
  Hugging Face  config.json, model.safetensors or pytorch_model.bin (also in shards), the vocabulary's files if any
  CTranslate2   model.bin, config.json, *vocabulary.json; SentencePiece models in it or named by --vocab
A file that is named by an option wins over a found one. The output is replaced in one step, or left alone on failure.

Examples:
  dragoman convert models/enpt-1693087644 -o en-pt.drg
  dragoman convert --model model.bin --vocab source.spm --vocab target.spm --shortlist lex.s2t.bin \
      --from en --to pt -o en-pt.drg)";

struct Settings {
  converter::ConvertOptions options;
  std::vector<std::string> vocabularies;
  bool no_shortlist = false;
  std::string quantize = "int8";
  bool quiet = false;
};

ExitCode run(Settings settings) {
  converter::ConvertOptions& options = settings.options;
  if (options.input.empty() && (options.model.empty() || settings.vocabularies.empty())) {
    return fail(kExitUsage, "name a folder, or --model and --vocab");
  }
  if (!settings.vocabularies.empty()) options.source_vocabulary = settings.vocabularies.front();
  if (settings.vocabularies.size() == 2) options.target_vocabulary = settings.vocabularies.back();
  options.use_shortlist = !settings.no_shortlist;
  options.keep_float = settings.quantize == "f32";

  std::vector<std::string> problems;
  const Result<converter::ConvertReport> report = converter::convert(options, &problems);
  if (!report.ok()) {
    for (const std::string& problem : problems) complain(problem);
    return fail(kExitFile, std::string("nothing was converted: ") + report.status().message());
  }
  LineWriter writer;
  if (!settings.quiet) writer.write(report.value().text());
  return writer.close();
}

}  // namespace

void add_convert(CLI::App* program, Invocation* invocation) {
  CLI::App* command = program->add_subcommand("convert", "Turn trained weights into one .drg file");
  const auto settings = std::make_shared<Settings>();
  converter::ConvertOptions& options = settings->options;
  command->add_option("DIR", options.input, "Folder that holds the trained model, or an .argosmodel package");
  command->add_option("-o,--output", options.output, "The file to write")->required()->type_name("FILE");
  command->add_option("--model", options.model, "Weights")->type_name("FILE");
  command->add_option("--vocab", settings->vocabularies, "Vocabulary; twice: of the source, then of the target")
      ->expected(1, 2)
      ->type_name("FILE");
  command->add_option("--shortlist", options.shortlist, "Lexical shortlist")->type_name("FILE");
  command->add_flag("--no-shortlist", settings->no_shortlist, "Leave the folder's shortlist out");
  command->add_option("--decoder-config", options.decoder_config, "Decoding settings (.yml)")->type_name("FILE");
  command->add_option("--from", options.source_language, "Source language (BCP 47); else guessed from file names")
      ->type_name("LANG");
  command->add_option("--to", options.target_language, "Target language")->type_name("LANG");
  command->add_option("--name", options.name, "Name of the model; else that of the output")->type_name("TEXT");
  command->add_option("--licence", options.licence, "Licence text or SPDX expression")->type_name("TEXT");
  command->add_option("--quantize", settings->quantize, "Weights as int8, or kept as f32 (for comparison)")
      ->check(CLI::IsMember({"int8", "f32"}))
      ->capture_default_str();
  command->add_option("--max-positions", options.max_positions, "Longest sentence in tokens, on either side")
      ->check(CLI::Range(2, 65536))
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("-q,--quiet", settings->quiet, "No report");
  command->footer(kFooter);
  command->callback([settings, invocation] { invocation->exit_code = run(*settings); });
}

}  // namespace dragoman::cli
