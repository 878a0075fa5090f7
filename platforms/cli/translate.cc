// dragoman translate: one line in, one line out.
// Neighbours: input_lines.h gives lines, translation.h translates, ordered_jobs.h keeps the order.
#include <cstdio>
#include <memory>
#include <utility>

#include "commands.h"
#include "id_line.h"
#include "input_lines.h"
#include "line_writer.h"
#include "model_options.h"
#include "ordered_jobs.h"
#include "progress.h"
#include "translation.h"

namespace dragoman::cli {
namespace {

constexpr const char* kFooter =
    R"(One line in, one line out, in the same order; blank lines and CR at a line's end are kept.
A line that fails is named on standard error, gives an empty line, and the exit code is 1 at the end.

Examples:
  dragoman translate -m en-pt.drg "How are you today?"
  dragoman translate -m en-pt.drg --input chapter1.txt chapter2.txt --batch 16 -o livro.txt
  tail -f log.txt | dragoman translate -m en-pt.drg
  dragoman translate -m en-pt.drg --jobs 4 --one-sentence-per-line < million.txt > milhao.txt
  echo "9086 3 0" | dragoman translate -m en-pt.drg --ids
  dragoman translate -m en-pt.drg --json "Hello." | jq .score
  dragoman translate -m en-pt.drg --beam 4 --n-best 4 --length-penalty 0.8 "How are you today?"
  dragoman translate -m en-pt.drg --sample --top-p 0.9 --temperature 0.7 --seed 5 "How are you today?"
  dragoman translate -m en-pt.drg --alignments "How are you today?"
  dragoman translate -m en-pt.drg --beam 4 --no-repeat-ngram 3 --max-length 40 < lines.txt
  dragoman translate -m nllb.drg --from en --to zh-Hant "How are you today?"
  dragoman translate -m opus-en-mul.drg ">>fra<< How are you today?")";

struct Settings {
  ModelChoice model;
  SessionOptions session;
  TranslateChoice translate;
  TextArguments texts;
  std::vector<std::string> files;
  std::string output;
  uint32_t jobs = 1;
  bool json = false;
  bool ids = false;
  bool quiet = false;
};

using Chunk = std::vector<Line>;

struct ChunkResult {
  std::string output;
  std::vector<std::string> complaints;
  uint64_t lines = 0, words = 0, bytes = 0;
  uint64_t failed_lines = 0, cut_lines = 0, limited_lines = 0, replaced_lines = 0;
};

uint64_t count_words(std::string_view text) {
  uint64_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\t';
    words += !space && !inside;
    inside = !space;
  }
  return words;
}

// A line break inside a translation would shift every following line.
void flatten(std::string* text) {
  for (char& c : *text) {
    if (c == '\n') c = ' ';
  }
}

// Lines of ids to translations; what is no id fails by itself, a blank line stays blank.
std::vector<Translation> translate_ids_of(Session* session, const Chunk& chunk, const TranslateOptions& options) {
  std::vector<Translation> results(chunk.size());
  std::vector<std::vector<int32_t>> rows;
  std::vector<size_t> row_line;
  for (size_t i = 0; i < chunk.size(); ++i) {
    std::vector<int32_t> ids;
    if (!parse_ids(chunk[i].text, &ids, &results[i].error) || ids.empty()) continue;
    rows.push_back(std::move(ids));
    row_line.push_back(i);
  }
  std::vector<Translation> translated = translate_id_lines(session, rows, options);
  for (size_t i = 0; i < translated.size(); ++i) results[row_line[i]] = std::move(translated[i]);
  return results;
}

class Translate {
 public:
  Translate(const Settings& settings, const Model& model, std::vector<Session>* sessions, LineWriter* writer,
            Progress* progress)
      : settings_(settings), model_(model), sessions_(*sessions), writer_(*writer), progress_(*progress) {}

