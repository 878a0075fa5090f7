// A SentencePiece file without a model around it, through the converter.
#include <utility>

#include "converter/converter.h"
#include "exit_code.h"
#include "tokenizer.h"

namespace dragoman::cli {
namespace {

// Moves the value out, or returns what went wrong.
template <typename T>
std::string take(Result<T> result, T* value) {
  if (!result.ok()) return result.status().message();
  *value = std::move(result.value());
  return "";
}

class SentencePieceFile final : public Tokenizer {
 public:
  explicit SentencePieceFile(std::unique_ptr<converter::SentencePieceTokenizer> file) : file_(std::move(file)) {}

  std::string encode(std::string_view text, std::vector<int32_t>* ids) const override {
    return take(file_->encode(text), ids);
  }

  std::string decode(const std::vector<int32_t>& ids, std::string* text) const override {
    return take(file_->decode(ids), text);
  }

  std::string piece(int32_t id, std::string* piece) const override {
    if (id < 0 || static_cast<uint32_t>(id) >= file_->num_ids()) {
      return "id " + std::to_string(id) + " is outside the vocabulary of " + std::to_string(file_->num_ids());
    }
    *piece = file_->piece(id);
    return "";
  }

  std::string pieces_of_text(std::string_view text, const std::vector<int32_t>& /*ids*/,
                             std::vector<std::string>* pieces) const override {
    return take(file_->surfaces(text), pieces);
  }

 private:
  std::unique_ptr<converter::SentencePieceTokenizer> file_;
};

}  // namespace

std::unique_ptr<Tokenizer> sentencepiece_tokenizer(const std::string& path) {
  std::unique_ptr<converter::SentencePieceTokenizer> file;
  const std::string error = take(converter::open_sentencepiece(path), &file);
  if (error.empty()) return std::make_unique<SentencePieceFile>(std::move(file));
  complain("cannot open the tokenizer: " + (error.find(path) == std::string::npos ? path + ": " + error : error));
  return nullptr;
}

}  // namespace dragoman::cli
