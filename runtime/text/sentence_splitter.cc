#include "text/sentence_splitter.h"

#include "text/char_class.h"
#include "text/full_stop.h"
#include "text/stops.h"
#include "text/utf8.h"

namespace dragoman::text {

namespace {

size_t trim_blanks(std::string_view text, size_t begin, size_t end) {
  while (end > begin) {
    const Decoded c = decode_before(text, end);
    if (!is_blank(c.code_point)) break;
    end -= c.bytes;
  }
  return end;
}

// French sets a space before a closing guillemet: "Oui. » Il...". Returns the end of such a closing mark after one
// space behind the cluster, or the cluster's end. A mark that touches the next word opens it instead.
size_t end_with_spaced_closer(std::string_view text, const StopCluster& cluster, bool open_quote) {
  if (cluster.end == text.size()) return cluster.end;
  const Decoded space = decode_one(text, cluster.end);
  const size_t at = cluster.end + space.bytes;
  if (!is_white_space(space.code_point) || is_line_break(space.code_point) || at == text.size()) return cluster.end;
  const Decoded mark = decode_one(text, at);
  const bool quote_closes = mark.code_point == '"' && open_quote != (cluster.num_quotes % 2 == 1);
  if (!is_closer(mark.code_point) && !quote_closes) return cluster.end;
  const size_t end = at + mark.bytes;
  return end == text.size() || is_blank(decode_one(text, end).code_point) ? end : cluster.end;
}

bool has_line_break(std::string_view text, size_t begin, size_t end) {
  while (begin < end) {
    const Decoded c = decode_one(text, begin);
    if (is_line_break(c.code_point)) return true;
    begin += c.bytes;
  }
  return false;
}

bool is_ascii_word(char32_t c) { return c < 0x80 && (is_letter(c) || is_digit(c)); }

// Japanese goes on after a quotation or a question mark with a particle: to, tte, no, wo, ga.
bool is_particle(std::string_view text, size_t at) {
  const Decoded c = decode_one(text, at);
  const size_t after = at + c.bytes;
  const char32_t second = after < text.size() ? decode_one(text, after).code_point : 0;
  if (c.code_point == 0x3068) return second != 0x3066 && second != 0x3053;  // not "totemo", "tokoro"
  return (c.code_point == 0x3063 && second == 0x3066) || c.code_point == 0x306E || c.code_point == 0x3092 ||
         c.code_point == 0x304C;
}

// No white space after the cluster: only scripts written without spaces, and stops of their own, end a sentence.
bool ends_without_space(std::string_view text, const StopCluster& cluster) {
  const char32_t before = cluster.first == 0 ? 0 : decode_before(text, cluster.first).code_point;
  const char32_t stop = decode_one(text, cluster.first).code_point;
  const char32_t after = decode_one(text, cluster.end).code_point;
  if (cluster.kind != Stop::kStrong) {
    return cluster.kind != Stop::kEllipsis && is_cjk(before) && is_cjk(after) && !is_particle(text, cluster.end);
  }
  if (is_continuation(after)) return false;
  const bool wide_dot = stop == 0x3002 || stop == 0xFF0E || stop == 0xFF61;
  if (wide_dot && (is_ascii_word(before) || is_digit(before)) && (is_ascii_word(after) || is_digit(after)))
    return false;
  return (wide_dot && cluster.num_closers == 0) || !is_particle(text, cluster.end);
}

// One of the caller's abbreviations covers the stop at `at`.
bool covers(std::string_view abbreviation, std::string_view text, size_t begin, size_t at) {
  for (size_t k = 0; k <= abbreviation.size() && k <= at - begin; ++k) {
    const size_t start = at - k;
    if (k < abbreviation.size() ? abbreviation[k] != text[at] : abbreviation.empty() || text[at] != '.') continue;
    if (text.substr(start, abbreviation.size()) != abbreviation) continue;
    if (start == begin) return true;
    const char32_t before = decode_before(text, start).code_point;
    if (!is_letter(before) && !is_digit(before) && !is_mark(before)) return true;
  }
  return false;
}

bool covered_by_any(std::span<const std::string_view> list, std::string_view text, size_t begin, size_t at) {
  for (std::string_view abbreviation : list) {
    if (covers(abbreviation, text, begin, at)) return true;
  }
  return false;
}

}  // namespace

SentenceSplitter::SentenceSplitter(const SplitOptions& options)
    : rules_(&rules_for(options.language)),
      extra_abbreviations_(options.extra_abbreviations),
      enabled_(options.enabled) {}

bool SentenceSplitter::ends_sentence(std::string_view text, size_t begin, const StopCluster& cluster) const {
  bool has_space;
  const size_t after = skip_blanks(text, cluster.end, &has_space);
  if (after == text.size() || has_line_break(text, cluster.end, after)) return true;
  if (after == cluster.end) return ends_without_space(text, cluster);
  if (!has_space && cluster.kind != Stop::kStrong) return false;
  const Following following = read_following(text, after);
  if (following.kind == Follow::kContinuation) return false;
  if (cluster.num_stops == 1 && covered_by_any(extra_abbreviations_, text, begin, cluster.first)) return false;
  if (cluster.kind == Stop::kStrong) return true;
  if (following.kind == Follow::kLower) return false;
  if (cluster.kind != Stop::kDot || cluster.num_stops > 1) return true;
  return full_stop_ends_sentence(text, {begin, cluster.first, following}, *rules_);
}

Sentence SentenceSplitter::next(std::string_view text, size_t position) const {
  bool has_space;
  const size_t begin = skip_blanks(text, position, &has_space);
  bool open_quote = false;
  for (size_t at = begin; enabled_ && at < text.size();) {
    const Decoded c = decode_one(text, at);
    if (is_line_break(c.code_point)) {
      return {begin, trim_blanks(text, begin, at), skip_blanks(text, at, &has_space)};
    }
    if (stop_at(text, at, c.code_point) == Stop::kNone) {
      open_quote ^= c.code_point == '"';
      at += c.bytes;
      continue;
    }
    StopCluster cluster = read_cluster(text, at, open_quote);
    at = cluster.end;
    cluster.end = end_with_spaced_closer(text, cluster, open_quote);
    if (ends_sentence(text, begin, cluster)) {
      return {begin, cluster.end, skip_blanks(text, cluster.end, &has_space)};
    }
    open_quote ^= cluster.num_quotes % 2 == 1;
  }
  return {begin, trim_blanks(text, begin, text.size()), text.size()};
}

}  // namespace dragoman::text
