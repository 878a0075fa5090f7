// Neighbours: tokenizer_json_reader.h.
#include <cmath>
#include <unordered_map>

#include "converter/formats/tokenizer_json_reader.h"

namespace dragoman::converter {
namespace {

using nlohmann::json;

constexpr size_t kMaxMerges = size_t{1} << 24;

// Tokens by id while they come in; every id and every spelling once.
class TokenTable {
 public:
  // At most `num_tokens` will come, so a higher id leaves a gap.
  explicit TokenTable(size_t num_tokens) : num_tokens_(num_tokens) {}

  Status add(uint32_t id, ScoredToken token, bool of_model) {
    const auto [at, is_new] = ids_.emplace(token.text, id);
    if (!is_new && at->second != id) {
      return Status::error(Code::kDamaged, "token '%.80s' has the ids %u and %u", token.text.c_str(), at->second, id);
    }
    if (!is_new)
      return of_model ? Status::error(Code::kDamaged, "token '%.80s' stands there twice", token.text.c_str())
                      : Status();
    if (id >= num_tokens_) {
      return Status::error(Code::kDamaged, "token '%.80s' has id %u, but there are only %zu tokens", token.text.c_str(),
                           id, num_tokens_);
    }
    if (id >= taken_.size()) grow(id);
    if (taken_[id]) {
      return Status::error(Code::kDamaged, "id %u belongs to '%.80s' and '%.80s'", id, tokens_[id].text.c_str(),
                           token.text.c_str());
    }
    taken_[id] = true;
    of_model_[id] = of_model;
    tokens_[id] = std::move(token);
    return Status();
  }

  // -1 when there is no such token.
  int64_t id_of(const std::string& text) const {
    const auto at = ids_.find(text);
    return at == ids_.end() ? -1 : static_cast<int64_t>(at->second);
  }

  Status finish(TokenizerJson* out) {
    for (size_t id = 0; id < taken_.size(); ++id) {
      if (taken_[id]) continue;
      return Status::error(Code::kDamaged, "no token has id %zu, the highest is %zu", id, taken_.size() - 1);
    }
    if (tokens_.empty()) return Status::error(Code::kDamaged, "model.vocab: no token");
    out->tokens = std::move(tokens_);
    out->of_model = std::move(of_model_);
    return Status();
  }

 private:
  void grow(uint32_t id) {
    taken_.resize(size_t{id} + 1, false);
    of_model_.resize(size_t{id} + 1, false);
    tokens_.resize(size_t{id} + 1);
  }

  size_t num_tokens_;
  std::unordered_map<std::string, uint32_t> ids_;
  std::vector<ScoredToken> tokens_;
  std::vector<bool> taken_;
  std::vector<bool> of_model_;
};

// [["<unk>", 0.0], ...]
Status read_unigram(const JsonPlace& model, TokenTable* table, TokenizerJson* out) {
  const JsonPlace vocab = model.at("vocab");
  if (!vocab.value().is_array() || vocab.value().size() >= kMaxTokenIds) return vocab.wrong("a list of tokens");
  for (size_t id = 0; id < vocab.value().size(); ++id) {
    const json& entry = vocab.value()[id];
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number()) {
      return vocab.at(id).wrong("a token and its score");
    }
    const double score = entry[1].get<double>();
    if (!std::isfinite(static_cast<float>(score))) return vocab.at(id).wrong("a finite score");
    DRAGOMAN_RETURN_IF_ERROR(table->add(static_cast<uint32_t>(id), {entry[0].get<std::string>(), score}, true));
  }
  if (model.at("unk_id").missing()) return Status();
  DRAGOMAN_ASSIGN_OR_RETURN(const uint32_t unknown, model.at("unk_id").id());
  if (unknown >= vocab.value().size()) return model.at("unk_id").wrong("an id of the vocabulary");
  out->unknown_id = unknown;
  return Status();
}

// "left right" or ["left", "right"].
Status read_merges(const JsonPlace& model, TokenizerJson* out) {
  const JsonPlace merges = model.at("merges");
  if (!merges.value().is_array() || merges.value().size() > kMaxMerges) return merges.wrong("a list of merges");
  for (size_t i = 0; i < merges.value().size(); ++i) {
    const json& entry = merges.value()[i];
    if (entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_string()) {
      out->merges.emplace_back(entry[0].get<std::string>(), entry[1].get<std::string>());
      continue;
    }
    const std::string pair = entry.is_string() ? entry.get<std::string>() : "";
    const size_t space = pair.find(' ');
    if (space == std::string::npos || pair.find(' ', space + 1) != std::string::npos) {
      return merges.at(i).wrong("two pieces");
    }
    out->merges.emplace_back(pair.substr(0, space), pair.substr(space + 1));
  }
  return Status();
}

// Options that no family of models here uses: they change ids when they are set.
Status check_bpe_options(const JsonPlace& model) {
  const JsonPlace dropout = model.at("dropout");
  if (!dropout.missing() && (!dropout.value().is_number() || dropout.value().get<double>() != 0)) {
    return Status::error(Code::kUnsupported, "model.dropout is not supported");
  }
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    const JsonPlace option = model.at(key);
    if (option.missing() || (option.value().is_string() && option.value().get_ref<const std::string&>().empty())) {
      continue;
    }
    return Status::error(Code::kUnsupported, "model.%s is not supported", key);
  }
  return Status();
}