  // Reads all lines and writes all translations.
  ExitCode run(InputLines* lines) {
    {
      OrderedJobs<Chunk, ChunkResult> jobs(
          sessions_.size(), [this](size_t worker, const Chunk& chunk) { return translate(worker, chunk); },
          [this](const ChunkResult& result) { return write(result); });
      for (Chunk chunk = read_chunk(lines); !chunk.empty(); chunk = read_chunk(lines)) {
        if (!jobs.submit(std::move(chunk))) break;
      }
      jobs.finish();
    }
    progress_.clear();
    const ExitCode written = writer_.close();
    if (written != kExitOk) return written;
    if (!settings_.quiet) summarize();
    if (lines->file_failed()) return kExitFile;
    return failed_lines_ > 0 ? kExitLinesFailed : kExitOk;
  }

 private:
  // With a batch, several times the batch, so that a slot that gets free finds a next sentence; but what is there is
  // translated before more input is waited for.
  Chunk read_chunk(InputLines* lines) const {
    constexpr size_t kLinesPerSlot = 8;
    constexpr size_t kChunkBytes = 1 << 20;
    const size_t batch = settings_.session.max_batch;
    const size_t most = batch == 1 && sessions_.size() == 1 ? 1 : batch * kLinesPerSlot;
    Chunk chunk;
    size_t bytes = 0;
    while (chunk.size() < most && bytes < kChunkBytes && (chunk.empty() || lines->ready())) {
      Line line;
      if (!lines->next(&line)) break;
      bytes += line.text.size();
      chunk.push_back(std::move(line));
    }
    return chunk;
  }

  ChunkResult translate(size_t worker, const Chunk& chunk) {
    Session* session = &sessions_[worker];
    const TranslateOptions options = settings_.translate.options();
    std::vector<Translation> translations;
    if (settings_.ids) {
      translations = translate_ids_of(session, chunk, options);
    } else {
      std::vector<std::string_view> texts;
      for (const Line& line : chunk) texts.push_back(line.text);
      translations = translate_texts(session, texts, options);
    }
    ChunkResult result;
    for (size_t i = 0; i < chunk.size(); ++i) add_line(chunk[i], &translations[i], &result);
    return result;
  }

  void add_line(const Line& line, Translation* translation, ChunkResult* result) const {
    if (settings_.translate.search.options.n_best > 1 && !settings_.json) {
      add_ranks(line, *translation, result);
    } else {
      result->output += format(translation) + line_end(line);
    }
    result->lines += 1;
    result->words += count_words(line.text);
    result->bytes += line.text.size() + 1;
    result->cut_lines += (translation->flags & DRAGOMAN_CUT) != 0;
    result->limited_lines += (translation->flags & DRAGOMAN_LENGTH_LIMIT) != 0;
    result->replaced_lines += translation->num_replaced > 0;
    if (translation->error.empty()) return;
    result->failed_lines += 1;
    result->complaints.push_back(line_name(line) + translation->error);
  }

  std::string format(Translation* translation) const {
    const SearchChoice& search = settings_.translate.search;
    if (settings_.json) return json_line(translation_json(model_, *translation, search.attention.matrix));
    flatten(&translation->text);
    return (settings_.ids ? format_ids(translation->ids) : translation->text) + alignments(*translation, 0);
  }

  // What follows the text where it is asked for.
  std::string alignments(const Translation& translation, size_t rank) const {
    if (!settings_.translate.search.attention.alignments) return "";
    return "\t" + ranked(translation, rank, model_.info().end_id).alignments;
  }

  const char* line_end(const Line& line) const { return line.carriage_return && !settings_.json ? "\r\n" : "\n"; }

  // Number of the line, rank, score and translation, with tabs.
  void add_ranks(const Line& line, const Translation& translation, ChunkResult* result) const {
    for (size_t rank = 0; rank < num_ranks(translation); ++rank) {
      RankedTranslation shown = ranked(translation, rank, model_.info().end_id);
      flatten(&shown.text);
      char score[32];
      std::snprintf(score, sizeof score, "%.6f", static_cast<double>(shown.score));
      result->output += std::to_string(line.number) + '\t' + std::to_string(rank + 1) + '\t' + score + '\t';
      result->output += settings_.ids ? format_ids(shown.ids) : shown.text;
      result->output += alignments(translation, rank) + line_end(line);
    }
  }

