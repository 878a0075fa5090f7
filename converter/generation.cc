// Names and meaning as in Hugging Face's GenerationConfig; its lengths count the decoder's start token, ours do not.
// Neighbours: generation.h.
#include "converter/generation.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "converter/families/option_reader.h"
#include "dragoman/dragoman.h"
#include "schema/model_generated.h"

namespace dragoman::converter {
namespace {

// Hugging Face limits by max_length alone.
constexpr float kNoLengthFactor = 1000.0f;
constexpr float kDefaultLengthFactor = 3.0f;

// Nothing here changes what greedy and beam search choose: how sampling is done, which is the caller's to choose, how
// the framework computes, what it hands out beside the ids.
constexpr const char* kNoEffect[] = {
    // sampling
    "temperature", "top_k", "top_p", "min_p", "top_h", "typical_p", "epsilon_cutoff", "eta_cutoff",
    // computing
    "use_cache", "cache_*", "max_cache_len", "low_memory", "compile_config", "disable_compile", "prefill_chunk_size",
    "continuous_batching_config", "assistant_*", "is_assistant", "num_assistant_tokens*", "prompt_lookup_num_tokens",
    "max_matching_ngram_size", "target_lookbehind", "speculation_type", "use_mtp", "remove_invalid_values",
    // what comes out, and the file itself
    "output_*", "return_dict_in_generate", "num_return_sequences", "unk_token_id", "transformers_version", "_*"};

// "[3, 14]" -> 3, 14. False when it is no list of whole numbers.
bool parse_ids(const std::string& text, std::vector<int32_t>* ids) {
  const char* at = text.data();
  const char* end = text.data() + text.size();
  while (at != end) {
    if (*at == '[' || *at == ']' || *at == ',' || *at == ' ') {
      ++at;
      continue;
    }
    int32_t id = 0;
    const auto [next, error] = std::from_chars(at, end, id);
    if (error != std::errc()) return false;
    ids->push_back(id);
    at = next;
  }
  return true;
}

class Settings {
 public:
  Settings(const Source& source, const NetworkFacts& facts, ConvertReport* report, Problems* problems)
      : source_(source), facts_(facts), report_(*report), problems_(*problems), reader_(source.generation, problems) {}

  std::unique_ptr<schema::GenerationT> read() {
    read_ids();
    read_suppressed();
    read_lengths();
    read_search();
    read_scores();
    for (const char* key : kNoEffect) reader_.ignore(key);
    reader_.finish(&report_.notes);
    return std::move(out_);
  }

 private:
  // An id of the target vocabulary, or -1 when the key is absent.
  int32_t id_of(const std::string& key) {
    if (!reader_.has(key)) return -1;
    const uint32_t id = reader_.number(key, 0);
    if (id < facts_.target_vocabulary) return static_cast<int32_t>(id);
    reader_.refuse(key, "not an id of the target vocabulary of " + std::to_string(facts_.target_vocabulary));
    return -1;
  }

  void read_ids() {
    out_->end_id = id_of("eos_token_id");
    if (!reader_.has("eos_token_id")) problems_.add("option 'eos_token_id' is missing");
    id_of("pad_token_id");  // families and vocabularies take it as an id
    out_->start_id = id_of("decoder_start_token_id");
    if (out_->start_id < 0) out_->start_id = id_of("bos_token_id");
    if (!reader_.has("decoder_start_token_id") && !reader_.has("bos_token_id")) {
      problems_.add("option 'decoder_start_token_id' is missing");
    }
    int32_t forced = id_of("forced_bos_token_id");
    // BART's older name for "the first token is bos_token_id".
    if (reader_.flag("force_bos_token_to_be_generated", false) && forced < 0) forced = id_of("bos_token_id");
    if (forced >= 0) out_->forced_ids.push_back(forced);
    out_->append_end = true;
    const int32_t last = id_of("forced_eos_token_id");
    out_->force_end = last >= 0;
    if (last >= 0 && last != out_->end_id) reader_.refuse("forced_eos_token_id", "differs from eos_token_id");
  }

  void suppress(int32_t id) {
    if (id < 0 || id >= static_cast<int64_t>(facts_.target_vocabulary) || id == out_->end_id) return;
    auto& list = out_->suppressed;
    if (std::find(list.begin(), list.end(), id) == list.end()) list.push_back(id);
  }

  void read_suppressed() {
    for (const int32_t id : facts_.suppressed) suppress(id);
    std::vector<int32_t> ids;
    if (const auto at = source_.generation.find("suppress_tokens"); reader_.has("suppress_tokens")) {
      if (!parse_ids(at->second.text(), &ids)) reader_.refuse("suppress_tokens", "expected a list of ids");
    }
    if (const auto at = source_.generation.find("bad_words_ids"); reader_.has("bad_words_ids")) {
      for (const std::string& item : at->second.items) {
        std::vector<int32_t> word;
        const auto known = [this](int32_t id) {
          return id >= 0 && id < static_cast<int64_t>(facts_.target_vocabulary);
        };
        if (!parse_ids(item, &word) || word.empty() || !std::all_of(word.begin(), word.end(), known)) {
          reader_.refuse("bad_words_ids", "expected lists of ids of the target vocabulary");
          continue;
        }
        if (word.size() == 1) ids.push_back(word[0]);
        if (word.size() < 2) continue;
        out_->bad_words.insert(out_->bad_words.end(), word.begin(), word.end());
        out_->bad_words.push_back(-1);
      }
    }
    for (const int32_t id : ids) suppress(id);
    reader_.require("begin_suppress_tokens", "[]", "not supported");
  }

