// dragoman score: how likely the model finds given translations.
// Neighbours: input_lines.h gives the pairs, the library follows them.
#include <cstdio>
#include <memory>
#include <utility>

#include "alignment_pairs.h"
#include "attention_options.h"
#include "commands.h"
#include "input_lines.h"
#include "json_line.h"
#include "line_writer.h"
#include "model_options.h"

namespace dragoman::cli {
namespace {

constexpr const char* kFooter =
    R"(Each line of the input is a source text, a tab, and its translation; each is taken as one sentence.
Out comes, for every line: the log-probability of the translation, its number of tokens (end token counted), and the
log-probability by token, with tabs between them. Probabilities are those over the whole vocabulary. With --alignments
a fourth column says which source token each token of the translation attends to, as translate has it.
A line that fails is named on standard error, gives an empty line, and the exit code is 1 at the end.

Examples:
  printf 'Hello.\tOlá.\n' | dragoman score -m en-pt.drg
  paste source.en translation.pt | dragoman score -m en-pt.drg --batch 16 > scores.txt
  paste source.en translation.pt | dragoman score -m en-pt.drg --json | jq .log_probs
  paste source.en translation.pt | dragoman score -m en-pt.drg --alignments | cut -f 4 > pairs.txt)";

struct Settings {
  ModelChoice model;
  SessionOptions session;
  LanguageChoice languages;
  AttentionChoice attention;
  std::vector<std::string> files;
  bool json = false;
};

struct Score {
  std::vector<int32_t> ids;
  std::vector<float> log_probs;
  std::vector<int32_t> source_ids;  // if attention was asked for, likewise below
  std::vector<int32_t> alignment;   // index of the source id of each id
  std::vector<float> attention;     // [ids, source ids]
  float score = 0;
  std::string error;
  bool done = false;
};

struct Pairs {
  std::vector<dragoman_text> sources;
  std::vector<dragoman_text> targets;
  TranslateOptions options;
};

// Scores pairs [begin, begin + count) into `out`.
Error score_pairs(Session* session, const Pairs& pairs, size_t begin, size_t count, Score* out) {
  return session->score(
      pairs.sources.data() + begin, pairs.targets.data() + begin, count, pairs.options,
      [out](const Segment& segment) {
        Score& score = out[segment.input];
        score.ids.assign(segment.ids, segment.ids + segment.num_ids);
        score.log_probs.assign(segment.log_probs, segment.log_probs + segment.num_ids);
        score.score = segment.score;
        if (segment.alignment == nullptr) return true;
        score.source_ids.assign(segment.source_ids, segment.source_ids + segment.num_source_ids);
        score.alignment.assign(segment.alignment, segment.alignment + segment.num_ids);
        score.attention.assign(segment.attention, segment.attention + segment.num_ids * segment.num_source_ids);
        return true;
      },
      [out](const InputEnd& end) { return out[end.input].done = true; });
}

// A chunk that fails is repeated line by line, so that a bad line costs only itself.
std::vector<Score> score_lines(Session* session, const std::vector<Line>& lines, const TranslateOptions& options) {
  std::vector<Score> scores(lines.size());
  Pairs pairs{{}, {}, options};
  std::vector<size_t> line_of;
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t tab = lines[i].text.find('\t');
    if (tab == std::string::npos) {
      scores[i].error = "there is no tab between source and translation";
      continue;
    }
    pairs.sources.push_back({lines[i].text.data(), tab});
    pairs.targets.push_back({lines[i].text.data() + tab + 1, lines[i].text.size() - tab - 1});
    line_of.push_back(i);
  }
  std::vector<Score> found(pairs.sources.size());
  const bool whole = found.empty() || score_pairs(session, pairs, 0, found.size(), found.data()).ok();
  for (size_t i = 0; i < found.size(); ++i) {
    if (!whole && !found[i].done) {
      const Error error = score_pairs(session, pairs, i, 1, &found[i]);
      if (!error.ok()) {
        found[i] = Score();
        found[i].error = error.message();
      }
    }
    scores[line_of[i]] = std::move(found[i]);
  }
  return scores;
}

