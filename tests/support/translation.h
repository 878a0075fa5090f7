// Translating through the C interface in tests: owning handles, results kept as values that compare bit by bit, and
// texts to translate.
// Neighbours: dragoman.h below it; tests of the pipeline, of invariance and of damaged models above.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/dragoman.h"
#include "tests/support/model_builder.h"

namespace dragoman::test {

struct CloseModel {
  void operator()(dragoman_model* model) const { dragoman_model_close(model); }
};
struct DestroySession {
  void operator()(dragoman_session* session) const { dragoman_session_destroy(session); }
};
using SessionHandle = std::unique_ptr<dragoman_session, DestroySession>;

// An open model; in memory or mapped. Fails the test when it does not open.
class OpenModel {
 public:
  explicit OpenModel(AlignedBytes file, dragoman_compute compute = DRAGOMAN_COMPUTE_INT8);
  explicit OpenModel(const std::string& path, dragoman_compute compute = DRAGOMAN_COMPUTE_INT8);

  dragoman_model* get() const { return model_.get(); }
  // Fails the test when it cannot be created.
  SessionHandle session(const dragoman_session_options& options, std::span<std::byte> block = {}) const;
  dragoman_memory required(const dragoman_session_options& options) const;

 private:
  AlignedBytes file_;
  std::unique_ptr<dragoman_model, CloseModel> model_;
};

// The defaults, with these.
dragoman_session_options batch_options(uint32_t max_batch, uint32_t threads = 1);

// One dragoman_segment, kept.
struct KeptSegment {
  size_t source_begin = 0;
  size_t source_end = 0;
  std::string text;
  std::string gap;
  std::vector<int32_t> source_ids;
  std::vector<int32_t> ids;
  uint32_t score_bits = 0;
  uint32_t flags = 0;
  size_t num_replaced = 0;
  uint32_t hypothesis = 0;
  uint32_t rank_score_bits = 0;
  std::vector<float> log_probs;
  std::vector<float> attention;  // if asked for, likewise below
  std::vector<int32_t> alignment;

  bool operator==(const KeptSegment&) const = default;
};

// All that came of one input.
struct KeptInput {
  std::vector<KeptSegment> segments;
  std::string gap_after;
  uint32_t flags = 0;
  size_t num_replaced = 0;
  uint32_t score_bits = 0;

  std::string text() const;
  bool operator==(const KeptInput&) const = default;
};

// A sink that keeps everything and checks the order in which it comes. Cancels at the `cancel_at`-th call, from 0.
class KeepingSink {
 public:
  explicit KeepingSink(size_t cancel_at = SIZE_MAX) : cancel_at_(cancel_at) {}
  dragoman_sink sink();
  // Inputs whose end was received.
  const std::vector<KeptInput>& inputs() const { return inputs_; }
  // False when an input came out of order, or a segment after its end.
  bool in_order() const { return in_order_; }

 private:
  static bool on_segment(void* user, const dragoman_segment* segment);
  static bool on_end(void* user, const dragoman_input_end* end);

  std::vector<KeptInput> inputs_;
  KeptInput current_;
  size_t cancel_at_;
  size_t calls_ = 0;
  bool in_order_ = true;
};

std::vector<dragoman_text> as_texts(std::span<const std::string> inputs);

// Fails the test unless all inputs are translated, in order.
std::vector<KeptInput> translate(dragoman_session* session, std::span<const std::string> inputs,
                                 const dragoman_translate_options* options = nullptr);
std::vector<KeptInput> translate_ids(dragoman_session* session, const std::vector<std::vector<int32_t>>& inputs,
                                     const dragoman_translate_options* options = nullptr);
KeptInput translate_one(dragoman_session* session, const std::string& input,
                        const dragoman_translate_options* options = nullptr);

// True when gaps and source ranges of the segments add up to the input, byte for byte.
bool covers(const KeptInput& result, std::string_view input);

// `num_words` words of 1 to 4 letters the tiny model knows, some with a stop behind them.
std::string random_words(size_t num_words, std::mt19937* random);

// A number of words for each of `num_texts` texts: from 0 to `most`, more short ones than long ones.
std::vector<size_t> spread_lengths(size_t num_texts, size_t most);

// `num_texts` texts of 0 to `most` words, in a scrambled order; words from `source` one after another, or random ones
// when it is empty. Some have invalid UTF-8, NUL bytes or odd blanks.
std::vector<std::string> mixed_texts(size_t num_texts, size_t most, std::span<const std::string> source = {});

// The converted English -> Portuguese student and its 500 test sentences; nullopt (with `why`) where absent.
struct RealModel {
  std::string path;
  std::vector<std::string> sentences;
};
std::optional<RealModel> find_real_model(std::string* why);

}  // namespace dragoman::test
