// Replacement rules as the runtime's normalizer applies them: at every place the longest rule that fits, else the
// character stays. Rules can be put together: what one set writes, the next one reads.
// Neighbours: unicode_rules makes sets of Unicode's data, tokenizer_json_rules puts them together.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/status.h"
#include "converter/tokenizer_builder.h"

namespace dragoman::converter {

class NormalizationRules {
 public:
  bool empty() const { return rules_.empty(); }
  size_t size() const { return rules_.size(); }

  // A later rule for the same text wins.
  void add(std::string_view text, std::string_view replacement);

  // All of `text` replaced.
  std::string apply(std::string_view text) const;

  // This set, and `next` over what it writes. Exact but where a rule of `next` would join what stems from two places.
  void append(const NormalizationRules& next);

  // Fills the normalizer's tables; no rule leaves them empty.
  Status store(TokenizerData* data) const;

 private:
  // Length of the longest rule at the start of `text`, 0: none; its replacement.
  size_t match(std::string_view text, const std::string** replacement) const;

  std::map<std::string, std::string> rules_;
  size_t longest_ = 0;
};

// The rules of SentencePiece's compiled map (see SentencePieceModel::precompiled_charsmap).
Result<NormalizationRules> read_charsmap(const std::string& charsmap);

}  // namespace dragoman::converter