  // Called for one chunk after the other.
  bool write(const ChunkResult& result) {
    if (!result.complaints.empty()) progress_.clear();
    for (const std::string& complaint : result.complaints) complain(complaint);
    failed_lines_ += result.failed_lines;
    cut_lines_ += result.cut_lines;
    limited_lines_ += result.limited_lines;
    replaced_lines_ += result.replaced_lines;
    if (!writer_.write(result.output)) return false;
    progress_.add(result.lines, result.words, result.bytes);
    return true;
  }

  // What a reader of plain text would not see.
  void summarize() const {
    if (settings_.json) return;
    const auto note = [](uint64_t lines, const char* what) {
      if (lines > 0) complain(std::to_string(lines) + (lines == 1 ? " line " : " lines ") + what);
    };
    note(replaced_lines_, "with invalid UTF-8, read as U+FFFD");
    note(cut_lines_, "with a sentence longer than --max-source-tokens, translated in parts");
    note(limited_lines_, "with a translation that reached its maximum length");
  }

  const Settings& settings_;
  const Model& model_;
  std::vector<Session>& sessions_;
  LineWriter& writer_;
  Progress& progress_;
  uint64_t failed_lines_ = 0, cut_lines_ = 0, limited_lines_ = 0, replaced_lines_ = 0;
};

ExitCode run(const Settings& settings) {
  std::optional<std::vector<std::string>> texts = settings.texts.texts();
  if (!texts) return kExitUsage;
  if (!texts->empty() && !settings.files.empty()) return fail(kExitUsage, "give TEXT or --input, not both");
  InputLines lines(std::move(*texts), settings.files);
  if (lines.reads_output(settings.output)) {
    const std::string name = settings.output.empty() ? "standard output" : settings.output;
    return fail(kExitUsage, name + " is input and output at once");
  }
  if (settings.translate.search.attention.matrix && !settings.json)
    return fail(kExitUsage, "--attention goes with --json");
  if (is_same_file(settings.output, settings.model.path)) {
    return fail(kExitUsage, settings.output + " is the model and the output at once");
  }
  const std::optional<Model> model = open_model(settings.model);
  if (!model) return kExitFile;
  if (!settings.translate.languages.check(*model)) return kExitUsage;
  SessionOptions session_options = settings.session;
  settings.translate.search.reserve(&session_options);
  std::vector<Session> sessions;
  for (uint32_t i = 0; i < settings.jobs; ++i) {
    Expected<Session> session = Session::create(*model, session_options);
    if (!session) return fail_session(session.error());
    sessions.push_back(std::move(*session));
  }
  const TranslateOptions options = settings.translate.options();
  const Error error = settings.ids ? check_id_options(&sessions[0], options) : check_options(&sessions[0], options);
  if (!error.ok()) return fail(kExitUsage, error.message());
  LineWriter writer;
  if (!settings.output.empty() && writer.open(settings.output) != kExitOk) return kExitFile;
  Progress progress(!settings.quiet && !writer.is_terminal(), lines.total_bytes());
  return Translate(settings, *model, &sessions, &writer, &progress).run(&lines);
}

}  // namespace

void add_translate(CLI::App* program, Invocation* invocation) {
  CLI::App* command = program->add_subcommand("translate", "Translate texts, files or standard input, line by line");
  const auto settings = std::make_shared<Settings>();
  settings->model.add_to(command);
  settings->texts.add_to(command, &invocation->verbatim);
  command->add_option("-i,--input", settings->files, "Files to translate, one after another; - is standard input")
      ->type_name("FILE");
  command->add_option("-o,--output", settings->output, "Write to this file")->check(file_name())->type_name("FILE");
  command->add_flag("--json", settings->json,
                    "One JSON object a line: text, ids, tokens, score, log_probs, status, languages, ranges");
  command->add_flag("--ids", settings->ids,
                    "Lines are source ids as the encoder is to see them; generated ids come out");
  add_session_options(command, &settings->session);
  command->add_option("--jobs", settings->jobs, "Sessions that translate different lines at the same time")
      ->check(CLI::Range(1, 1024))
      ->type_name("N")
      ->capture_default_str();
  settings->translate.add_to(command);
  command->add_flag("-q,--quiet", settings->quiet, "No progress and no notes; failed lines are still named");
  command->footer(kFooter);
  command->callback([settings, invocation] { invocation->exit_code = run(*settings); });
}

}  // namespace dragoman::cli
