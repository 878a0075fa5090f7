// A SentencePiece model file as a ready tokenizer, with buffers, for tests.
// Neighbours: the driver, the fixture tests and the time bounds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "converter/tokenizer_builder.h"
#include "text/tokenizer.h"

namespace dragoman::test {

struct Tokens {
  std::vector<int32_t> ids;
  std::vector<std::string> pieces;
  std::vector<uint32_t> begins;  // in the given text
  std::string normalized;
  std::string decoded;
};

// Owns the tables; throws std::runtime_error with the message of what failed.
class LoadedTokenizer {
 public:
  explicit LoadedTokenizer(const std::string& path);
  explicit LoadedTokenizer(converter::TokenizerData data);

  Tokens encode(std::string_view text);
  std::vector<int32_t> ids_of(std::string_view text);
  std::string decode(const std::vector<int32_t>& ids) const;

  const text::Tokenizer& tokenizer() const { return *tokenizer_; }
  const converter::TokenizerData& data() const { return *data_; }

 private:
  std::unique_ptr<converter::TokenizerData> data_;
  std::unique_ptr<text::Tokenizer> tokenizer_;
  std::vector<std::byte> scratch_;
};

std::string read_file(const std::string& path);

}  // namespace dragoman::test
