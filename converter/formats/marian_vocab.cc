// Reads YAML by events rather than as a document: keys stay strings, and nothing is looked up twice.
// Neighbours: marian_vocab.h.
#include "converter/formats/marian_vocab.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <unordered_set>
#include <utility>

namespace dragoman::converter {
namespace {

constexpr size_t kMaxTokens = size_t{1} << 24;

// Takes scalars of the outermost collection as they come; remembers the first thing that does not belong there.
class Collector : public YAML::EventHandler {
 public:
  explicit Collector(std::string_view text) : text_(text) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse(mark, "an alias"); }
  void OnMapEnd() override { --depth_; }
  void OnSequenceEnd() override { --depth_; }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    enter(mark, true);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    enter(mark, false);
  }

  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t, const std::string& value) override {
    add(mark, value);
  }

  // The parser takes a plain `~` or `null` for no value and drops the spelling: it is read again from the text.
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    const std::string_view rest = text_.substr(std::min(static_cast<size_t>(std::max(mark.pos, 0)), text_.size()));
    for (const std::string_view spelling : {"~", "null", "Null", "NULL"}) {
      if (rest.starts_with(spelling)) return add(mark, std::string(spelling));
    }
    refuse(mark, "an empty entry");
  }

  bool is_map() const { return is_map_; }
  const std::vector<std::string>& scalars() const { return scalars_; }
  const Status& status() const { return status_; }

 private:
  void enter(const YAML::Mark& mark, bool is_map) {
    if (depth_++ != 0) return refuse(mark, "a nested collection");
    is_map_ = is_map;
  }

  void add(const YAML::Mark& mark, const std::string& value) {
    if (depth_ != 1) return refuse(mark, "a text outside the mapping");
    scalars_.push_back(value);
  }

  void refuse(const YAML::Mark& mark, const char* what) {
    if (status_.ok()) status_ = Status::error(Code::kDamaged, "vocabulary line %d: found %s", mark.line + 1, what);
  }

  std::string_view text_;
  int depth_ = 0;
  bool is_map_ = false;
  std::vector<std::string> scalars_;
  Status status_;
};

Status place(const std::string& token, const std::string& id_text, std::vector<std::string>& tokens,
             std::vector<bool>& seen) {
  size_t id = 0;
  const char* end = id_text.data() + id_text.size();
  const auto [stop, error] = std::from_chars(id_text.data(), end, id);
  if (error != std::errc() || stop != end) {
    return Status::error(Code::kDamaged, "vocabulary token '%.60s': id '%.60s' is no number", token.c_str(),
                         id_text.c_str());
  }
  if (id >= tokens.size()) {
    return Status::error(Code::kDamaged, "vocabulary token '%.60s': id %zu, but there are %zu tokens", token.c_str(),
                         id, tokens.size());
  }
  if (seen[id])
    return Status::error(Code::kDamaged, "vocabulary token '%.60s': id %zu is given twice", token.c_str(), id);
  seen[id] = true;
  tokens[id] = token;
  return Status();
}

Result<MarianVocab> assemble(const Collector& collector) {
  DRAGOMAN_RETURN_IF_ERROR(collector.status());
  const std::vector<std::string>& scalars = collector.scalars();
  MarianVocab vocab;
  if (collector.is_map()) {
    vocab.tokens.resize(scalars.size() / 2);
    std::vector<bool> seen(vocab.tokens.size());
    for (size_t i = 0; i + 1 < scalars.size(); i += 2) {
      DRAGOMAN_RETURN_IF_ERROR(place(scalars[i], scalars[i + 1], vocab.tokens, seen));
    }
  } else {
    vocab.tokens = scalars;
  }
  if (vocab.tokens.size() > kMaxTokens)
    return Status::error(Code::kUnsupported, "vocabulary of %zu tokens", vocab.tokens.size());
  std::unordered_set<std::string_view> distinct;
  for (size_t id = 0; id < vocab.tokens.size(); ++id) {
    const std::string& token = vocab.tokens[id];
    if (token.empty()) return Status::error(Code::kDamaged, "vocabulary id %zu: the token is empty", id);
    if (!distinct.insert(token).second) {
      return Status::error(Code::kDamaged, "vocabulary token '%.60s' stands twice", token.c_str());
    }
    if (token == "</s>") vocab.end_id = static_cast<int32_t>(id);
    if (token == "<unk>") vocab.unknown_id = static_cast<int32_t>(id);
  }
  if (vocab.end_id < 0) return Status::error(Code::kDamaged, "vocabulary: no token '</s>'");
  if (vocab.unknown_id < 0) return Status::error(Code::kDamaged, "vocabulary: no token '<unk>'");
  return vocab;
}

}  // namespace

Result<MarianVocab> read_marian_vocab(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    Collector collector(text);
    if (!parser.HandleNextDocument(collector)) return Status::error(Code::kDamaged, "vocabulary: no YAML document");
    return assemble(collector);
  } catch (const YAML::Exception& error) {
    return Status::error(Code::kDamaged, "vocabulary line %d: %s", error.mark.line + 1, error.msg.c_str());
  }
}

}  // namespace dragoman::converter
