// The registry: one line a family.
// Neighbours: family.h.
#include "converter/families/family.h"

#include "converter/families/marian_ssru.h"

namespace dragoman::converter {
namespace {

constexpr Family kFamilies[] = {
    {"marian-ssru", accepts_marian_ssru, build_marian_ssru},
};

}  // namespace

const Family* find_family(const Source& source) {
  for (const Family& family : kFamilies) {
    if (family.accepts(source)) return &family;
  }
  return nullptr;
}

}  // namespace dragoman::converter
