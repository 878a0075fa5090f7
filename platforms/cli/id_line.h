// Lines of token ids. Neighbours: translate --ids, detokenize.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::cli {

// Reads ids separated by spaces or tabs. On failure returns false and says in *why which item is no id.
bool parse_ids(std::string_view text, std::vector<int32_t>* ids, std::string* why);

// "5 7 0".
std::string format_ids(const std::vector<int32_t>& ids);

}  // namespace dragoman::cli
