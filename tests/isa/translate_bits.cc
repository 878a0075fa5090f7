// Translates a text and shows what must be the same on every processor: the bits of all scores, and the ids.
// Usage: translate_bits MODEL FILE [--beam N] [--ids] [--targets]
//   for each line of FILE a line: bits of its score; for each of its sentences the bits of the score that ranked it,
//   and its ids; after a tab the translation
//   --beam N    beam search of that width, instead of greedy search
//   --ids       the lines of FILE are source ids, as the encoder is to see them
//   --targets   forces every instruction set with fused multiply-add instead; all must agree
// Neighbours: CTest runs --targets; check_isa.sh and check_arm.sh compare the lines of several builds and processors.
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dragoman/dragoman.hpp>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/dispatch.h"

namespace {

using Lines = std::vector<std::string>;

constexpr int kSkipped = 77;

std::optional<Lines> read_lines(const char* path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  Lines lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

struct Request {
  uint32_t beam = 1;
  bool ids = false;
  bool targets = false;
  Lines lines;
};

std::string bits_of(float value) {
  char bits[16];
  std::snprintf(bits, sizeof bits, "%08" PRIx32, std::bit_cast<uint32_t>(value));
  return bits;
}

std::vector<int32_t> parse_ids(const std::string& line) {
  std::istringstream words(line);
  std::vector<int32_t> ids;
  for (int32_t id = 0; words >> id;) ids.push_back(id);
  return ids;
}

// Collects what a session hands out into one line for each input.
struct Collector {
  explicit Collector(size_t inputs) : ids(inputs), text(inputs), out(inputs) {}
  Lines ids, text, out;

  bool add(const dragoman::Segment& segment) {
    ids[segment.input] += " | " + bits_of(segment.rank_score);
    for (size_t i = 0; i < segment.num_ids; ++i) ids[segment.input] += " " + std::to_string(segment.ids[i]);
    text[segment.input].append(segment.gap_before, segment.gap_before_bytes).append(segment.text, segment.text_bytes);
    return true;
  }

  bool finish(const dragoman::InputEnd& end) {
    out[end.input] = bits_of(end.score) + ids[end.input] + "\t" + text[end.input];
    return true;
  }
};

dragoman::Error translate_with(dragoman::Session& session, const Request& request, Collector& collector) {
  dragoman::TranslateOptions options = dragoman::Session::default_translate_options();
  options.beam = request.beam;
  const auto on_segment = [&](const dragoman::Segment& segment) { return collector.add(segment); };
  const auto on_end = [&](const dragoman::InputEnd& end) { return collector.finish(end); };
  if (!request.ids) {
    std::vector<dragoman_text> inputs;
    for (const std::string& line : request.lines) inputs.push_back({line.data(), line.size()});
    return session.translate(inputs.data(), inputs.size(), options, on_segment, on_end);
  }
  std::vector<std::vector<int32_t>> ids;
  std::vector<dragoman_ids> inputs;
  ids.reserve(request.lines.size());
  for (const std::string& line : request.lines) ids.push_back(parse_ids(line));
  inputs.reserve(ids.size());
  for (const std::vector<int32_t>& row : ids) inputs.push_back({row.data(), row.size()});
  return session.translate_ids(inputs.data(), inputs.size(), options, on_segment, on_end);
}

// One line for each input. Eight sentences in flight, so that the kernels see several rows at once.
std::optional<Lines> translate(const dragoman::Model& model, const Request& request) {
  dragoman::SessionOptions options = dragoman::Session::default_options();
  options.max_batch = 8;
  options.max_beam = request.beam;
  auto session = dragoman::Session::create(model, options);
  if (!session) {
    std::fprintf(stderr, "%s\n", session.error().message());
    return std::nullopt;
  }
  Collector collector(request.lines.size());
  const dragoman::Error error = translate_with(*session, request, collector);
  if (error.ok()) return collector.out;
  std::fprintf(stderr, "%s\n", error.message());
  return std::nullopt;
}

// The number of lines that differ; shows the first one.
size_t count_differences(const Lines& expected, const Lines& got) {
  size_t different = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == got[i]) continue;
    if (different++ == 0) std::printf("line %zu:\n  %s\n  %s\n", i + 1, expected[i].c_str(), got[i].c_str());
  }
  return different;
}

int compare_targets(const dragoman::Model& model, const Request& request) {
  using namespace dragoman::kernels;
  const std::optional<Lines> expected = translate(model, request);
  if (!expected) return 1;
  std::printf("%s: %zu lines\n", target_name(active_target()), expected->size());
  size_t failures = 0;
  size_t compared = 0;
  for (const int64_t target : supported_targets()) {
    if (!target_has_fma(target)) continue;
    if (!force_target(target) || active_target() != target) {
      std::printf("%s could not be forced\n", target_name(target));
      ++failures;
      continue;
    }
    const std::optional<Lines> got = translate(model, request);
    const size_t different = got ? count_differences(*expected, *got) : expected->size();
    std::printf("%s forced: %zu lines differ\n", target_name(target), different);
    failures += different;
    ++compared;
  }
  if (compared == 0) std::printf("SKIPPED: this processor has no fused multiply-add\n");
  return failures != 0 ? 1 : compared == 0 ? kSkipped : 0;
}

int print_lines(const dragoman::Model& model, const Request& request) {
  const std::optional<Lines> lines = translate(model, request);
  if (!lines) return 1;
  for (const std::string& line : *lines) std::printf("%s\n", line.c_str());
  return 0;
}

// False when an argument is not understood.
bool parse_arguments(int argc, char** argv, Request* request) {
  for (int i = 3; i < argc; ++i) {
    if (std::strcmp(argv[i], "--ids") == 0) {
      request->ids = true;
    } else if (std::strcmp(argv[i], "--targets") == 0) {
      request->targets = true;
    } else if (std::strcmp(argv[i], "--beam") == 0 && i + 1 < argc) {
      request->beam = static_cast<uint32_t>(std::strtoul(argv[++i], nullptr, 10));
    } else {
      return false;
    }
  }
  return argc >= 3;
}

}  // namespace

int main(int argc, char** argv) {
  Request request;
  if (!parse_arguments(argc, argv, &request)) {
    return std::fprintf(stderr, "usage: translate_bits MODEL FILE [--beam N] [--ids] [--targets]\n"), 2;
  }
  if (!std::ifstream(argv[1])) {
    std::printf("SKIPPED: there is no %s (tests/run.sh makes it)\n", argv[1]);
    return kSkipped;
  }
  const auto model = dragoman::Model::open(argv[1]);
  if (!model) return std::fprintf(stderr, "%s\n", model.error().message()), 1;
  const std::optional<Lines> lines = read_lines(argv[2]);
  if (!lines || lines->empty()) return std::fprintf(stderr, "%s: no lines\n", argv[2]), 1;
  request.lines = *lines;
  return request.targets ? compare_targets(*model, request) : print_lines(*model, request);
}
