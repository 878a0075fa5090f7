// Neighbours: normalization_rules.h; the map's format is checked by split_charsmap().
#include "converter/normalization_rules.h"

#include <algorithm>
#include <unordered_map>

#include "converter/characters.h"
#include "converter/double_array_builder.h"

namespace dragoman::converter {
namespace {

constexpr size_t kMaxRuleBytes = 256;  // the runtime looks no further
constexpr size_t kMaxRules = size_t{1} << 21;

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
      bytes = first_character(text).bytes;
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
  DRAGOMAN_ASSIGN_OR_RETURN(const auto keys, list_double_array(data.normalizer_trie, kMaxRuleBytes));
  for (const auto& [text, offset] : keys) rules.add(text, data.normalizer_bytes.c_str() + offset);
  return rules;
}

}  // namespace dragoman::converter
