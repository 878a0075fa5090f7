// Registers the options with CLI11 and turns them into the library's structs.
#include "search_options.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "id_line.h"

namespace dragoman::cli {
namespace {

constexpr const char* kBeamGroup = "Search";
constexpr const char* kSamplingGroup = "Sampling";
constexpr const char* kConstraintGroup = "Constraints";
constexpr float kMaxPenalty = DRAGOMAN_MAX_PENALTY;
constexpr uint32_t kMaxTokens = DRAGOMAN_MAX_TARGET_TOKENS;

CLI::Validator number(float lowest, float highest) { return CLI::Range(lowest, highest); }

// Ids with commas, at least one; appended to *ids. Returns why not, or nothing.
std::string add_ids(std::string_view text, std::vector<int32_t>* ids) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    std::string why;
    std::vector<int32_t> item;
    if (!parse_ids(text.substr(begin, end - begin), &item, &why)) return why;
    if (item.size() != 1) return "'" + std::string(text) + "' is not token ids with commas between them";
    ids->push_back(item[0]);
    begin = end + 1;
  }
  return "";
}

// A whole number of 64 bits and nothing else: CLI11 wraps what is negative and cuts what is too large.
std::string check_seed(const std::string& text) {
  uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error == std::errc() && end == text.data() + text.size()) return "";
  return "'" + text + "' is not a whole number from 0 to 18446744073709551615";
}

}  // namespace

void SearchChoice::add_to(CLI::App* command) {
  sample_option_ = command->add_flag("--sample", options.sample, "Draw tokens at random instead of searching the best")
                       ->group(kSamplingGroup);
  add_beam(command);
  add_sampling(command);
  add_constraints(command);
  attention.add_to(command);
}

void SearchChoice::add_beam(CLI::App* command) {
  const auto add = [command](const char* name, auto& value, const char* help, const char* type) {
    return command->add_option(name, value, help)->type_name(type)->group(kBeamGroup);
  };
  add("--beam", options.beam, "Hypotheses a sentence, 1 is greedy; if not given, the model's", "N")
      ->check(CLI::Range(1, int{DRAGOMAN_MAX_BEAM}))
      ->excludes(sample_option_);
  add("--n-best", options.n_best, "Show so many translations of a line: its number, rank, score and text, with tabs",
      "N")
      ->check(CLI::Range(1, int{DRAGOMAN_MAX_BEAM}));
  add("--length-penalty", options.length_penalty, "Score = log-probability / length ^ X; if not given, the model's",
      "X")
      ->check(number(-kMaxPenalty, kMaxPenalty));
  add("--word-penalty", options.word_penalty,
      "Taken from the log-probability for every token; if not given, the model's", "X")
      ->check(number(-kMaxPenalty, kMaxPenalty));
  add("--beam-rule", beam_rule, "How a beam shrinks and ends: marian or hugging-face; if not given, the model's",
      "RULE")
      ->check(CLI::IsMember({"marian", "hugging-face"}));
  add("--early-stopping", early_stopping, "Of the hugging-face rule: false, true or never; if not given, the model's",
      "WHEN")
      ->check(CLI::IsMember({"false", "true", "never"}));
  add("--max-length", options.max_length, "Generated tokens of a sentence at most, end token counted", "N")
      ->check(CLI::Range(uint32_t{1}, kMaxTokens));
  add("--min-length", options.min_length, "Generated tokens before the end token at least; if not given, the model's",
      "N")
      ->check(CLI::Range(uint32_t{0}, kMaxTokens));
  add("--coverage-penalty", options.coverage_penalty,
      "Rank translations lower that attend too little to parts of the source; 0: no", "X")
      ->check(number(0, kMaxPenalty));
  force_end_option_ = command
                          ->add_flag("--force-end,!--no-force-end", force_end_,
                                     "The last token that fits is the end token; if not given, as the model has it")
                          ->group(kBeamGroup);
}

