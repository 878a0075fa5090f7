// Neighbours: loaded_tokenizer.h.
#include "loaded_tokenizer.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "converter/vocabulary.h"

namespace dragoman::test {
namespace {

template <typename T>
T take(Result<T> result, const std::string& what) {
  if (!result.ok()) throw std::runtime_error(what + ": " + result.status().message());
  return std::move(result.value());
}

converter::TokenizerData load(const std::string& path) {
  if (path.ends_with(".json")) return take(converter::read_vocabulary(path), path);
  const std::string bytes = read_file(path);
  const auto model = take(converter::read_sentencepiece_model(std::as_bytes(std::span(bytes))), path);
  return take(converter::build_tokenizer(model), path);
}

}  // namespace

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

LoadedTokenizer::LoadedTokenizer(const std::string& path) : LoadedTokenizer(load(path)) {}

LoadedTokenizer::LoadedTokenizer(converter::TokenizerData data)
    : data_(std::make_unique<converter::TokenizerData>(std::move(data))) {
  tokenizer_ = std::make_unique<text::Tokenizer>(take(text::Tokenizer::create(data_->view()), "tokenizer"));
}

Tokens LoadedTokenizer::encode(std::string_view text) {
  // Room for the most a rule of the usual maps makes grow: 18 characters of 33 bytes out of one of 3.
  scratch_.resize(tokenizer_->scratch_bytes(6 * text.size()));
  Tokens tokens;
  tokens.ids.resize(18 * text.size() + 16);
  tokens.begins.resize(tokens.ids.size());
  std::vector<uint32_t> normalized_begins(tokens.ids.size());
  const text::Encoded encoded =
      take(tokenizer_->encode(text, {scratch_, tokens.ids, normalized_begins, tokens.begins}), "encode");
  tokens.ids.resize(encoded.num_ids);
  tokens.begins.resize(encoded.num_ids);
  for (size_t i = 0; i < encoded.num_ids; ++i) {
    tokens.pieces.emplace_back(tokenizer_->surface(encoded, tokens.ids, normalized_begins, i));
  }
  tokens.normalized = encoded.normalized;
  tokens.decoded = decode(tokens.ids);
  return tokens;
}

std::vector<int32_t> LoadedTokenizer::ids_of(std::string_view text) {
  scratch_.resize(tokenizer_->scratch_bytes(text.size()));
  std::vector<int32_t> ids(3 * text.size() + 16);
  ids.resize(take(tokenizer_->encode(text, {scratch_, ids, {}, {}}), "encode").num_ids);
  return ids;
}

std::string LoadedTokenizer::decode(const std::vector<int32_t>& ids) const {
  std::string out(tokenizer_->max_decoded_bytes(ids.size()), '\0');
  out.resize(take(tokenizer_->decode(ids, out), "decode"));
  return out;
}

}  // namespace dragoman::test
