// Neighbours: see translation.h.
#include "tests/support/translation.h"

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <fstream>
#include <numeric>
#include <sstream>
#include <utility>

namespace dragoman::test {

namespace {

dragoman_model_options with_compute(dragoman_compute compute) {
  dragoman_model_options options = dragoman_default_model_options();
  options.compute = compute;
  return options;
}

std::vector<std::string> words_of(std::span<const std::string> texts) {
  std::vector<std::string> words;
  for (const std::string& text : texts) {
    std::istringstream in(text);
    for (std::string word; in >> word;) words.push_back(word);
  }
  return words;
}

// What real texts have now and then.
void spoil(size_t kind, std::string* text) {
  const size_t middle = text->size() / 2;
  switch (kind) {
    case 0: text->insert(middle, "\xff\xc3\xe2\x82"); break;
    case 1: text->insert(middle, 1, '\0'); break;
    case 2: text->insert(middle, "\xc2\xa0\t  \xe3\x80\x80"); break;
    case 3: text->append(" \r\n\n"); break;
    case 4: text->insert(0, " \xe2\x80\x8b\t"); break;
    default: break;
  }
}

}  // namespace

OpenModel::OpenModel(AlignedBytes file, dragoman_compute compute) : file_(std::move(file)) {
  const dragoman_model_options options = with_compute(compute);
  dragoman_model* model = nullptr;
  dragoman_error error = {};
  const dragoman_code code = dragoman_model_open_memory(file_.span().data(), file_.size(), &options, &model, &error);
  INFO(error.message);
  REQUIRE(code == DRAGOMAN_OK);
  model_.reset(model);
}

OpenModel::OpenModel(const std::string& path, dragoman_compute compute) {
  const dragoman_model_options options = with_compute(compute);
  dragoman_model* model = nullptr;
  dragoman_error error = {};
  const dragoman_code code = dragoman_model_open(path.c_str(), &options, &model, &error);
  INFO(error.message);
  REQUIRE(code == DRAGOMAN_OK);
  model_.reset(model);
}

SessionHandle OpenModel::session(const dragoman_session_options& options, std::span<std::byte> block) const {
  dragoman_session* session = nullptr;
  dragoman_error error = {};
  const dragoman_code code =
      dragoman_session_create(model_.get(), &options, block.data(), block.size(), &session, &error);
  INFO(error.message);
  REQUIRE(code == DRAGOMAN_OK);
  return SessionHandle(session);
}

dragoman_memory OpenModel::required(const dragoman_session_options& options) const {
  dragoman_memory memory = {};
  dragoman_error error = {};
  const dragoman_code code = dragoman_required_memory(model_.get(), &options, &memory, &error);
  INFO(error.message);
  REQUIRE(code == DRAGOMAN_OK);
  return memory;
}

dragoman_session_options batch_options(uint32_t max_batch, uint32_t threads) {
  dragoman_session_options options = dragoman_default_session_options();
  options.max_batch = max_batch;
  options.threads = threads;
  return options;
}

std::string KeptInput::text() const {
  std::string text;
  for (const KeptSegment& segment : segments) text += segment.gap + segment.text;
  return text + gap_after;
}

dragoman_sink KeepingSink::sink() { return {this, on_segment, on_end}; }

bool KeepingSink::on_segment(void* user, const dragoman_segment* segment) {
  auto* self = static_cast<KeepingSink*>(user);
  if (self->calls_++ == self->cancel_at_) return false;
  self->in_order_ = self->in_order_ && segment->input == self->inputs_.size();
  KeptSegment kept;
  kept.source_begin = segment->source_begin;
  kept.source_end = segment->source_end;
  kept.text.assign(segment->text, segment->text_bytes);
  if (segment->gap_before_bytes > 0) kept.gap.assign(segment->gap_before, segment->gap_before_bytes);
  kept.source_ids.assign(segment->source_ids, segment->source_ids + segment->num_source_ids);
  kept.ids.assign(segment->ids, segment->ids + segment->num_ids);
  kept.score_bits = std::bit_cast<uint32_t>(segment->score);
  kept.flags = segment->flags;
  kept.num_replaced = segment->num_replaced;
  kept.hypothesis = segment->hypothesis;
  kept.rank_score_bits = std::bit_cast<uint32_t>(segment->rank_score);
  kept.log_probs.assign(segment->log_probs, segment->log_probs + segment->num_ids);
  if (segment->attention != nullptr) {
    kept.attention.assign(segment->attention, segment->attention + segment->num_ids * segment->num_source_ids);
    kept.alignment.assign(segment->alignment, segment->alignment + segment->num_ids);
  }
  self->current_.segments.push_back(std::move(kept));
  return true;
}

bool KeepingSink::on_end(void* user, const dragoman_input_end* end) {
  auto* self = static_cast<KeepingSink*>(user);
  if (self->calls_++ == self->cancel_at_) return false;
  KeptInput& input = self->current_;
  const auto sentences = std::count_if(input.segments.begin(), input.segments.end(),
                                       [](const KeptSegment& segment) { return segment.hypothesis == 0; });
  self->in_order_ =
      self->in_order_ && end->input == self->inputs_.size() && end->num_segments == static_cast<size_t>(sentences);
  if (end->gap_after_bytes > 0) input.gap_after.assign(end->gap_after, end->gap_after_bytes);
  input.flags = end->flags;
  input.num_replaced = end->num_replaced;
  input.score_bits = std::bit_cast<uint32_t>(end->score);
  self->inputs_.push_back(std::exchange(input, {}));
  return true;
}

std::vector<dragoman_text> as_texts(std::span<const std::string> inputs) {
  std::vector<dragoman_text> texts;
  for (const std::string& input : inputs) texts.push_back({input.data(), input.size()});
  return texts;
}

std::vector<KeptInput> translate(dragoman_session* session, std::span<const std::string> inputs,
                                 const dragoman_translate_options* options) {
  const std::vector<dragoman_text> texts = as_texts(inputs);
  KeepingSink keeper;
  const dragoman_sink sink = keeper.sink();
  dragoman_error error = {};
  const dragoman_code code = dragoman_translate(session, texts.data(), texts.size(), options, &sink, &error);
  INFO(error.message);
  REQUIRE(code == DRAGOMAN_OK);
  REQUIRE(keeper.in_order());
  REQUIRE(keeper.inputs().size() == inputs.size());
  return keeper.inputs();
}

std::vector<KeptInput> translate_ids(dragoman_session* session, const std::vector<std::vector<int32_t>>& inputs,
                                     const dragoman_translate_options* options) {
  std::vector<dragoman_ids> ids;
  ids.reserve(inputs.size());
  for (const std::vector<int32_t>& input : inputs) ids.push_back({input.data(), input.size()});
  KeepingSink keeper;
  const dragoman_sink sink = keeper.sink();
  dragoman_error error = {};
  const dragoman_code code = dragoman_translate_ids(session, ids.data(), ids.size(), options, &sink, &error);
  INFO(error.message);
  REQUIRE(code == DRAGOMAN_OK);
  REQUIRE(keeper.in_order());
  REQUIRE(keeper.inputs().size() == inputs.size());
  return keeper.inputs();
}

KeptInput translate_one(dragoman_session* session, const std::string& input,
                        const dragoman_translate_options* options) {
  return translate(session, {&input, 1}, options).front();
}

bool covers(const KeptInput& result, std::string_view input) {
  std::string together;
  size_t at = 0;
  for (const KeptSegment& segment : result.segments) {
    if (segment.source_begin != at + segment.gap.size() || segment.source_end < segment.source_begin) return false;
    if (segment.source_end > input.size()) return false;
    together += segment.gap;
    together += input.substr(segment.source_begin, segment.source_end - segment.source_begin);
    at = segment.source_end;
  }
  return together + result.gap_after == input;
}

std::string random_words(size_t num_words, std::mt19937* random) {
  std::string text;
  for (size_t i = 0; i < num_words; ++i) {
    if (i > 0) text += ' ';
    for (size_t letters = 1 + (*random)() % 4; letters > 0; --letters) {
      text += static_cast<char>('a' + (*random)() % 20);
    }
    if ((*random)() % 12 == 0) text += '.';
  }
  return text;
}

std::vector<size_t> spread_lengths(size_t num_texts, size_t most) {
  std::vector<size_t> lengths;
  for (size_t i = 0; i < num_texts; ++i) {
    const double place = static_cast<double>(i) / static_cast<double>(std::max<size_t>(1, num_texts - 1));
    lengths.push_back(static_cast<size_t>(std::lround(static_cast<double>(most) * place * place * place)));
  }
  return lengths;
}

std::vector<std::string> mixed_texts(size_t num_texts, size_t most, std::span<const std::string> source) {
  std::mt19937 random(7);
  const std::vector<std::string> words = words_of(source);
  std::vector<std::string> texts;
  size_t next = 0;
  for (const size_t length : spread_lengths(num_texts, most)) {
    std::string text;
    if (words.empty()) {
      text = random_words(length, &random);
    } else {
      for (size_t i = 0; i < length; ++i) text += (i > 0 ? " " : "") + words[next++ % words.size()];
    }
    spoil(texts.size() % 13, &text);
    texts.push_back(std::move(text));
  }
  for (size_t i = texts.size(); i > 1; --i) std::swap(texts[i - 1], texts[random() % i]);
  return texts;
}

std::optional<RealModel> find_real_model(std::string* why) {
  RealModel real;
  real.path = std::string(DRAGOMAN_MODELS_DIR) + "/en-pt.drg";
  const std::string text = std::string(DRAGOMAN_SHARED_DIR) + "/text/set1.en";
  if (!std::ifstream(real.path).good()) {
    *why = "no converted model: " + real.path;
    return std::nullopt;
  }
  std::ifstream in(text);
  for (std::string line; std::getline(in, line);) real.sentences.push_back(line);
  if (real.sentences.size() == 500) return real;
  *why = "no text of 500 sentences: " + text;
  return std::nullopt;
}

}  // namespace dragoman::test
