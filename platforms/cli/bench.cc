// dragoman bench: speed and memory on the user's own text and machine.
// Neighbours: input_lines.h gives the text; figures go to standard output.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>

#include "commands.h"
#include "input_lines.h"
#include "json_line.h"
#include "line_writer.h"
#include "model_options.h"
#include "translation.h"

namespace dragoman::cli {
namespace {

constexpr const char* kFooter =
    R"(words_per_second counts words of the source between white space,
tokens_per_second generated ids; both are those of the median pass. words_per_cpu_second: of processor time, all
threads, of the median pass.
ms_p50 and ms_p95 are times of one call of translate(): a line with --batch 1, else 8 x batch lines.
load_ms: from opening the file to a session that is ready. first_ms: the first line after that.
peak_mb: the largest resident memory of the process so far.

Examples:
  dragoman bench -m en-pt.drg --input news.en
  dragoman bench -m en-pt.drg --input news.en --batch 32 --threads 2 --repeat 5 --json
  dragoman bench -m en-pt.drg --input news.en --beam 4)";

struct Settings {
  ModelChoice model;
  SessionOptions session;
  TranslateChoice translate;
  std::vector<std::string> files;
  uint32_t repeat = 3;
  uint32_t warmup = 20;
  bool json = false;
};

struct Figures {
  uint64_t lines = 0, words = 0, tokens = 0;
  double words_per_second = 0, tokens_per_second = 0, words_per_cpu_second = 0;
  double ms_p50 = 0, ms_p95 = 0, load_ms = 0, first_ms = 0, peak_mb = 0;
};

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// Processor time of the process so far, user and system.
double cpu_seconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  constexpr double kMicro = 1e-6;
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         kMicro * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// The value below which `share` of the sorted `values` lie (nearest rank).
double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double rank = share * static_cast<double>(values.size());
  const size_t index = static_cast<size_t>(std::max(0.0, rank - 1e-9));
  return values[std::min(index, values.size() - 1)];
}

uint64_t count_words(const std::string& line) {
  std::istringstream words(line);
  return static_cast<uint64_t>(
      std::distance(std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()));
}

// VmHWM counts this program image only; ru_maxrss would count what ran before exec, too.
double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::strtod(line.c_str() + 6, nullptr) / 1024;
  }
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Translates lines [begin, end) in one call; returns its milliseconds and adds to *tokens.
Expected<double> call(Session* session, const std::vector<dragoman_text>& texts, size_t begin, size_t end,
                      const TranslateOptions& options, uint64_t* tokens) {
  const Clock::time_point start = Clock::now();
  const Error error = session->translate(
      texts.data() + begin, end - begin, options,
      [tokens](const Segment& segment) {
        if (segment.hypothesis == 0) *tokens += segment.num_ids;
        return true;
      },
      [](const InputEnd&) { return true; });
  if (!error.ok()) return error;
  return ms_since(start);
}

Expected<Figures> measure(const Settings& settings, const std::vector<dragoman_text>& texts, Session* session,
                          Figures figures) {
  const TranslateOptions options = settings.translate.options();
  uint64_t ignored = 0;
  const Expected<double> first = call(session, texts, 0, 1, options, &ignored);
  if (!first) return first.error();
  figures.first_ms = *first;
  const size_t step = settings.session.max_batch == 1 ? 1 : size_t{8} * settings.session.max_batch;
  const size_t warm = std::min<size_t>(settings.warmup, texts.size());
  for (size_t i = 0; i < warm; i += step) {
    const Expected<double> time = call(session, texts, i, std::min(warm, i + step), options, &ignored);
    if (!time) return time.error();
  }
  std::vector<double> pass_ms;
  std::vector<double> pass_cpu_seconds;
  std::vector<double> call_ms;
  for (uint32_t pass = 0; pass < settings.repeat; ++pass) {
    figures.tokens = 0;
    const Clock::time_point start = Clock::now();
    const double cpu_start = cpu_seconds();
    for (size_t i = 0; i < texts.size(); i += step) {
      const Expected<double> time = call(session, texts, i, std::min(texts.size(), i + step), options, &figures.tokens);
      if (!time) return time.error();
      call_ms.push_back(*time);
    }
    pass_ms.push_back(ms_since(start));
    pass_cpu_seconds.push_back(cpu_seconds() - cpu_start);
  }
  const double seconds = std::max(1e-9, quantile(pass_ms, 0.5) / 1000);
  figures.words_per_second = static_cast<double>(figures.words) / seconds;
  figures.words_per_cpu_second = static_cast<double>(figures.words) / std::max(1e-9, quantile(pass_cpu_seconds, 0.5));
  figures.tokens_per_second = static_cast<double>(figures.tokens) / seconds;
  figures.ms_p50 = quantile(call_ms, 0.5);
  figures.ms_p95 = quantile(call_ms, 0.95);
  figures.peak_mb = peak_megabytes();
  return figures;
}

