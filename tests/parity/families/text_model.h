// A session of a converted multilingual model that translates texts, languages chosen by name, in f32.
// Neighbours: test_multilingual.cc, and the CTranslate2 folders of the same models.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "dragoman/dragoman.h"
#include "tests/parity/families/recording.h"

namespace dragoman::test {

// One translation from text.
struct FromText {
  Ids source, ids;
  float rank_score = 0;
  std::string source_language, target_language;
};

inline bool keep_from_text(void* user, const dragoman_segment* segment) {
  auto* kept = static_cast<FromText*>(user);
  kept->source.assign(segment->source_ids, segment->source_ids + segment->num_source_ids);
  kept->ids.assign(segment->ids, segment->ids + segment->num_ids);
  kept->rank_score = segment->rank_score;
  kept->source_language = segment->source_language;
  kept->target_language = segment->target_language;
  return true;
}

// A session of a converted model that translates texts.
class TextModel {
 public:
  explicit TextModel(const std::string& path) {
    dragoman_model_options options = dragoman_default_model_options();
    options.compute = DRAGOMAN_COMPUTE_F32;
    dragoman_error error = {};
    const dragoman_code opened = dragoman_model_open(path.c_str(), &options, &model_, &error);
    INFO(path << ": " << error.message);
    REQUIRE(opened == DRAGOMAN_OK);
    dragoman_session_options session = dragoman_default_session_options();
    session.max_beam = 4;
    session.max_target_tokens = kNewTokens;
    const dragoman_code created = dragoman_session_create(model_, &session, nullptr, 0, &session_, &error);
    INFO(path << ": " << error.message);
    REQUIRE(created == DRAGOMAN_OK);
  }
  ~TextModel() {
    dragoman_session_destroy(session_);
    dragoman_model_close(model_);
  }
  TextModel(const TextModel&) = delete;
  TextModel& operator=(const TextModel&) = delete;

  // A null JSON value names no language.
  dragoman_code translate(const std::string& text, const nlohmann::json& from, const nlohmann::json& to, uint32_t beam,
                          FromText* kept) {
    const std::string source = from.is_null() ? "" : from.get<std::string>();
    const std::string target = to.is_null() ? "" : to.get<std::string>();
    dragoman_translate_options options = dragoman_default_translate_options();
    options.beam = beam;
    options.max_length = kNewTokens;
    options.max_length_factor = 1000;
    options.one_sentence_per_input = true;
    options.source_language = from.is_null() ? nullptr : source.c_str();
    options.target_language = to.is_null() ? nullptr : target.c_str();
    const dragoman_text input = {text.data(), text.size()};
    const dragoman_sink sink = {kept, keep_from_text, nullptr};
    return dragoman_translate(session_, &input, 1, &options, &sink, &error_);
  }
  // Ids that are taken as they are; a null target names none. Greedy.
  dragoman_code translate_ids(const Ids& source, const char* to, FromText* kept) {
    dragoman_translate_options options = dragoman_default_translate_options();
    options.beam = 1;
    options.max_length = kNewTokens;
    options.max_length_factor = 1000;
    options.target_language = to;
    const dragoman_ids input = {source.data(), source.size()};
    const dragoman_sink sink = {kept, keep_from_text, nullptr};
    return dragoman_translate_ids(session_, &input, 1, &options, &sink, &error_);
  }
  const char* message() const { return error_.message; }

 private:
  dragoman_model* model_ = nullptr;
  dragoman_session* session_ = nullptr;
  dragoman_error error_ = {};
};

}  // namespace dragoman::test
