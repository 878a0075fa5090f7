// Reads one base64 line per text, writes one JSON object a line: ids, pieces, text, and begins and normalized.
// Neighbours: random_vs_sentencepiece.py drives it. `dragoman tokenize --spm FILE --base64` answers the same but
// begins.
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "base64.h"
#include "loaded_tokenizer.h"

int main(int argc, char** argv) {
  if (argc != 5 || std::string(argv[2]) != "--spm") {
    std::cerr << "usage: tokenize_driver tokenize --spm FILE --base64 < lines of base64\n";
    return 2;
  }
  try {
    dragoman::test::LoadedTokenizer tokenizer(argv[3]);
    std::ios::sync_with_stdio(false);
    for (std::string line; std::getline(std::cin, line);) {
      const dragoman::test::Tokens tokens = tokenizer.encode(dragoman::test::from_base64(line));
      const nlohmann::json object = {{"ids", tokens.ids},
                                     {"pieces", tokens.pieces},
                                     {"begins", tokens.begins},
                                     {"normalized", dragoman::test::to_base64(tokens.normalized)},
                                     {"text", dragoman::test::to_base64(tokens.decoded)}};
      std::cout << object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
