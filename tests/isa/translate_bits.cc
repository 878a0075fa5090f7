// Translates a text and shows what must be the same on every processor: ids, and the bits of the scores.
// Usage: translate_bits MODEL FILE             a line for each input: bits of its score, then its ids
//        translate_bits MODEL FILE --targets   forces every instruction set with fused multiply-add; all must agree
// Neighbours: CTest runs --targets; check_isa.sh compares the lines of several builds and processors.
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <dragoman/dragoman.hpp>
#include <fstream>
#include <optional>
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

// One line for each input. Eight sentences in flight, so that the kernels see several rows at once.
std::optional<Lines> translate(const dragoman::Model& model, const Lines& texts) {
  dragoman::SessionOptions options = dragoman::Session::default_options();
  options.max_batch = 8;
  auto session = dragoman::Session::create(model, options);
  if (!session) {
    std::fprintf(stderr, "%s\n", session.error().message());
    return std::nullopt;
  }
  std::vector<dragoman_text> inputs;
  for (const std::string& text : texts) inputs.push_back({text.data(), text.size()});
  Lines ids(texts.size());
  Lines out(texts.size());
  const dragoman::Error error = session->translate(
      inputs.data(), inputs.size(), dragoman::Session::default_translate_options(),
      [&](const dragoman::Segment& segment) {
        for (size_t i = 0; i < segment.num_ids; ++i) ids[segment.input] += " " + std::to_string(segment.ids[i]);
        return true;
      },
      [&](const dragoman::InputEnd& end) {
        char bits[16];
        std::snprintf(bits, sizeof bits, "%08" PRIx32, std::bit_cast<uint32_t>(end.score));
        out[end.input] = bits + ids[end.input];
        return true;
      });
  if (error.ok()) return out;
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

int compare_targets(const dragoman::Model& model, const Lines& texts) {
  using namespace dragoman::kernels;
  const std::optional<Lines> expected = translate(model, texts);
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
    const std::optional<Lines> got = translate(model, texts);
    const size_t different = got ? count_differences(*expected, *got) : expected->size();
    std::printf("%s forced: %zu lines differ\n", target_name(target), different);
    failures += different;
    ++compared;
  }
  if (compared == 0) std::printf("SKIPPED: this processor has no fused multiply-add\n");
  return failures != 0 ? 1 : compared == 0 ? kSkipped : 0;
}

int print_lines(const dragoman::Model& model, const Lines& texts) {
  const std::optional<Lines> lines = translate(model, texts);
  if (!lines) return 1;
  for (const std::string& line : *lines) std::printf("%s\n", line.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: translate_bits MODEL FILE [--targets]\n"), 2;
  if (!std::ifstream(argv[1])) {
    std::printf("SKIPPED: there is no %s (tests/run.sh makes it)\n", argv[1]);
    return kSkipped;
  }
  const auto model = dragoman::Model::open(argv[1]);
  if (!model) return std::fprintf(stderr, "%s\n", model.error().message()), 1;
  const std::optional<Lines> texts = read_lines(argv[2]);
  if (!texts || texts->empty()) return std::fprintf(stderr, "%s: no lines\n", argv[2]), 1;
  return argc > 3 && std::strcmp(argv[3], "--targets") == 0 ? compare_targets(*model, *texts)
                                                            : print_lines(*model, *texts);
}
