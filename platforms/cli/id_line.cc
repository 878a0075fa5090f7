// Decimal numbers with single spaces between them.
#include "id_line.h"

#include <charconv>

namespace dragoman::cli {

bool parse_ids(std::string_view text, std::vector<int32_t>* ids, std::string* why) {
  constexpr size_t kShownBytes = 24;
  ids->clear();
  while (true) {
    const size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return true;
    text.remove_prefix(begin);
    const std::string_view item = text.substr(0, text.find_first_of(" \t"));
    int32_t id = 0;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), id);
    if (error != std::errc() || end != item.data() + item.size() || id < 0) {
      *why = "'" + std::string(item.substr(0, kShownBytes)) + "' (item " + std::to_string(ids->size() + 1) +
             ") is not a token id";
      return false;
    }
    ids->push_back(id);
    text.remove_prefix(item.size());
  }
}

std::string format_ids(const std::vector<int32_t>& ids) {
  std::string out;
  for (const int32_t id : ids) {
    if (!out.empty()) out.push_back(' ');
    out += std::to_string(id);
  }
  return out;
}

}  // namespace dragoman::cli
