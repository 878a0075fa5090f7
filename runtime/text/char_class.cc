#include "text/char_class.h"

#include <algorithm>
#include <iterator>

#include "text/char_tables.h"

namespace dragoman::text {

namespace {

struct ScriptRange {
  char32_t first;
  char32_t last;
  Script script;
};

using enum Script;

// Letters by script (Unicode Scripts.txt, merged over neighbours and unassigned gaps), many a line to stay readable.
// clang-format off
constexpr ScriptRange kScripts[] = {
    {0x41, 0x5A, kLatin}, {0x61, 0x7A, kLatin}, {0xAA, 0xAA, kLatin}, {0xB5, 0xB5, kGreek}, {0xBA, 0xBA, kLatin},
    {0xC0, 0xD6, kLatin}, {0xD8, 0xF6, kLatin}, {0xF8, 0x2C1, kLatin}, {0x370, 0x374, kGreek}, {0x376, 0x37D, kGreek},
    {0x37F, 0x386, kGreek}, {0x388, 0x3FF, kGreek}, {0x400, 0x52F, kCyrillic}, {0x531, 0x559, kArmenian},
    {0x560, 0x588, kArmenian}, {0x5D0, 0x5F2, kHebrew}, {0x620, 0x65F, kArabic}, {0x66E, 0x6D3, kArabic},
    {0x6D5, 0x6EF, kArabic}, {0x6FA, 0x6FF, kArabic}, {0x70F, 0x7BF, kArabic}, {0x7CA, 0x7F5, kArabic},
    {0x800, 0x82F, kHebrew}, {0x840, 0x8FF, kArabic}, {0x900, 0x963, kIndic}, {0x971, 0x9E5, kIndic},
    {0x9F0, 0xA65, kIndic}, {0xA70, 0xAE5, kIndic}, {0xAF9, 0xB65, kIndic}, {0xB71, 0xBE5, kIndic},
    {0xC00, 0xC65, kIndic}, {0xC80, 0xCE5, kIndic}, {0xCF1, 0xD65, kIndic}, {0xD7A, 0xDE5, kIndic},
    {0xDF2, 0xDF3, kIndic}, {0xE01, 0xE3A, kSoutheastAsian}, {0xE40, 0xE4E, kSoutheastAsian},
    {0xE81, 0xECD, kSoutheastAsian}, {0xEDC, 0xF00, kSoutheastAsian}, {0xF40, 0xFBC, kSoutheastAsian},
    {0x1000, 0x103F, kSoutheastAsian}, {0x1050, 0x108F, kSoutheastAsian}, {0x10A0, 0x10FA, kGeorgian},
    {0x10FC, 0x10FF, kGeorgian}, {0x1100, 0x11FF, kHangul}, {0x1200, 0x135F, kEthiopic}, {0x1380, 0x138F, kEthiopic},
    {0x13A0, 0x167F, kOther}, {0x1681, 0x16EA, kOther}, {0x1700, 0x1734, kSoutheastAsian},
    {0x1740, 0x177F, kSoutheastAsian}, {0x1780, 0x17D3, kSoutheastAsian}, {0x1820, 0x18AA, kOther},
    {0x18B0, 0x193F, kOther}, {0x1950, 0x19CF, kSoutheastAsian}, {0x1A00, 0x1A7F, kSoutheastAsian},
    {0x1B00, 0x1B4F, kSoutheastAsian}, {0x1B80, 0x1BAF, kSoutheastAsian}, {0x1BBA, 0x1C3A, kOther},
    {0x1C5A, 0x1C7D, kOther}, {0x1C80, 0x1C88, kCyrillic}, {0x1C90, 0x1CBF, kGeorgian}, {0x1D00, 0x1DBF, kLatin},
    {0x1E00, 0x1EFF, kLatin}, {0x1F00, 0x1FFF, kGreek}, {0x2C60, 0x2C7F, kLatin}, {0x2D00, 0x2D2F, kGeorgian},
    {0x2D30, 0x2D7F, kOther}, {0x2D80, 0x2DDE, kEthiopic}, {0x2DE0, 0x2DFF, kCyrillic}, {0x3005, 0x3007, kHan},
    {0x3021, 0x3029, kHan}, {0x3041, 0x309F, kHiragana}, {0x30A1, 0x30FA, kKatakana}, {0x30FC, 0x30FF, kKatakana},
    {0x3105, 0x312F, kHan}, {0x3131, 0x318E, kHangul}, {0x31A0, 0x31BF, kHan}, {0x31F0, 0x31FF, kKatakana},
    {0x3400, 0x4DBF, kHan}, {0x4E00, 0x9FFF, kHan}, {0xA000, 0xA48C, kOther}, {0xA4D0, 0xA4FD, kOther},
    {0xA500, 0xA60C, kOther}, {0xA640, 0xA69F, kCyrillic}, {0xA6A0, 0xA6F1, kOther}, {0xA722, 0xA7FF, kLatin},
    {0xA800, 0xA827, kOther}, {0xA840, 0xA873, kOther}, {0xA880, 0xA8C5, kIndic}, {0xA8E0, 0xA8FF, kIndic},
    {0xA90A, 0xA92D, kSoutheastAsian}, {0xA960, 0xA97C, kHangul}, {0xA980, 0xA9C0, kSoutheastAsian},
    {0xAA00, 0xAA4D, kSoutheastAsian}, {0xAA60, 0xAADD, kSoutheastAsian}, {0xAAE0, 0xAAEF, kIndic},
    {0xAB01, 0xAB2E, kEthiopic}, {0xAB30, 0xAB6F, kLatin}, {0xAB70, 0xABEA, kOther}, {0xAC00, 0xD7FB, kHangul},
    {0xF900, 0xFAD9, kHan}, {0xFB00, 0xFB06, kLatin}, {0xFB13, 0xFB17, kArmenian}, {0xFB1D, 0xFB4F, kHebrew},
    {0xFB50, 0xFD3D, kArabic}, {0xFD50, 0xFDFB, kArabic}, {0xFE70, 0xFEFC, kArabic}, {0xFF21, 0xFF3A, kLatin},
    {0xFF41, 0xFF5A, kLatin}, {0xFF66, 0xFF9F, kKatakana}, {0xFFA0, 0xFFDC, kHangul}, {0x10000, 0x1AFEF, kOther},
    {0x1AFF0, 0x1B2FF, kKatakana}, {0x1E000, 0x1EEFF, kOther}, {0x20000, 0x3FFFD, kHan},
};
// clang-format on

// The range that holds `c` in a table sorted by last element, or null.
template <typename Entry, size_t kSize>
const Entry* find_range(const Entry (&table)[kSize], char32_t c) {
  const Entry* entry = std::lower_bound(std::begin(table), std::end(table), c,
                                        [](const Entry& e, char32_t value) { return e.last < value; });
  return entry != std::end(table) && entry->first <= c ? entry : nullptr;
}

template <size_t kSize>
bool in_steps(const SteppedRange (&table)[kSize], char32_t c) {
  const SteppedRange* range = find_range(table, c);
  return range != nullptr && (c - range->first) % range->step == 0;
}

// Sorted lists of single characters.
constexpr char32_t kClosers[] = {')',    ']',    '}',    0xBB,   0x2019, 0x201D, 0x203A, 0x2309, 0x230B, 0x232A,
                                 0x2769, 0x276B, 0x276F, 0x27E7, 0x27E9, 0x27EB, 0x2E29, 0x3009, 0x300B, 0x300D,
                                 0x300F, 0x3011, 0x3015, 0x3017, 0x3019, 0x301B, 0x301E, 0x301F, 0xFD3E, 0xFE36,
                                 0xFE38, 0xFE42, 0xFE44, 0xFF02, 0xFF07, 0xFF09, 0xFF3D, 0xFF5D, 0xFF60, 0xFF63};

constexpr char32_t kOpeners[] = {'"',    '\'',   '(',    '[',    '{',    0xA1,   0xAB,   0xBB,   0xBF,   0x2018,
                                 0x2019, 0x201A, 0x201B, 0x201C, 0x201D, 0x201E, 0x201F, 0x2039, 0x203A, 0x2308,
                                 0x230A, 0x2329, 0x2768, 0x276A, 0x276E, 0x27E6, 0x27E8, 0x27EA, 0x3008, 0x300A,
                                 0x300C, 0x300E, 0x3010, 0x3014, 0x3016, 0x3018, 0x301A, 0x301D, 0xFD3F, 0xFE35,
                                 0xFE37, 0xFE41, 0xFE43, 0xFF02, 0xFF07, 0xFF08, 0xFF3B, 0xFF5B, 0xFF5F, 0xFF62};

template <size_t kSize>
bool contains(const char32_t (&list)[kSize], char32_t c) {
  return std::binary_search(std::begin(list), std::end(list), c);
}

}  // namespace

bool is_white_space(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r');
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_line_break(char32_t c) { return (c >= '\n' && c <= '\r') || c == 0x85 || c == 0x2028 || c == 0x2029; }

bool is_blank(char32_t c) {
  return c <= 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0xAD || c == 0x200B || c == 0x2060 || c == 0xFEFF ||
         is_white_space(c);
}

bool is_upper(char32_t c) { return c < 0x80 ? c >= 'A' && c <= 'Z' : in_steps(kUpper, c); }
bool is_lower(char32_t c) { return c < 0x80 ? c >= 'a' && c <= 'z' : in_steps(kLower, c); }

bool is_digit(char32_t c) {
  if (c < 0x80) return c >= '0' && c <= '9';
  const char32_t* zero = std::upper_bound(std::begin(kDigitZeros), std::end(kDigitZeros), c);
  return zero != std::begin(kDigitZeros) && c - zero[-1] < 10;
}

bool is_mark(char32_t c) { return c >= 0x300 && find_range(kMarks, c) != nullptr; }
bool is_virama(char32_t c) { return c >= 0x94D && contains(kViramas, c); }

Script script_of(char32_t c) {
  const ScriptRange* range = find_range(kScripts, c);
  return range == nullptr ? Script::kCommon : range->script;
}

bool is_cjk(char32_t c) {
  const Script script = script_of(c);
  return script == Script::kHan || script == Script::kHiragana || script == Script::kKatakana;
}

bool is_closer(char32_t c) { return contains(kClosers, c); }

bool is_ambiguous_quote(char32_t c) {
  return c == '"' || c == '\'' || c == 0xAB || c == 0x2018 || c == 0x201C || c == 0x2039;
}

bool is_opener(char32_t c) { return contains(kOpeners, c); }

}  // namespace dragoman::text
