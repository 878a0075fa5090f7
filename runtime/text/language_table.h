// Languages by all their codes, and the script each is written in: facts from ISO 639 and ISO 15924.
// Neighbours: language_tag.h reads tags with it.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace dragoman::text {

// One language, or several codes that models and people use for one. What no row names is written in Latin script and
// has no second code.
struct LanguageRow {
  std::string_view code;     // ISO 639-1, or 639-3 where there is none: BCP 47
  std::string_view script;   // ISO 15924, what the bare code means
  std::string_view aliases;  // other codes with spaces between them: 639-3, 639-2/B, deprecated, member of the group
};
std::span<const LanguageRow> language_rows();

// A script that a region stands for.
struct RegionScript {
  std::string_view language;  // LanguageRow::code
  std::string_view region;
  std::string_view script;
};
std::span<const RegionScript> region_scripts();

// Codes of one script that are used for each other.
struct ScriptAlias {
  std::string_view alias;
  std::string_view script;
};
std::span<const ScriptAlias> script_aliases();

}  // namespace dragoman::text
