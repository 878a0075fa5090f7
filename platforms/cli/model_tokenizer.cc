// The tokenizer inside a .drg model, through the C interface.
#include <utility>

#include "tokenizer.h"

namespace dragoman::cli {
namespace {

class ModelTokenizer final : public Tokenizer {
 public:
  ModelTokenizer(Model model, dragoman_side side) : model_(std::move(model)), side_(side) {}

  std::string encode(std::string_view text, std::vector<int32_t>* ids) const override {
    Expected<std::vector<int32_t>> result = model_.tokenize(side_, text);
    if (!result) return result.error().message();
    *ids = std::move(*result);
    return "";
  }

  std::string decode(const std::vector<int32_t>& ids, std::string* text) const override {
    Expected<std::string> result = model_.detokenize(side_, ids.data(), ids.size());
    if (!result) return result.error().message();
    *text = std::move(*result);
    return "";
  }

  std::string piece(int32_t id, std::string* piece) const override {
    const Expected<std::string_view> result = model_.piece(side_, id);
    if (!result) return result.error().message();
    piece->assign(*result);
    return "";
  }

 private:
  Model model_;
  dragoman_side side_;
};

}  // namespace

std::string Tokenizer::pieces(const std::vector<int32_t>& ids, std::vector<std::string>* pieces) const {
  pieces->assign(ids.size(), std::string());
  for (size_t i = 0; i < ids.size(); ++i) {
    std::string error = piece(ids[i], &(*pieces)[i]);
    if (!error.empty()) return error;
  }
  return "";
}

std::string Tokenizer::pieces_of_text(std::string_view /*text*/, const std::vector<int32_t>& ids,
                                      std::vector<std::string>* pieces) const {
  return this->pieces(ids, pieces);
}

std::unique_ptr<Tokenizer> model_tokenizer(Model model, dragoman_side side) {
  return std::make_unique<ModelTokenizer>(std::move(model), side);
}

}  // namespace dragoman::cli
