// Marian's binary lexical shortlist: for each source id the target ids it may become.
// Neighbours: MappedFile gives the bytes, conversion_text.cc stores the two tables in the model file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace dragoman::converter {

// The list of source id s is ids[offsets[s] .. offsets[s + 1]), ascending and without repeats.
struct MarianShortlist {
  uint32_t first = 0;             // ids 0 .. first-1 are always allowed
  uint32_t best = 0;              // longest list the file was made with; informative
  std::vector<uint32_t> offsets;  // one more than source ids
  std::vector<uint32_t> ids;
};

// Parses `bytes`; `path` only names the file in messages. Wrong magic, sizes that do not add up, a wrong checksum,
// offsets that fall or leave the file are errors. The ids' upper bound is the caller's to check.
Result<MarianShortlist> read_marian_shortlist(std::span<const std::byte> bytes, const std::string& path);

// Hash over the 64-bit words of `bytes` as the format defines it; an incomplete last word is left out.
uint64_t marian_shortlist_checksum(std::span<const std::byte> bytes);

}  // namespace dragoman::converter
