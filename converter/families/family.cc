// The registry: one line a family.
// Neighbours: family.h.
#include "converter/families/family.h"

#include "converter/families/bart.h"
#include "converter/families/ctranslate2_transformer.h"
#include "converter/families/m2m100.h"
#include "converter/families/marian.h"
#include "converter/families/marian_mt.h"
#include "converter/families/t5.h"

namespace dragoman::converter {
namespace {

constexpr Family kFamilies[] = {
    {"marian-ssru", accepts_marian_ssru, build_marian},
    {"marian", accepts_marian, build_marian},
    {"marian-mt", accepts_marian_mt, build_marian_mt},
    {"bart", accepts_bart, build_bart},
    {"mbart", accepts_mbart, build_mbart},
    {"m2m100", accepts_m2m100, build_m2m100},
    {"t5", accepts_t5, build_t5},
    {"mt5", accepts_mt5, build_t5},
    {"umt5", accepts_umt5, build_umt5},
    {"ctranslate2", accepts_ctranslate2, build_ctranslate2},
};

}  // namespace

const Family* find_family(const Source& source) {
  for (const Family& family : kFamilies) {
    if (family.accepts(source)) return &family;
  }
  return nullptr;
}

}  // namespace dragoman::converter