// `matrix`: with the whole attention.
Json score_json(const Model& model, const Score& score, bool matrix) {
  if (!score.error.empty()) return {{"error", score.error}};
  Json tokens = Json::array();
  for (const int32_t id : score.ids) {
    const Expected<std::string_view> piece = model.piece(DRAGOMAN_TARGET, id);
    tokens.push_back(piece ? std::string(*piece) : std::string());
  }
  Json object = {{"score", json_float(score.score)},
                 {"ids", score.ids},
                 {"tokens", std::move(tokens)},
                 {"log_probs", json_floats(score.log_probs)}};
  if (!score.source_ids.empty()) {
    object["source_ids"] = score.source_ids;
    object["alignment"] = score.alignment;
  }
  if (matrix) object["attention"] = json_matrix(score.attention, score.source_ids.size());
  return object;
}

// `alignments`: with the pairs of tokens.
std::string score_text(const Model& model, const Score& score, bool alignments) {
  if (!score.error.empty()) return "";
  char text[96];
  const auto sum = static_cast<double>(score.score);
  std::snprintf(text, sizeof text, "%.6f\t%zu\t%.6f", sum, score.ids.size(),
                sum / static_cast<double>(score.ids.size()));
  if (!alignments) return text;
  AlignmentPairs pairs(model.info().end_id);
  pairs.add(score.source_ids, score.ids, score.alignment);
  return text + ("\t" + pairs.text());
}

std::string format(const Settings& settings, const Model& model, const Score& score) {
  if (settings.json) return json_line(score_json(model, score, settings.attention.matrix)) + '\n';
  return score_text(model, score, settings.attention.alignments) + '\n';
}

ExitCode run(const Settings& settings) {
  if (settings.attention.matrix && !settings.json) return fail(kExitUsage, "--attention goes with --json");
  InputLines input({}, settings.files);
  if (input.reads_output("")) return fail(kExitUsage, "standard output is input and output at once");
  const std::optional<Model> model = open_model(settings.model);
  if (!model) return kExitFile;
  if (!settings.languages.check(*model)) return kExitUsage;
  TranslateOptions translate_options = Session::default_translate_options();
  settings.languages.apply(&translate_options);
  settings.attention.apply(&translate_options);
  SessionOptions options = settings.session;
  options.max_beam = 1;
  options.full_logits = true;
  options.attention = settings.attention.wanted();
  Expected<Session> session = Session::create(*model, options);
  if (!session) return fail_session(session.error());
  const Error error = score_pairs(&*session, Pairs{{}, {}, translate_options}, 0, 0, nullptr);
  if (!error.ok()) return fail(kExitUsage, error.message());  // of every line
  LineWriter writer;
  bool failed = false;
  bool open = true;
  while (open) {
    std::vector<Line> lines;
    Line line;
    const size_t most = size_t{8} * settings.session.max_batch;
    while (lines.size() < most && (lines.empty() || input.ready()) && (open = input.next(&line))) {
      lines.push_back(std::move(line));
    }
    const std::vector<Score> scores = score_lines(&*session, lines, translate_options);
    std::string text;
    for (size_t i = 0; i < scores.size(); ++i) {
      text += format(settings, *model, scores[i]);
      if (scores[i].error.empty()) continue;
      failed = true;
      complain(line_name(lines[i]) + scores[i].error);
    }
    if (!writer.write(text)) break;
  }
  const ExitCode written = writer.close();
  if (written != kExitOk) return written;
  if (input.file_failed()) return kExitFile;
  return failed ? kExitLinesFailed : kExitOk;
}

}  // namespace

void add_score(CLI::App* program, Invocation* invocation) {
  CLI::App* command = program->add_subcommand("score", "Log-probabilities of given translations");
  const auto settings = std::make_shared<Settings>();
  settings->model.add_to(command);
  settings->languages.add_to(command);
  settings->attention.add_to(command);
  command->add_option("-i,--input", settings->files, "Files of pairs, one after another; - is standard input")
      ->type_name("FILE");
  add_session_options(command, &settings->session);
  command->add_flag("--json", settings->json, "One JSON object a line: score, ids, tokens, log_probs");
  command->footer(kFooter);
  command->callback([settings, invocation] { invocation->exit_code = run(*settings); });
}

}  // namespace dragoman::cli
