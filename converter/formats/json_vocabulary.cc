// Neighbours: json_vocabulary.h.
#include "converter/formats/json_vocabulary.h"

#include <nlohmann/json.hpp>

namespace dragoman::converter {
namespace {

using nlohmann::json;

constexpr size_t kMaxTokens = size_t{1} << 24;

// Receives "token": id pairs one by one.
class Pairs final : public nlohmann::json_sax<json> {
 public:
  std::vector<std::pair<std::string, uint64_t>> pairs;

  bool start_object(size_t) override { return depth_++ == 0; }
  bool end_object() override { return true; }
  bool key(string_t& value) override {
    key_ = value;
    return pairs.size() < kMaxTokens;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (depth_ != 1) return false;
    pairs.emplace_back(key_, value);
    return true;
  }
  bool null() override { return false; }
  bool boolean(bool) override { return false; }
  bool number_integer(number_integer_t) override { return false; }
  bool number_float(number_float_t, const string_t&) override { return false; }
  bool string(string_t&) override { return false; }
  bool binary(binary_t&) override { return false; }
  bool start_array(size_t) override { return false; }
  bool end_array() override { return false; }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  int depth_ = 0;
  std::string key_;
};

}  // namespace

Result<std::vector<std::string>> read_json_vocabulary(std::span<const std::byte> bytes, const std::string& path) {
  const char* text = reinterpret_cast<const char*>(bytes.data());
  Pairs events;
  if (!json::sax_parse(text, text + bytes.size(), &events) || events.pairs.empty()) {
    return Status::error(Code::kDamaged, "%s: not one JSON object of tokens and ids (after %zu tokens)", path.c_str(),
                         events.pairs.size());
  }
  std::vector<std::string> tokens(events.pairs.size());
  std::vector<bool> seen(tokens.size(), false);
  for (auto& [token, id] : events.pairs) {
    if (id >= tokens.size() || seen[id]) {
      return Status::error(Code::kDamaged, "%s: '%.80s' has id %llu: ids have to be 0 to %zu, each once", path.c_str(),
                           token.c_str(), static_cast<unsigned long long>(id), tokens.size() - 1);
    }
    seen[id] = true;
    tokens[id] = std::move(token);
  }
  return tokens;
}

}  // namespace dragoman::converter