void SearchChoice::add_sampling(CLI::App* command) {
  const auto add = [this, command](const char* name, auto& value, const char* help, const char* type) {
    return command->add_option(name, value, help)
        ->type_name(type)
        ->group(kSamplingGroup)
        ->needs(sample_option_)
        ->capture_default_str();
  };
  add("--temperature", options.temperature, "Below 1 sharper, above 1 flatter", "X")
      ->check(number(0.001f, kMaxPenalty));
  add("--top-k", options.top_k, "Of the N best tokens; 0: of all", "N")->check(CLI::Range(uint32_t{0}, kMaxTokens));
  add("--top-p", options.top_p, "Of the fewest best tokens with this probability", "X")->check(number(0.000001f, 1));
  add("--min-p", options.min_p, "Of tokens with this share of the best one's probability", "X")->check(number(0, 1));
  add("--seed", options.seed, "The same seed and sentence give the same translation", "N")->check(check_seed);
}

void SearchChoice::add_constraints(CLI::App* command) {
  const auto add = [command](const char* name, auto& value, const char* help, const char* type) {
    return command->add_option(name, value, help)->type_name(type)->group(kConstraintGroup);
  };
  add("--force-ids", forced_ids_text_, "Every translation begins with these token ids, with commas", "IDS")
      ->allow_extra_args(false)
      ->check([this](const std::string& text) { return add_ids(text, &forced_ids); });
  add("--suppress", suppressed_ids_text_, "Token ids that are never generated, with commas", "IDS")
      ->allow_extra_args(false)
      ->check([this](const std::string& text) { return add_ids(text, &suppressed_ids); });
  add("--bad-words", bad_words, "Sequences of token ids that are never generated, each in quotes: \"5 8 13\"", "IDS")
      ->allow_extra_args(false)
      ->check([this](const std::string& words) {
        std::string why;
        std::vector<int32_t> ids;
        if (!parse_ids(words, &ids, &why)) return why;
        if (ids.empty()) return std::string("a sequence without ids");
        bad_word_ids_.insert(bad_word_ids_.end(), ids.begin(), ids.end());
        bad_word_ids_.push_back(-1);
        return std::string();
      });
  add("--repetition-penalty", options.repetition_penalty, "Makes tokens that came before less likely; 1: no", "X")
      ->check(number(1 / kMaxPenalty, kMaxPenalty));
  add("--no-repeat-ngram", options.no_repeat_ngram, "No N tokens come twice in the same order; 0: they may", "N")
      ->check(CLI::Range(uint32_t{0}, kMaxTokens));
}

void SearchChoice::apply(TranslateOptions* chosen) const {
  const TranslateOptions before = *chosen;
  *chosen = options;
  chosen->shortlist = before.shortlist;
  chosen->one_sentence_per_input = before.one_sentence_per_input;
  chosen->max_length_factor = before.max_length_factor;
  chosen->force_end = force_end_option_->count() == 0 ? -1 : static_cast<int32_t>(force_end_);
  attention.apply(chosen);
  if (beam_rule == "marian") chosen->beam_rule = DRAGOMAN_BEAM_MARIAN;
  if (beam_rule == "hugging-face") chosen->beam_rule = DRAGOMAN_BEAM_HUGGING_FACE;
  if (early_stopping == "false") chosen->early_stopping = DRAGOMAN_STOP_WHEN_UNLIKELY;
  if (early_stopping == "true") chosen->early_stopping = DRAGOMAN_STOP_AT_ONCE;
  if (early_stopping == "never") chosen->early_stopping = DRAGOMAN_STOP_WHEN_IMPOSSIBLE;
  if (!forced_ids.empty()) chosen->forced_ids = forced_ids.data();
  chosen->num_forced_ids = forced_ids.size();
  chosen->suppressed_ids = suppressed_ids.data();
  chosen->num_suppressed_ids = suppressed_ids.size();
  chosen->bad_words = bad_word_ids_.data();
  chosen->num_bad_words = bad_word_ids_.size();
}

void SearchChoice::reserve(SessionOptions* session) const {
  const TranslateOptions defaults = Session::default_translate_options();
  session->max_beam = options.beam;
  session->max_n_best = options.n_best > 0 ? options.n_best : 1;
  if (options.sample) session->max_beam = session->max_n_best;
  if (options.max_length > 0) session->max_target_tokens = options.max_length;
  session->attention = attention.wanted() || options.coverage_penalty != 0;
  session->full_logits = options.sample || !suppressed_ids.empty() || !bad_words.empty() ||
                         options.repetition_penalty != defaults.repetition_penalty ||
                         options.no_repeat_ngram != defaults.no_repeat_ngram;
}

}  // namespace dragoman::cli