Status read_bpe(const JsonPlace& model, TokenTable* table, TokenizerJson* out) {
  DRAGOMAN_RETURN_IF_ERROR(check_bpe_options(model));
  const JsonPlace vocab = model.at("vocab");
  if (!vocab.value().is_object()) return vocab.wrong("an object of tokens and ids");
  for (const auto& [token, id] : vocab.value().items()) {
    if (!id.is_number_unsigned() || id.get<uint64_t>() >= kMaxTokenIds) {
      return vocab.at(token).wrong("an id below 2^24");
    }
    DRAGOMAN_RETURN_IF_ERROR(table->add(static_cast<uint32_t>(id.get<uint64_t>()), {token, 0}, true));
  }
  DRAGOMAN_RETURN_IF_ERROR(read_merges(model, out));
  DRAGOMAN_ASSIGN_OR_RETURN(out->join_unknown, model.at("fuse_unk").flag(false));
  DRAGOMAN_ASSIGN_OR_RETURN(out->whole_words, model.at("ignore_merges").flag(false));
  if (model.at("unk_token").missing()) return Status();
  DRAGOMAN_ASSIGN_OR_RETURN(const std::string unknown, model.at("unk_token").text());
  out->unknown_id = table->id_of(unknown);
  if (out->unknown_id < 0) return model.at("unk_token").wrong("a token of the vocabulary");
  return Status();
}

}  // namespace

Status read_tokenizer_model(const JsonPlace& model, TokenizerJson* out) {
  // Files from before 2020 leave the type out; their vocabulary tells it.
  std::string type = model.at("vocab").value().is_array() ? "Unigram" : "BPE";
  if (!model.at("type").missing()) {
    DRAGOMAN_ASSIGN_OR_RETURN(type, model.at("type").text());
  }
  out->is_unigram = type == "Unigram";
  if (!out->is_unigram && type != "BPE") {
    return Status::error(Code::kUnsupported, "model.type: '%.60s' is not supported", type.c_str());
  }
  DRAGOMAN_ASSIGN_OR_RETURN(out->byte_fallback, model.at("byte_fallback").flag(false));
  TokenTable table(model.at("vocab").value().size() + out->added_tokens.size());
  DRAGOMAN_RETURN_IF_ERROR(out->is_unigram ? read_unigram(model, &table, out) : read_bpe(model, &table, out));
  for (const AddedTokenEntry& token : out->added_tokens) {
    DRAGOMAN_RETURN_IF_ERROR(table.add(token.id, {token.content, 0}, false));
  }
  return table.finish(out);
}

}  // namespace dragoman::converter
