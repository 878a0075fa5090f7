// The bare tokenizer of converter.h: tables built in memory, the runtime's tokenizer over them.
// Neighbours: vocabulary reads the file, text/tokenizer does the work.
#include <limits>

#include "converter/converter.h"
#include "converter/vocabulary.h"
#include "text/tokenizer.h"

namespace dragoman::converter {
namespace {

// Owns the tables next to the tokenizer that borrows them.
class OwnedTokenizer final : public SentencePieceTokenizer {
 public:
  static Result<std::unique_ptr<SentencePieceTokenizer>> create(TokenizerData data) {
    auto owned = std::make_unique<TokenizerData>(std::move(data));
    DRAGOMAN_ASSIGN_OR_RETURN(text::Tokenizer tokenizer, text::Tokenizer::create(owned->view()));
    return std::unique_ptr<SentencePieceTokenizer>(new OwnedTokenizer(std::move(owned), tokenizer));
  }

  Result<std::vector<int32_t>> encode(std::string_view text) const override {
    Work work;
    DRAGOMAN_RETURN_IF_ERROR(encode_into(text, &work));
    return std::move(work.ids);
  }

  Result<std::vector<std::string>> surfaces(std::string_view text) const override {
    Work work;
    DRAGOMAN_RETURN_IF_ERROR(encode_into(text, &work));
    std::vector<std::string> result;
    for (size_t i = 0; i < work.ids.size(); ++i) {
      result.emplace_back(tokenizer_.surface(work.encoded, work.ids, work.begins, i));
    }
    return result;
  }

  Result<std::string> decode(const std::vector<int32_t>& ids) const override {
    std::string text(tokenizer_.max_decoded_bytes(ids.size()), '\0');
    DRAGOMAN_ASSIGN_OR_RETURN(const size_t bytes, tokenizer_.decode(ids, text));
    text.resize(bytes);
    return text;
  }

  std::string piece(int32_t id) const override { return std::string(tokenizer_.piece(id)); }
  uint32_t num_ids() const override { return static_cast<uint32_t>(tokenizer_.num_ids()); }

 private:
  struct Work {
    std::vector<std::byte> scratch;
    std::vector<int32_t> ids;
    std::vector<uint32_t> begins;
    text::Encoded encoded;
  };

  OwnedTokenizer(std::unique_ptr<TokenizerData> data, const text::Tokenizer& tokenizer)
      : data_(std::move(data)), tokenizer_(tokenizer) {}

  // Normalization may make a text grow; doubling ends at a bound that no rule exceeds.
  Status encode_into(std::string_view text, Work* work) const {
    for (size_t growth = 1;; growth *= 2) {
      const size_t room = (text.size() + 16) * growth;
      work->scratch.resize(tokenizer_.scratch_bytes(room));
      work->ids.resize(3 * room);
      work->begins.resize(work->ids.size());
      const Result<text::Encoded> encoded = tokenizer_.encode(text, {work->scratch, work->ids, work->begins, {}});
      if (!encoded.ok() && encoded.status().code() == Code::kLimit && growth < kMaxGrowth) continue;
      if (!encoded.ok()) return encoded.status();
      work->encoded = encoded.value();
      work->ids.resize(work->encoded.num_ids);
      work->begins.resize(work->encoded.num_ids);
      return Status();
    }
  }

  static constexpr size_t kMaxGrowth = 64;

  std::unique_ptr<TokenizerData> data_;
  text::Tokenizer tokenizer_;
};

}  // namespace

Result<std::vector<int32_t>> encode_text(const TokenizerData& data, const std::string& text) {
  DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<SentencePieceTokenizer> tokenizer, OwnedTokenizer::create(data));
  return tokenizer->encode(text);
}

Result<std::unique_ptr<SentencePieceTokenizer>> open_sentencepiece(const std::string& path) {
  DRAGOMAN_ASSIGN_OR_RETURN(TokenizerData data, read_vocabulary(path));
  return OwnedTokenizer::create(std::move(data));
}

}  // namespace dragoman::converter
