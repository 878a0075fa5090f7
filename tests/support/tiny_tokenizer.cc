// The tiny model's tokenizer: its pieces, and the trie that finds them.
// Neighbours: tiny_model.cc has the network.
#include "tests/support/tiny_tokenizer.h"

#include <map>
#include <utility>

namespace dragoman::test {

namespace {

using schema::TensorType;

// A double array in the unit format of runtime/text/double_array.h. Roomy rather than tight: every inner node has a
// block of 256 units of its own, and all values lie in the last block. Unused units are leaves, which no byte matches.
class DoubleArrayWriter {
 public:
  std::vector<uint32_t> write(const std::map<std::string, uint32_t>& values) {
    Node root;
    for (const auto& [key, value] : values) {
      Node* node = &root;
      for (unsigned char c : key) node = &node->children[c];
      node->value = static_cast<int64_t>(value);
    }
    units_.assign(256, kLeaf);
    units_[0] = 0;
    place(root, 0);
    const uint32_t leaves = static_cast<uint32_t>(units_.size());
    units_.resize(leaves + 256, kLeaf);
    for (size_t i = 0; i < ends_.size(); ++i) {
      const uint32_t leaf = leaves + static_cast<uint32_t>(i);
      units_[leaf] = kLeaf | ends_[i].second;
      units_[ends_[i].first] |= (ends_[i].first ^ leaf) << 10 | kHasLeaf;
    }
    return std::move(units_);
  }

 private:
  static constexpr uint32_t kLeaf = 1u << 31;
  static constexpr uint32_t kHasLeaf = 1u << 8;
  struct Node {
    std::map<unsigned char, Node> children;
    int64_t value = -1;
  };

  void place(const Node& node, uint32_t unit) {
    if (node.children.empty()) {
      ends_.emplace_back(unit, static_cast<uint32_t>(node.value));
      return;
    }
    const uint32_t block = static_cast<uint32_t>(units_.size());
    units_.resize(block + 256, kLeaf);
    units_[unit] |= (unit ^ block) << 10;
    if (node.value >= 0) {
      units_[unit] |= kHasLeaf;
      units_[block] = kLeaf | static_cast<uint32_t>(node.value);
    }
    for (const auto& [label, child] : node.children) {
      units_[block + label] = label;
      place(child, block + label);
    }
  }

  std::vector<uint32_t> units_;
  std::vector<std::pair<uint32_t, uint32_t>> ends_;  // unit of a node without children, its value
};

}  // namespace

std::vector<std::string> tiny_pieces() {
  std::vector<std::string> pieces = {"</s>", "<unk>", "\xe2\x96\x81"};
  for (char c = 'a'; c <= 't'; ++c) pieces.emplace_back(1, c);
  pieces.emplace_back(".");
  return pieces;
}

void add_tiny_tokenizer(ModelBuilder& b) {
  const std::vector<std::string> pieces = tiny_pieces();
  std::vector<char> bytes;
  std::vector<uint32_t> offsets = {0};
  std::vector<float> scores;
  std::vector<uint8_t> types;
  std::map<std::string, uint32_t> keys;
  for (uint32_t i = 0; i < pieces.size(); ++i) {
    bytes.insert(bytes.end(), pieces[i].begin(), pieces[i].end());
    offsets.push_back(static_cast<uint32_t>(bytes.size()));
    scores.push_back(i < 2 ? 0.0f : -1.0f - 0.125f * static_cast<float>(i));
    types.push_back(static_cast<uint8_t>(i == 0   ? schema::PieceType::Control
                                         : i == 1 ? schema::PieceType::Unknown
                                                  : schema::PieceType::Normal));
    if (i >= 2) keys.emplace(pieces[i], i);
  }
  const std::vector<uint32_t> trie = DoubleArrayWriter().write(keys);
  auto tokenizer = std::make_unique<schema::TokenizerT>();
  tokenizer->kind = schema::TokenizerKind::Unigram;
  tokenizer->piece_bytes = b.add("tokenizer.bytes", TensorType::U8, {bytes.size()}, bytes);
  tokenizer->piece_offsets = b.add("tokenizer.offsets", TensorType::U32, {offsets.size()}, offsets);
  tokenizer->piece_scores = b.add("tokenizer.scores", TensorType::F32, {scores.size()}, scores);
  tokenizer->piece_types = b.add("tokenizer.types", TensorType::U8, {types.size()}, types);
  tokenizer->piece_trie = b.add("tokenizer.trie", TensorType::U32, {trie.size()}, trie);
  tokenizer->num_ids = static_cast<uint32_t>(pieces.size());
  tokenizer->unknown_id = 1;
  tokenizer->unknown_score = -20.0f;
  tokenizer->unknown_surface = " \xe2\x81\x87 ";
  tokenizer->end_id = 0;
  tokenizer->add_dummy_prefix = true;
  tokenizer->remove_extra_whitespaces = true;
  tokenizer->escape_whitespaces = true;
  b.model.source_tokenizer = std::move(tokenizer);
}

}  // namespace dragoman::test
