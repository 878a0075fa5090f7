// Neighbours: attention_options.h.
#include "attention_options.h"

#include <charconv>
#include <string_view>

namespace dragoman::cli {
namespace {

constexpr const char* kGroup = "Attention";

// "5:0" or "5" -> a head or all heads of a layer; false when it is neither.
bool parse_head(const std::string& text, AttentionHead* head) {
  const size_t colon = text.find(':');
  const auto number = [](std::string_view digits, int32_t* value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *value);
    return error == std::errc() && end == digits.data() + digits.size() && *value >= -1;
  };
  *head = {-1, -1};
  if (!number(std::string_view(text).substr(0, colon), &head->layer)) return false;
  return colon == std::string::npos || number(std::string_view(text).substr(colon + 1), &head->head);
}

}  // namespace

void AttentionChoice::add_to(CLI::App* command) {
  command
      ->add_flag(
          "--alignments", alignments,
          "At a line's end, a tab and pairs i-j: target token j attends most to source token i (from 0, end tokens "
          "left out); in --json as source token of each id")
      ->group(kGroup);
  command
      ->add_flag("--attention", matrix, "In --json: how much each id attends to each source token, end token included")
      ->group(kGroup);
  command
      ->add_option(
          "--attention-heads", heads_text_,
          "Heads that count, with commas: LAYER:HEAD or LAYER (all its heads), from 0, -1 the last; if not given, "
          "the model's")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("HEADS")
      ->group(kGroup)
      ->check([this](const std::string& text) {
        AttentionHead head;
        if (!parse_head(text, &head)) return "'" + text + "' is neither LAYER:HEAD nor LAYER";
        heads_.push_back(head);
        return std::string();
      });
}

void AttentionChoice::apply(TranslateOptions* options) const {
  options->attention = wanted();
  if (!heads_.empty()) options->attention_heads = heads_.data();
  options->num_attention_heads = heads_.size();
}

}  // namespace dragoman::cli
