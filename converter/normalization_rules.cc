// Neighbours: normalization_rules.h; the map's format is checked by split_charsmap().
#include "converter/normalization_rules.h"

#include <algorithm>
#include <unordered_map>

#include "converter/double_array_builder.h"
#include "text/double_array.h"
#include "text/utf8.h"

namespace dragoman::converter {
namespace {

constexpr size_t kMaxRuleBytes = 256;  // the runtime looks no further
constexpr size_t kMaxRules = size_t{1} << 21;

size_t character_bytes(std::string_view text) { return text::decode_one(text, 0).bytes; }

// Reads every key of a double array. Keys share units where they end alike, and a damaged array may hold cycles: the
// number of steps is limited.
class KeyWalk {
 public:
  KeyWalk(const TokenizerData& data, NormalizationRules* rules)
      : trie_(data.normalizer_trie), replacements_(data.normalizer_bytes), rules_(*rules) {}

  bool walk(uint32_t unit) {
    if (left_ == 0 || key_.size() > kMaxRuleBytes) return false;
    --left_;
    if (const uint32_t value = trie_.value(unit); value != text::DoubleArray::kNone && !key_.empty()) {
      rules_.add(key_, replacements_.data() + value);
    }
    for (int byte = 1; byte < 256; ++byte) {
      const uint32_t child = trie_.step(unit, static_cast<unsigned char>(byte));
      if (child == text::DoubleArray::kNone) continue;
      key_.push_back(static_cast<char>(byte));
      if (!walk(child)) return false;
      key_.pop_back();
    }
    return true;
  }

 private:
  text::DoubleArray trie_;
  std::string_view replacements_;
  size_t left_ = kMaxRules;
  NormalizationRules& rules_;
  std::string key_;
};

}  // namespace

void NormalizationRules::add(std::string_view text, std::string_view replacement) {
  rules_[std::string(text)] = replacement;
  longest_ = std::max(longest_, text.size());
}

size_t NormalizationRules::match(std::string_view text, const std::string** replacement) const {
  // The rules that begin like the text stand together; longer keys come after shorter ones.
  size_t longest = 0;
  const size_t most = std::min(text.size(), longest_);
  for (size_t bytes = 1; bytes <= most; ++bytes) {
    const auto at = rules_.lower_bound(std::string(text.substr(0, bytes)));
    if (at == rules_.end() || !std::string_view(at->first).starts_with(text.substr(0, bytes))) break;
    if (at->first.size() != bytes) continue;
    longest = bytes;
    *replacement = &at->second;
  }
  return longest;
}

std::string NormalizationRules::apply(std::string_view text) const {
  std::string result;
  while (!text.empty()) {
    const std::string* replacement = nullptr;
    size_t bytes = match(text, &replacement);
    if (bytes == 0) {
      bytes = character_bytes(text);
      result += text.substr(0, bytes);
    } else {
      result += *replacement;
    }
    text.remove_prefix(bytes);
  }
  return result;
}

void NormalizationRules::append(const NormalizationRules& next) {
  std::map<std::string, std::string> joined;
  for (const auto& [text, replacement] : rules_) joined[text] = next.apply(replacement);
  for (const auto& [text, replacement] : next.rules_) {
    if (apply(text) == text) joined.emplace(text, replacement);
  }
  rules_ = std::move(joined);
  longest_ = std::max(longest_, next.longest_);
}

Status NormalizationRules::store(TokenizerData* data) const {
  if (rules_.empty()) return Status();
  if (rules_.size() > kMaxRules) return Status::error(Code::kLimit, "normalizer: more than %zu rules", kMaxRules);
  std::vector<std::pair<std::string, uint32_t>> keys;
  std::unordered_map<std::string, uint32_t> offsets;
  for (const auto& [text, replacement] : rules_) {
    if (text.size() > kMaxRuleBytes || text.find('\0') != std::string::npos ||
        replacement.find('\0') != std::string::npos) {
      return Status::error(Code::kUnsupported, "normalizer: a rule of %zu bytes, or with a NUL character", text.size());
    }
    const auto [at, is_new] = offsets.emplace(replacement, static_cast<uint32_t>(data->normalizer_bytes.size()));
    if (is_new) data->normalizer_bytes.append(replacement).push_back('\0');
    keys.emplace_back(text, at->second);
  }
  DRAGOMAN_ASSIGN_OR_RETURN(data->normalizer_trie, build_double_array(std::move(keys)));
  return Status();
}

Result<NormalizationRules> read_charsmap(const std::string& charsmap) {
  TokenizerData data;
  DRAGOMAN_RETURN_IF_ERROR(split_charsmap(charsmap, data));
  NormalizationRules rules;
  if (data.normalizer_trie.empty()) return rules;
  if (!KeyWalk(data, &rules).walk(text::DoubleArray::kRoot)) {
    return Status::error(Code::kDamaged, "normalization map: its trie has no end, or more than 2 million nodes");
  }
  return rules;
}

}  // namespace dragoman::converter