  void read_lengths() {
    const uint32_t forced = static_cast<uint32_t>(out_->forced_ids.size());
    const uint32_t shortest = reader_.number("min_length", 0);
    // min_new_tokens counts the forced token, not the start token, and goes before min_length.
    const uint32_t before_end = reader_.number("min_new_tokens", std::max(shortest, 1u) - 1);
    out_->min_length = before_end > forced ? before_end - forced : 0;
    uint32_t longest = reader_.number("max_length", 0);
    if (longest > 0) --longest;
    longest = reader_.number("max_new_tokens", longest);
    out_->max_length = longest;
    if (longest > 0 && out_->min_length > longest) {  // no translation could be as the settings say
      reader_.refuse(reader_.has("min_new_tokens") ? "min_new_tokens" : "min_length", "exceeds the maximum length");
    }
    out_->max_length_factor = longest > 0 ? kNoLengthFactor : kDefaultLengthFactor;
    if (longest == 0) report_.notes.push_back("max_length is not given; at most 3 target tokens for each source token");
  }

  void read_search() {
    out_->beam_size = reader_.number("num_beams", 1);
    if (out_->beam_size == 0 || out_->beam_size > DRAGOMAN_MAX_BEAM) {
      reader_.refuse("num_beams", "expected 1 to " + std::to_string(DRAGOMAN_MAX_BEAM));
    }
    out_->beam_rule = schema::BeamRule::HuggingFace;
    const std::string stopping = reader_.text("early_stopping", "false");
    if (stopping != "false" && stopping != "true" && stopping != "never") {
      reader_.refuse("early_stopping", "expected false, true or \"never\"");
    }
    out_->early_stopping = stopping == "true"    ? schema::EarlyStopping::AtOnce
                           : stopping == "never" ? schema::EarlyStopping::WhenImpossible
                                                 : schema::EarlyStopping::WhenUnlikely;
    out_->length_penalty = reader_.real_within("length_penalty", 1.0f, -DRAGOMAN_MAX_PENALTY, DRAGOMAN_MAX_PENALTY);
    out_->repetition_penalty =
        reader_.real_within("repetition_penalty", 1.0f, 1 / DRAGOMAN_MAX_PENALTY, DRAGOMAN_MAX_PENALTY);
    out_->no_repeat_ngram = reader_.number("no_repeat_ngram_size", 0);
    if (reader_.real("diversity_penalty", 0) != 0) reader_.refuse("diversity_penalty", "not supported");
    if (reader_.number("num_beam_groups", 1) != 1) reader_.refuse("num_beam_groups", "not supported");
    if (reader_.number("encoder_no_repeat_ngram_size", 0) != 0) {
      reader_.refuse("encoder_no_repeat_ngram_size", "not supported");
    }
    if (reader_.flag("do_sample", false))
      report_.notes.push_back("do_sample is set; sampling is the caller's to choose");
  }

  // What counts in log-probabilities, and what else would change them.
  void read_scores() {
    const bool renormalize = reader_.flag("renormalize_logits", false);
    out_->score_over_all = !renormalize;
    // Sums are taken before these are applied.
    if (renormalize && (out_->repetition_penalty != 1 || out_->no_repeat_ngram > 0 || !out_->bad_words.empty())) {
      reader_.refuse("renormalize_logits",
                     "not supported with repetition_penalty, no_repeat_ngram_size or bad words of several ids");
    }
    for (const char* factor : {"encoder_repetition_penalty", "guidance_scale"}) {
      if (reader_.real(factor, 1) != 1) reader_.refuse(factor, "not supported");
    }
    if (reader_.real("penalty_alpha", 0) != 0) reader_.refuse("penalty_alpha", "not supported");
    if (reader_.has("exponential_decay_length_penalty")) {
      reader_.refuse("exponential_decay_length_penalty", "not supported");
    }
  }

  const Source& source_;
  const NetworkFacts& facts_;
  ConvertReport& report_;
  Problems& problems_;
  OptionReader reader_;
  std::unique_ptr<schema::GenerationT> out_ = std::make_unique<schema::GenerationT>();
};

}  // namespace

std::unique_ptr<schema::GenerationT> hugging_face_generation(const Source& source, const NetworkFacts& facts,
                                                             ConvertReport* report, Problems* problems) {
  return Settings(source, facts, report, problems).read();
}

}  // namespace dragoman::converter
