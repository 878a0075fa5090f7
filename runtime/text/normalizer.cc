// The normalizer's loop, written once over a sink: one sink stores bytes, the other only maps positions back.
// Neighbours: normalizer.h; trie walks in double_array.h.
#include "text/normalizer.h"

#include "text/normalizer_sinks.h"
#include "text/utf8.h"

namespace dragoman::text {
namespace {

// No rule of a real model comes near; the bound keeps a damaged trie from walking in circles.
constexpr size_t kMaxRuleBytes = 256;
// The reference looks at no more matches than this at one place.
constexpr size_t kMaxRuleMatches = 32;
constexpr size_t kMaxSymbolMatches = 64;

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

}  // namespace

Normalizer::Normalizer(const TokenizerTables& tables)
    : rules_(tables.normalizer_trie),
      user_symbols_(tables.user_trie),
      replacements_(tables.normalizer_bytes.data(), tables.normalizer_bytes.size()),
      space_(tables.escape_whitespaces ? kEscapedSpace : std::string_view(" ")),
      prefix_space_(tables.add_dummy_prefix && !tables.whitespace_as_suffix),
      suffix_space_(tables.add_dummy_prefix && tables.whitespace_as_suffix),
      fold_spaces_(tables.remove_extra_whitespaces),
      space_rules_(tables.space_rules) {
  for (size_t i = 0; i < tables.num_pieces(); ++i) {
    const size_t bytes = tables.piece_offsets[i + 1] - tables.piece_offsets[i];
    if (tables.piece_types[i] == static_cast<uint8_t>(PieceType::kUser) && bytes > max_symbol_bytes_) {
      max_symbol_bytes_ = bytes;
    }
  }
  for (unsigned byte = 0; byte < 128; ++byte) plain_[byte] = is_plain(static_cast<unsigned char>(byte));
}

bool Normalizer::is_plain(unsigned char byte) const {
  if (!user_symbols_.empty() && user_symbols_.step(DoubleArray::kRoot, byte) != DoubleArray::kNone) return false;
  if (rules_.empty()) return true;
  const uint32_t unit = rules_.step(DoubleArray::kRoot, byte);
  if (unit == DoubleArray::kNone) return true;
  if (rules_.value(unit) != DoubleArray::kNone) return false;
  for (unsigned follower = 0; follower < 128; ++follower) {
    if (rules_.step(unit, static_cast<unsigned char>(follower)) != DoubleArray::kNone) return false;
  }
  return true;
}

size_t longest_user_symbol(const DoubleArray& symbols, std::string_view text) {
  if (symbols.empty()) return 0;
  size_t longest = 0;
  size_t matches = 0;
  uint32_t unit = DoubleArray::kRoot;
  for (size_t i = 0; i < text.size() && matches < kMaxSymbolMatches; ++i) {
    unit = symbols.step(unit, static_cast<unsigned char>(text[i]));
    if (unit == DoubleArray::kNone) break;
    if (symbols.value(unit) == DoubleArray::kNone) continue;
    longest = i + 1;
    ++matches;
  }
  return longest;
}

Normalizer::Prefix Normalizer::apply_rule(std::string_view text, size_t at) const {
  Prefix prefix;
  if (rules_.empty()) return prefix;
  uint32_t value = DoubleArray::kNone;
  size_t matches = 0;
  const size_t end = text.size() - at < kMaxRuleBytes ? text.size() : at + kMaxRuleBytes;
  uint32_t unit = DoubleArray::kRoot;
  for (size_t i = at; i < end && matches < kMaxRuleMatches; ++i) {
    unit = rules_.step(unit, static_cast<unsigned char>(text[i]));
    if (unit == DoubleArray::kNone) break;
    const uint32_t found = rules_.value(unit);
    if (found == DoubleArray::kNone) continue;
    value = found;
    prefix.consumed = i + 1 - at;
    ++matches;
  }
  // check_tables() proved that value < size and that the last byte is NUL.
  if (prefix.consumed != 0) prefix.output = std::string_view(replacements_.data() + value);
  return prefix;
}

Normalizer::Prefix Normalizer::next(std::string_view text, size_t at) const {
  const size_t bytes = longest_user_symbol(user_symbols_, text.substr(at, max_symbol_bytes_));
  if (bytes != 0) return {text.substr(at, bytes), bytes};
  if (const Prefix prefix = apply_rule(text, at); prefix.consumed != 0) return prefix;
  const Decoded character = decode_one(text, at);
  if (!character.valid) return {kReplacement, 1};
  return {text.substr(at, character.bytes), character.bytes};
}

size_t Normalizer::skip_leading_spaces(std::string_view text) const {
  size_t at = 0;
  while (fold_spaces_ && at < text.size()) {
    const Prefix prefix = next(text, at);
    if (prefix.output != " ") break;
    at += prefix.consumed;
  }
  return at;
}

template <typename Sink>
bool Normalizer::put(const Prefix& prefix, size_t at, bool& after_space, Sink& sink) const {
  std::string_view rest = prefix.output;
  while (after_space && rest.starts_with(' ')) rest.remove_prefix(1);
  if (!rest.empty()) after_space = rest.ends_with(' ');
  while (!rest.empty()) {
    const size_t stop = rest.find(' ');
    if (stop == 0) {
      if (!sink.write(space_, at)) return false;
      rest.remove_prefix(1);
      continue;
    }
    const std::string_view run = rest.substr(0, stop);
    if (!sink.write(run, at)) return false;
    rest.remove_prefix(run.size());
  }
  return true;
}

size_t Normalizer::plain_run(std::string_view text, size_t at) const {
  size_t end = at;
  while (end < text.size()) {
    const unsigned char byte = static_cast<unsigned char>(text[end]);
    if (byte >= 0x80 || !plain_[byte] || byte == ' ') break;
    ++end;
  }
  // A rule may join the last one with what follows it.
  if (end > at && end < text.size() && static_cast<unsigned char>(text[end]) >= 0x80) --end;
  return end - at;
}

template <typename Sink>
bool Normalizer::run(std::string_view text, Sink& sink) const {
  size_t at = skip_leading_spaces(text);
  if (at == text.size()) return true;
  if (prefix_space_ && !sink.write(space_, at)) return false;
  bool after_space = fold_spaces_;
  while (at < text.size()) {
    if (const size_t bytes = plain_run(text, at); bytes != 0) {
      if (!sink.copy(text.substr(at, bytes), at)) return false;
      after_space = false;
      at += bytes;
      continue;
    }
    const Prefix prefix = next(text, at);
    if (!put(prefix, at, after_space, sink)) return false;
    if (!fold_spaces_) after_space = false;
    at += prefix.consumed;
  }
  if (fold_spaces_) sink.trim(space_);
  if constexpr (requires { sink.finish(at); }) sink.finish(at);
  return !suffix_space_ || sink.write(space_, at);
}

bool Normalizer::normalize(std::string_view text, std::span<char> out, size_t& out_bytes) const {
  ByteSink sink(out);
  const bool fits = run(text, sink);
  out_bytes = sink.size();
  return fits;
}

void Normalizer::map_to_source(std::string_view text, std::span<uint32_t> positions) const {
  PositionSink sink(positions);
  run(text, sink);
}

}  // namespace dragoman::text
