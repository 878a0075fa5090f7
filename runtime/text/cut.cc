#include "text/cut.h"

#include <algorithm>

#include "text/char_class.h"
#include "text/stops.h"
#include "text/utf8.h"

namespace dragoman::text {

namespace {

// Kinds of places, best first.
enum Kind : size_t { kStrong, kComma, kSpace, kScriptChange, kCluster, kInsideCluster, kNumKinds };

// What punctuation promises for the place after it.
struct Promise {
  Kind kind = kNumKinds;    // kNumKinds: nothing
  bool needs_space = true;  // "10:30" and "1,5" are no places
};

// The characters just passed, as far as the next place depends on them.
struct Context {
  char32_t previous = 0;
  Script script = Script::kCommon;  // of `previous`
  Promise promise;
  bool half_flag = false;  // an odd number of regional indicators stands before
};

constexpr char32_t kZeroWidthJoiner = 0x200D;

bool is_regional_indicator(char32_t c) { return c >= 0x1F1E6 && c <= 0x1F1FF; }
bool is_hangul_lead(char32_t c) { return c >= 0x1100 && c <= 0x115F; }

// Characters that attach to the one before (Unicode UAX #29, property Extend): marks, joiners, skin tones, tags, and
// two vowels of Thai and Lao.
bool attaches(char32_t c) {
  return is_mark(c) || c == 0x200C || c == kZeroWidthJoiner || (c >= 0x1F3FB && c <= 0x1F3FF) ||
         (c >= 0xE0020 && c <= 0xE007F) || c == 0xE33 || c == 0xEB3 || (c >= 0x1160 && c <= 0x11FF);
}

// True between two characters of one visible cluster (UAX #29, rules GB3, GB6-9, GB9c, GB11-13, simplified), and after
// the Thai and Lao vowels that are written before their consonant.
bool is_inside_cluster(const Context& context, char32_t c) {
  const char32_t previous = context.previous;
  if (attaches(c) || previous == kZeroWidthJoiner) return true;
  if (previous == '\r' && c == '\n') return true;
  if (is_regional_indicator(c) && context.half_flag) return true;
  if (is_virama(previous) && is_letter(c)) return true;
  if (is_hangul_lead(previous) && script_of(c) == Script::kHangul) return true;
  return (previous >= 0xE40 && previous <= 0xE44) || (previous >= 0xEC0 && previous <= 0xEC4);
}

// Kanji followed by hiragana is one Japanese word; the other way round begins a phrase.
bool is_script_change(Script before, Script after) {
  if (before == Script::kCommon || after == Script::kCommon || before == after) return false;
  return !(after == Script::kHiragana && before == Script::kHan);
}

Promise promise_of(const Context& context, char32_t c) {
  switch (c) {
    case ';':
    case ':':
    case '!':
    case '?':
    case 0x37E:
    case 0x387:
    case 0x61B:
    case 0x2013:
    case 0x2026: return {kStrong, true};
    case 0x2014:
    case 0x2015:
    case 0xFF1A:
    case 0xFF1B: return {kStrong, false};
    case ',':
    case 0x60C: return {kComma, true};
    case 0x3001:
    case 0xFF0C:
    case 0xFF64: return {kComma, false};
    case '-': return is_white_space(context.previous) ? Promise{kStrong, true} : Promise{};
    default: break;
  }
  if (stop_at({}, 0, c) == Stop::kStrong) return {kStrong, false};
  return is_white_space(c) || is_closer(c) || c == '"' ? context.promise : Promise{};
}

// The kind of the place before `c`.
Kind kind_before(const Context& context, char32_t c) {
  if (is_inside_cluster(context, c)) return kInsideCluster;
  if (is_white_space(c) || is_white_space(context.previous)) return std::min(context.promise.kind, kSpace);
  const bool clings = is_closer(c) || is_continuation(c);  // never at the start of a part
  if (clings) return kCluster;
  if (!context.promise.needs_space) return context.promise.kind;
  const bool breakable = context.previous == '-' || context.previous == '/';
  return breakable || is_script_change(context.script, script_of(c)) ? kScriptChange : kCluster;
}

void pass(Context* context, char32_t c) {
  context->promise = promise_of(*context, c);
  context->half_flag = is_regional_indicator(c) && !context->half_flag;
  if (!is_mark(c)) context->script = script_of(c);
  context->previous = c;
}

size_t choose(const size_t (&last)[kNumKinds], size_t max_bytes) {
  for (size_t kind = kStrong; kind <= kScriptChange; ++kind) {
    if (last[kind] > 0 && last[kind] >= max_bytes / 2) return last[kind];
  }
  const size_t early = std::max({last[kStrong], last[kComma], last[kSpace]});
  if (early > 0) return early;
  return last[kCluster] > 0 ? last[kCluster] : last[kInsideCluster];
}

}  // namespace

size_t best_cut(std::string_view sentence, size_t max_bytes) {
  if (sentence.size() <= max_bytes || sentence.empty()) return sentence.size();
  size_t last[kNumKinds] = {};
  Context context;
  Decoded c = decode_one(sentence, 0);
  const size_t first_bytes = c.bytes;
  pass(&context, c.code_point);
  for (size_t at = c.bytes; at <= max_bytes; at += c.bytes) {  // max_bytes < sentence.size()
    c = decode_one(sentence, at);
    last[kind_before(context, c.code_point)] = at;
    pass(&context, c.code_point);
  }
  const size_t cut = choose(last, max_bytes);
  return cut > 0 ? cut : first_bytes;
}

}  // namespace dragoman::text
