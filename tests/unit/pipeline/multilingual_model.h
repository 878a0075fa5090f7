// A multilingual tiny model with one session, used through the C interface: languages chosen by name, results kept.
// Neighbours: tests of languages; tests/data/multilingual has the models.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "converter/converter.h"
#include "dragoman/dragoman.h"
#include "tests/support/temporary_folder.h"

namespace dragoman::test {

using Ids = std::vector<int32_t>;

struct Languages {
  const char* from = nullptr;
  const char* to = nullptr;
};

// The defaults, with these languages.
dragoman_translate_options options_for(const Languages& languages);

// What came of a call: one entry for each segment.
struct KeptCall {
  dragoman_code code = DRAGOMAN_OK;
  std::string message;
  std::vector<Ids> sources, ids;
  std::vector<std::vector<float>> log_probs;
  std::vector<std::string> gaps;
  std::vector<uint32_t> flags;
  std::string source_language, target_language;  // of the last segment
};

// `before`, `text` and `after` in one list.
Ids joined(Ids before, const Ids& text, const Ids& after);

// A model of tests/data/multilingual, or of `options.input`, converted and opened. Fails the test when that does not
// work.
class MultilingualModel {
 public:
  explicit MultilingualModel(const std::string& name, converter::ConvertOptions options = {},
                             uint32_t max_source_tokens = 64);
  ~MultilingualModel();
  MultilingualModel(const MultilingualModel&) = delete;
  MultilingualModel& operator=(const MultilingualModel&) = delete;

  const dragoman_model* get() const { return model_; }
  dragoman_session* session() const { return session_; }
  const std::vector<std::string>& notes() const { return notes_; }

  KeptCall translate(const std::vector<std::string>& texts, const Languages& languages) const;
  KeptCall score(const std::string& source, const std::string& target, const Languages& languages) const;

  // The id of a token, by the languages' list.
  int32_t token(const char* name) const;
  // Ids of a text alone.
  Ids tokenize(const std::string& text) const;

 private:
  TemporaryFolder folder_;
  std::vector<std::string> notes_;
  dragoman_model* model_ = nullptr;
  dragoman_session* session_ = nullptr;
};

// A sink that keeps segments in *kept.
dragoman_sink sink_of(KeptCall* kept);

}  // namespace dragoman::test
