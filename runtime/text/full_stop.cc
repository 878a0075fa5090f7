#include "text/full_stop.h"

#include <algorithm>

#include "text/char_class.h"
#include "text/utf8.h"

namespace dragoman::text {

namespace {

constexpr size_t kMaxTokenBytes = 48;
constexpr size_t kMaxStarterBytes = 32;

// The letters, digits and inner full stops before a stop, and what they look like.
struct Token {
  size_t begin = 0;
  std::string_view word;    // empty: none, or longer than any abbreviation
  size_t longest_part = 0;  // characters without marks between inner stops
  size_t num_parts = 1;
  bool has_digit = false;
  bool has_letter = false;
  bool may_be_initial = true;  // every letter is of a kind that occurs as an initial
};

// Initials are letters with case, or Arabic and Hebrew ones. Lower-case single letters with accents are words ("é"),
// and so is the Russian "я".
bool occurs_as_initial(char32_t c) {
  if (is_upper(c)) return true;
  const Script script = script_of(c);
  if (is_lower(c)) return c < 0x80 || script == Script::kGreek || (script == Script::kCyrillic && c != 0x44F);
  return script == Script::kArabic || script == Script::kHebrew;
}

bool is_word_character(char32_t c) { return is_letter(c) || is_digit(c) || is_mark(c); }

void add_character(Token* token, char32_t c, size_t part) {
  token->longest_part = std::max(token->longest_part, part);
  const bool digit = is_digit(c);
  token->has_digit |= digit;
  token->has_letter |= !digit;
  token->may_be_initial &= digit || occurs_as_initial(c);
}

// Reads the token that ends at `end`, not going before `begin`.
Token read_token(std::string_view text, size_t begin, size_t end) {
  Token token;
  token.begin = end;
  size_t part = 0;
  bool after_stop = true;  // the character to the right is a full stop
  while (token.begin > begin && end - token.begin <= kMaxTokenBytes) {
    const Decoded c = decode_before(text, token.begin);
    if (c.code_point == '.') {
      if (after_stop) break;
      part = 0;
    } else if (!is_word_character(c.code_point)) {
      break;
    } else {
      if (after_stop && token.begin != end) ++token.num_parts;
      if (!is_mark(c.code_point)) add_character(&token, c.code_point, ++part);
    }
    after_stop = c.code_point == '.';
    token.begin -= c.bytes;
  }
  if (after_stop && token.begin < end) ++token.begin;  // a stop before the token is not part of it
  if (end - token.begin <= kMaxTokenBytes) token.word = text.substr(token.begin, end - token.begin);
  return token;
}

// "U.S", "Ph.D", "J", "p": one letter, or parts of at most two.
bool is_initialism(const Token& token) {
  if (token.has_digit || !token.may_be_initial) return false;
  return token.longest_part <= (token.num_parts > 1 ? 2u : 1u);
}

bool is_roman(std::string_view word) {
  return !word.empty() && word.find_first_not_of("IVXLCDM") == std::string_view::npos;
}

// "1. Foo", "2.3. Foo", "a. Foo", "IV. Foo": the number of a list item or heading, at the start or after a colon.
bool is_list_number(std::string_view text, const FullStop& stop, const Token& token) {
  const bool small_number = token.has_digit && !token.has_letter && (token.longest_part <= 3);
  const bool letter = token.word.size() == 1 && token.has_letter;
  if (!small_number && !letter && !is_roman(token.word)) return false;
  size_t before = token.begin;
  while (before > stop.sentence_begin && token.begin - before < kMaxUtf8Bytes) {
    const Decoded c = decode_before(text, before);
    if (c.code_point == ':') return before < token.begin;
    if (!is_white_space(c.code_point) && !is_opener(c.code_point)) return false;
    before -= c.bytes;
  }
  return before == stop.sentence_begin;
}

// The letters that begin at `at`.
std::string_view following_word(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && end - at <= kMaxStarterBytes) {
    const Decoded c = decode_one(text, end);
    if (!is_letter(c.code_point) && !is_mark(c.code_point)) break;
    end += c.bytes;
  }
  return text.substr(at, end - at);
}

// Whether the word at `at` is one that seldom stands inside a sentence. Before a further stop it is an initial or an
// abbreviation instead: the "A" of "J. A. Smith".
bool is_starter(std::string_view text, size_t at, std::string_view word, WordList starters) {
  const size_t end = at + word.size();
  if (end + 1 < text.size() && text[end] == '.') return false;
  return contains(starters, word);
}

// Looks `word` up as written and, where a capital may be due to its place in the sentence, with a small first letter.
bool list_has(WordList list, std::string_view word, bool first_in_sentence) {
  if (contains(list, word)) return true;
  if (!first_in_sentence) return false;
  const Decoded c = decode_one(word, 0);
  // The distance to the small letter is the same in ASCII and in the basic Greek and Cyrillic alphabets.
  const bool greek = c.code_point >= 0x391 && c.code_point <= 0x3A9;
  const bool cyrillic = c.code_point >= 0x410 && c.code_point <= 0x42F;
  if (!is_upper(c.code_point) || !(c.code_point < 0x80 || greek || cyrillic)) return false;
  char lowered[kMaxTokenBytes + kMaxUtf8Bytes];
  const size_t bytes = encode_one(c.code_point + 0x20, lowered);
  const std::string_view rest = word.substr(c.bytes);
  std::copy(rest.begin(), rest.end(), lowered + bytes);
  return contains(list, std::string_view(lowered, bytes + rest.size()));
}

bool begins_sentence(std::string_view text, const FullStop& stop, size_t at) {
  return at == stop.sentence_begin || is_opener(decode_before(text, at).code_point);
}

// The number at `at` belongs to an abbreviation before it, as in "Nr. 7", so it is no ordinal.
bool is_numbered(std::string_view text, const FullStop& stop, size_t at, WordList before_number) {
  if (at == stop.sentence_begin) return false;
  const Decoded space = decode_before(text, at);
  const size_t end = at - space.bytes;
  if (!is_white_space(space.code_point) || end <= stop.sentence_begin || text[end - 1] != '.') return false;
  const Token token = read_token(text, stop.sentence_begin, end - 1);
  return !token.word.empty() && list_has(before_number, token.word, begins_sentence(text, stop, token.begin));
}

}  // namespace

bool full_stop_ends_sentence(std::string_view text, const FullStop& stop, const LanguageRules& rules) {
  const Token token = read_token(text, stop.sentence_begin, stop.at);
  if (token.word.empty()) return true;
  if (is_list_number(text, stop, token)) return false;
  const bool first = begins_sentence(text, stop, token.begin);
  if (list_has(rules.always, token.word, first)) return false;
  const std::string_view word = following_word(text, stop.following.word);
  const bool before_number = stop.following.kind == Follow::kDigit || (is_roman(word) && word != "I");
  if (before_number && list_has(rules.before_number, token.word, first)) return false;
  const bool small_number = token.has_digit && !token.has_letter && token.longest_part <= 2;
  const bool ordinal = rules.ordinal_stop && (small_number || is_roman(token.word)) &&
                       !is_numbered(text, stop, token.begin, rules.before_number);
  const bool doubtful = ordinal || is_initialism(token) || list_has(rules.maybe, token.word, first);
  return !doubtful || is_starter(text, stop.following.word, word, rules.starters);
}

}  // namespace dragoman::text
