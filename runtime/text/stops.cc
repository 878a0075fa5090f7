#include "text/stops.h"

#include <algorithm>
#include <iterator>

#include "text/char_class.h"
#include "text/utf8.h"

namespace dragoman::text {

namespace {

// Property Sentence_Terminal (Unicode PropList.txt) without the ASCII marks, for scripts in present use, and the
// presentation forms of the full-width marks.
constexpr char32_t kStrongStops[] = {0x589,  0x61F,  0x6D4,  0x700,  0x701,  0x702,  0x7F9,  0x964,  0x965,
                                     0xDF4,  0xF0E,  0x104B, 0x1362, 0x1367, 0x1368, 0x17D4, 0x17D5, 0x1803,
                                     0x1809, 0x1C7E, 0x1C7F, 0x3002, 0xA4FF, 0xA9C8, 0xA9C9, 0xABEB, 0xFE12,
                                     0xFE15, 0xFE16, 0xFE52, 0xFE56, 0xFE57, 0xFF01, 0xFF0E, 0xFF1F, 0xFF61};

bool follows_greek(std::string_view text, size_t at) {
  return at > 0 && script_of(decode_before(text, at).code_point) == Script::kGreek;
}

// Invisible marks of text direction, which may stand between a stop and the white space.
bool is_direction_mark(char32_t c) {
  return c == 0x61C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

// Length of "[12]" at `at`: a footnote number of one to three digits; 0 when there is none.
size_t footnote_bytes(std::string_view text, size_t at) {
  size_t end = at + 1;
  while (end < text.size() && end - at <= 3 && text[end] >= '0' && text[end] <= '9') ++end;
  return text[at] == '[' && end > at + 1 && end < text.size() && text[end] == ']' ? end + 1 - at : 0;
}

// A quote that opens in some languages closes here when it touches a stop of an alphabet with spaces. After the other
// stops only a '"' with a partner closes, for there the next sentence touches the stop too.
bool ambiguous_quote_closes(const StopCluster& cluster, char32_t quote, bool open_quote) {
  if (cluster.kind != Stop::kStrong) return true;
  return quote == '"' && open_quote != (cluster.num_quotes % 2 == 1);
}

bool is_dash_or_bullet(char32_t c) {
  return c == '-' || c == '*' || c == '_' || c == '`' || (c >= 0x2010 && c <= 0x2015) || c == 0x2022 || c == 0x2212;
}

}  // namespace

Stop stop_at(std::string_view text, size_t at, char32_t c) {
  switch (c) {
    case '.': return Stop::kDot;
    case '!':
    case '?':
    case 0x37E:
    case 0x203C:
    case 0x203D:
    case 0x2047:
    case 0x2048:
    case 0x2049: return Stop::kMark;
    case 0x2025:
    case 0x2026: return Stop::kEllipsis;
    case ';':
    case 0xB7:
    case 0x387: return follows_greek(text, at) ? Stop::kMark : Stop::kNone;
    default: break;
  }
  if (c < kStrongStops[0]) return Stop::kNone;
  return std::binary_search(std::begin(kStrongStops), std::end(kStrongStops), c) ? Stop::kStrong : Stop::kNone;
}

StopCluster read_cluster(std::string_view text, size_t at, bool open_quote) {
  StopCluster cluster{.first = at, .end = at};
  while (cluster.end < text.size()) {
    const Decoded c = decode_one(text, cluster.end);
    const Stop stop = stop_at(text, cluster.end, c.code_point);
    size_t bytes = c.bytes;
    if (stop != Stop::kNone) {
      cluster.kind = stop;
      ++cluster.num_stops;
    } else if (is_closer(c.code_point) ||
               (is_ambiguous_quote(c.code_point) && ambiguous_quote_closes(cluster, c.code_point, open_quote))) {
      ++cluster.num_closers;
      cluster.num_quotes += c.code_point == '"' ? 1 : 0;
    } else if (c.code_point == '[') {
      bytes = footnote_bytes(text, cluster.end);
      if (bytes == 0) break;
    } else if (c.code_point != '*' && c.code_point != '_' && c.code_point != '`' && !is_direction_mark(c.code_point)) {
      break;
    }
    cluster.end += bytes;
  }
  return cluster;
}

size_t skip_blanks(std::string_view text, size_t at, bool* has_space) {
  *has_space = false;
  while (at < text.size()) {
    const Decoded c = decode_one(text, at);
    if (!is_blank(c.code_point)) break;
    *has_space = *has_space || is_white_space(c.code_point);
    at += c.bytes;
  }
  return at;
}

bool is_continuation(char32_t c) {
  switch (c) {
    case ',':
    case ';':
    case ':':
    case '&':
    case '+':
    case '=':
    case '/':
    case '|':
    case 0x60C:
    case 0x61B:
    case 0x3001:
    case 0xFF0C:
    case 0xFF1A:
    case 0xFF1B:
    case 0xFF64: return true;
    default: return stop_at({}, 0, c) != Stop::kNone || (is_closer(c) && !is_opener(c));
  }
}

Following read_following(std::string_view text, size_t at) {
  Following following;
  Decoded c = decode_one(text, at);
  while (is_opener(c.code_point) || is_dash_or_bullet(c.code_point)) {
    bool has_space;
    at = skip_blanks(text, at + c.bytes, &has_space);
    if (at == text.size()) return following;
    c = decode_one(text, at);
  }
  following.word = at;
  const Decoded second = at + c.bytes < text.size() ? decode_one(text, at + c.bytes) : Decoded{};
  if (c.code_point == '.' && is_letter(second.code_point)) {  // a name such as ".NET"
    following.kind = is_lower(second.code_point) ? Follow::kLower : Follow::kOther;
  } else if (is_lower(c.code_point)) {  // but "iPhone" may begin a sentence
    following.kind = is_upper(second.code_point) ? Follow::kOther : Follow::kLower;
  } else if (is_continuation(c.code_point)) {
    following.kind = Follow::kContinuation;
  } else if (is_digit(c.code_point)) {
    following.kind = Follow::kDigit;
  }
  return following;
}

}  // namespace dragoman::text
