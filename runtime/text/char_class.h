// What kind of character a code point is: fixed tables, no locale, no <cctype>.
// Neighbours: the sentence splitter and the cutter ask; utf8.h gives them the code points.
#pragma once

#include <cstdint>

namespace dragoman::text {

// Writing systems as coarsely as finding sentence and phrase borders needs them. kCommon is everything that is no
// letter of a listed script: digits, punctuation, symbols.
enum class Script : uint8_t {
  kCommon,
  kLatin,
  kGreek,
  kCyrillic,
  kArmenian,
  kHebrew,
  kArabic,          // with Syriac, Thaana and N'Ko
  kIndic,           // Devanagari to Sinhala
  kSoutheastAsian,  // Thai, Lao, Tibetan, Myanmar, Khmer and neighbours
  kGeorgian,
  kEthiopic,
  kHangul,
  kHiragana,
  kKatakana,
  kHan,    // with Bopomofo
  kOther,  // other living and historic scripts
};

// Property White_Space: TAB..CR, space, U+0085, U+00A0, U+1680, U+2000-200A, U+2028, U+2029, U+202F, U+205F, U+3000.
bool is_white_space(char32_t c);

// A mandatory line break (Unicode UAX #14: BK, CR, LF, NL): LF, VT, FF, CR, U+0085, U+2028, U+2029.
bool is_line_break(char32_t c);

// White space and what shows nothing at the edge of a sentence: control characters (with NUL), soft hyphen,
// zero-width space, word joiner, byte order mark.
bool is_blank(char32_t c);

// Letter case (general categories Lu/Lt and Ll) of Latin, Greek, Cyrillic and Armenian letters.
bool is_upper(char32_t c);
bool is_lower(char32_t c);

// Decimal digit (general category Nd) of the basic plane.
bool is_digit(char32_t c);

// Combining mark (general categories Mn, Mc, Me).
bool is_mark(char32_t c);

// Sign that fuses consonants (combining class 9): the letter after it belongs to the same cluster.
bool is_virama(char32_t c);

// kCommon for everything that is no letter; marks have the script of their block.
Script script_of(char32_t c);

inline bool is_letter(char32_t c) { return script_of(c) != Script::kCommon; }

// Scripts written without spaces between words, with stops of full width.
bool is_cjk(char32_t c);

// Closing quotation marks and brackets that follow a stop and belong to its sentence. Marks that close in some
// languages and open in others (", ', U+201C, U+2018, U+00AB, U+2039) are not among these, see is_ambiguous_quote.
bool is_closer(char32_t c);
bool is_ambiguous_quote(char32_t c);

// Opening quotation marks, brackets and inverted marks that may precede the first word of a sentence.
bool is_opener(char32_t c);

}  // namespace dragoman::text
