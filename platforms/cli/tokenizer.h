// One tokenizer for tokenize and detokenize, whether it comes from a .drg model or from a bare SentencePiece file.
// Neighbours: tokenize.cc; the library's and the converter's public headers beneath.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/dragoman.hpp"

namespace dragoman::cli {

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // Each returns "" or what went wrong. Ids carry no end token.
  virtual std::string encode(std::string_view text, std::vector<int32_t>* ids) const = 0;
  virtual std::string decode(const std::vector<int32_t>& ids, std::string* text) const = 0;
  virtual std::string piece(int32_t id, std::string* piece) const = 0;

  // The pieces of the ids that encode(text) gave; a bare SentencePiece file shows the text that an unknown id replaced.
  virtual std::string pieces_of_text(std::string_view text, const std::vector<int32_t>& ids,
                                     std::vector<std::string>* pieces) const;

  // The pieces of ids.
  std::string pieces(const std::vector<int32_t>& ids, std::vector<std::string>* pieces) const;
};

// The tokenizer of one side of a model.
std::unique_ptr<Tokenizer> model_tokenizer(Model model, dragoman_side side);

// That of a SentencePiece file, or null after complaining.
std::unique_ptr<Tokenizer> sentencepiece_tokenizer(const std::string& path);

}  // namespace dragoman::cli