std::string format(const Figures& figures, bool json) {
  if (json) {
    return json_line({{"words_per_second", figures.words_per_second},
                      {"tokens_per_second", figures.tokens_per_second},
                      {"words_per_cpu_second", figures.words_per_cpu_second},
                      {"ms_p50", figures.ms_p50},
                      {"ms_p95", figures.ms_p95},
                      {"load_ms", figures.load_ms},
                      {"first_ms", figures.first_ms},
                      {"peak_mb", figures.peak_mb},
                      {"lines", figures.lines},
                      {"words", figures.words},
                      {"tokens", figures.tokens}}) +
           "\n";
  }
  char text[512];
  std::snprintf(text, sizeof text,
                "%llu lines, %llu words in, %llu tokens out\n"
                "speed      %10.1f words/s %10.1f tokens/s\n"
                "a call     %10.2f ms (p50) %8.2f ms (p95)\n"
                "load       %10.2f ms\nfirst line %10.2f ms\npeak memory%10.1f MB\n",
                static_cast<unsigned long long>(figures.lines), static_cast<unsigned long long>(figures.words),
                static_cast<unsigned long long>(figures.tokens), figures.words_per_second, figures.tokens_per_second,
                figures.ms_p50, figures.ms_p95, figures.load_ms, figures.first_ms, figures.peak_mb);
  return text;
}

ExitCode run(const Settings& settings) {
  InputLines input({}, settings.files);
  std::vector<std::string> lines;
  Figures figures;
  for (Line line; input.next(&line);) {
    if (line.text.empty()) continue;
    figures.words += count_words(line.text);
    lines.push_back(std::move(line.text));
  }
  if (input.file_failed()) return kExitFile;
  if (lines.empty()) return fail(kExitFile, "the input holds no line to translate");
  std::vector<dragoman_text> texts;
  texts.reserve(lines.size());
  for (const std::string& line : lines) texts.push_back({line.data(), line.size()});
  figures.lines = lines.size();

  const Clock::time_point start = Clock::now();
  const std::optional<Model> model = open_model(settings.model);
  if (!model) return kExitFile;
  if (!settings.translate.languages.check(*model)) return kExitUsage;
  SessionOptions session_options = settings.session;
  settings.translate.search.reserve(&session_options);
  Expected<Session> session = Session::create(*model, session_options);
  if (!session) return fail_session(session.error());
  figures.load_ms = ms_since(start);
  const Error error = check_options(&*session, settings.translate.options());
  if (!error.ok()) return fail(kExitUsage, error.message());
  const Expected<Figures> measured = measure(settings, texts, &*session, figures);
  if (!measured) return fail(kExitLinesFailed, measured.error().message());
  LineWriter writer;
  writer.write(format(*measured, settings.json));
  return writer.close();
}

}  // namespace

void add_bench(CLI::App* program, Invocation* invocation) {
  CLI::App* command = program->add_subcommand("bench", "Measure speed and memory on a text");
  const auto settings = std::make_shared<Settings>();
  settings->model.add_to(command);
  command->add_option("-i,--input", settings->files, "Text, one sentence or paragraph a line")
      ->required()
      ->type_name("FILE");
  add_session_options(command, &settings->session);
  settings->translate.add_to(command);
  command->add_option("--repeat", settings->repeat, "Passes over the text")
      ->check(CLI::Range(1, 1000))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--warmup", settings->warmup, "Lines translated before measuring")
      ->check(CLI::Range(0, 1000000))
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--json", settings->json, "One JSON object");
  command->footer(kFooter);
  command->callback([settings, invocation] { invocation->exit_code = run(*settings); });
}

}  // namespace dragoman::cli
