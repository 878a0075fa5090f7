#include "tests/unit/pipeline/multilingual_model.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/translation.h"

namespace dragoman::test {
namespace {

bool keep(void* user, const dragoman_segment* segment) {
  auto* kept = static_cast<KeptCall*>(user);
  kept->sources.emplace_back(segment->source_ids, segment->source_ids + segment->num_source_ids);
  kept->ids.emplace_back(segment->ids, segment->ids + segment->num_ids);
  kept->log_probs.emplace_back(segment->log_probs, segment->log_probs + segment->num_ids);
  kept->gaps.emplace_back(segment->gap_before, segment->gap_before_bytes);
  kept->flags.push_back(segment->flags);
  kept->source_language = segment->source_language;
  kept->target_language = segment->target_language;
  return true;
}

}  // namespace

dragoman_sink sink_of(KeptCall* kept) { return {kept, keep, nullptr}; }

dragoman_translate_options options_for(const Languages& languages) {
  dragoman_translate_options options = dragoman_default_translate_options();
  options.source_language = languages.from;
  options.target_language = languages.to;
  return options;
}

Ids joined(Ids before, const Ids& text, const Ids& after) {
  before.insert(before.end(), text.begin(), text.end());
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

MultilingualModel::MultilingualModel(const std::string& name, converter::ConvertOptions options,
                                     uint32_t max_source_tokens) {
  if (options.input.empty()) options.input = std::string(DRAGOMAN_MULTILINGUAL_DIR) + "/" + name;
  options.output = folder_.path("out.drg");
  options.weight_type = converter::WeightType::kF32;
  const auto report = converter::convert(options);
  INFO(report.status().message());
  REQUIRE(report.ok());
  notes_ = report.value().notes;
  dragoman_error error = {};
  REQUIRE(dragoman_model_open(options.output.c_str(), nullptr, &model_, &error) == DRAGOMAN_OK);
  dragoman_session_options session = dragoman_default_session_options();
  session.max_source_tokens = max_source_tokens;
  session.max_target_tokens = 24;
  session.max_batch = 3;
  session.full_logits = true;
  REQUIRE(dragoman_session_create(model_, &session, nullptr, 0, &session_, &error) == DRAGOMAN_OK);
}

MultilingualModel::~MultilingualModel() {
  dragoman_session_destroy(session_);
  dragoman_model_close(model_);
}

KeptCall MultilingualModel::translate(const std::vector<std::string>& texts, const Languages& languages) const {
  KeptCall kept;
  const std::vector<dragoman_text> inputs = as_texts(texts);
  const dragoman_translate_options options = options_for(languages);
  const dragoman_sink sink = sink_of(&kept);
  dragoman_error error = {};
  kept.code = dragoman_translate(session_, inputs.data(), inputs.size(), &options, &sink, &error);
  kept.message = error.message;
  return kept;
}

KeptCall MultilingualModel::score(const std::string& source, const std::string& target,
                                  const Languages& languages) const {
  KeptCall kept;
  const dragoman_text from = {source.data(), source.size()};
  const dragoman_text to = {target.data(), target.size()};
  const dragoman_translate_options options = options_for(languages);
  const dragoman_sink sink = sink_of(&kept);
  dragoman_error error = {};
  kept.code = dragoman_score(session_, &from, &to, 1, &options, &sink, &error);
  kept.message = error.message;
  return kept;
}

int32_t MultilingualModel::token(const char* name) const {
  dragoman_language language = {};
  dragoman_error error = {};
  const dragoman_code code = dragoman_find_language(model_, DRAGOMAN_TARGET, name, &language, &error);
  INFO(error.message);
  REQUIRE(code == DRAGOMAN_OK);
  return language.token;
}

Ids MultilingualModel::tokenize(const std::string& text) const {
  Ids ids(256);
  size_t count = 0;
  REQUIRE(dragoman_tokenize(model_, DRAGOMAN_SOURCE, text.data(), text.size(), ids.data(), ids.size(), &count,
                            nullptr) == DRAGOMAN_OK);
  ids.resize(count);
  return ids;
}

}  // namespace dragoman::test
