// Places one trie node after another: finds a free base for a node's children, depth first in key order.
// Neighbours: double_array_builder.h.
#include "converter/double_array_builder.h"

#include <algorithm>

namespace dragoman::converter {
namespace {

constexpr uint32_t kBlock = 256;
constexpr uint32_t kLeaf = 1u << 31;
constexpr uint32_t kHasLeaf = 1u << 8;
constexpr uint32_t kWideOffset = 1u << 9;
constexpr uint32_t kMaxUnits = 1u << 29;
// Blocks older than this are left as they are: keeps building linear at the cost of a few unused units.
constexpr uint32_t kOpenBlocks = 32;

// An offset is stored in 21 bits, or in 21 bits counted in blocks.
bool fits(uint32_t offset) { return offset < (1u << 21) || (offset & (kBlock - 1)) == 0; }

uint32_t encode_offset(uint32_t offset) {
  return offset < (1u << 21) ? offset << 10 : (offset >> 8) << 10 | kWideOffset;
}

uint32_t decode_offset(uint32_t unit) { return (unit & kWideOffset) != 0 ? unit >> 10 << 8 : unit >> 10; }

using KeysWithValues = std::vector<std::pair<std::string, uint32_t>>;

// Walks from unit to unit. Keys may share units where they end alike, so only the number of steps tells a cycle.
class KeyLister {
 public:
  KeyLister(std::span<const uint32_t> units, size_t max_key_bytes) : units_(units), max_key_bytes_(max_key_bytes) {}

  bool list(uint32_t unit) {
    if (steps_left_ == 0 || key_.size() > max_key_bytes_) return false;
    --steps_left_;
    const uint32_t children = unit ^ decode_offset(units_[unit]);
    if ((units_[unit] & kHasLeaf) != 0) keys_.emplace_back(key_, units_[children] & ~kLeaf);
    for (uint32_t byte = 1; byte < kBlock; ++byte) {
      const uint32_t child = children ^ byte;
      if ((units_[child] & (kLeaf | (kBlock - 1))) != byte) continue;
      key_.push_back(static_cast<char>(byte));
      if (!list(child)) return false;
      key_.pop_back();
    }
    return true;
  }

  KeysWithValues& keys() { return keys_; }

 private:
  static constexpr size_t kMaxSteps = size_t{1} << 21;

  std::span<const uint32_t> units_;
  size_t max_key_bytes_;
  size_t steps_left_ = kMaxSteps;
  std::string key_;
  KeysWithValues keys_;
};

class Builder {
 public:
  explicit Builder(const std::vector<std::pair<std::string, uint32_t>>& keys) : keys_(keys) {}

  Result<std::vector<uint32_t>> build() {
    grow();
    used_[0] = true;
    base_used_[0] = true;
    std::vector<Node> open = {{0, 0, keys_.size(), 0}};
    while (!open.empty()) {
      const Node node = open.back();
      open.pop_back();
      if (!place(node, open)) return Status::error(Code::kUnsupported, "trie of %zu keys is too large", keys_.size());
    }
    return std::move(units_);
  }

 private:
  // The unit of all keys in [first, last), which share their first `depth` bytes.
  struct Node {
    uint32_t unit;
    size_t first;
    size_t last;
    size_t depth;
  };

  // Byte after the common prefix; a key that ends there gives 0.
  unsigned char label(size_t key, size_t depth) const {
    return depth < keys_[key].first.size() ? static_cast<unsigned char>(keys_[key].first[depth]) : 0;
  }

  bool place(const Node& node, std::vector<Node>& open) {
    std::vector<unsigned char> labels;
    for (size_t i = node.first; i < node.last; ++i) {
      const unsigned char byte = label(i, node.depth);
      if (labels.empty() || labels.back() != byte) labels.push_back(byte);
    }
    if (labels.empty()) {  // no keys: the root's children lie in the first block and none exists
      units_[node.unit] |= encode_offset(1);
      return true;
    }
    uint32_t base = 0;
    if (!find_base(node.unit, labels, base)) return false;
    base_used_[base] = true;
    units_[node.unit] |= encode_offset(node.unit ^ base);
    std::vector<Node> children;
    size_t first = node.first;
    for (const unsigned char byte : labels) {
      const uint32_t unit = base ^ byte;
      take(unit);
      if (byte == 0) {
        units_[node.unit] |= kHasLeaf;
        units_[unit] = kLeaf | keys_[first].second;
        ++first;
        continue;
      }
      size_t last = first;
      while (last < node.last && label(last, node.depth) == byte) ++last;
      units_[unit] = byte;
      children.push_back({unit, first, last, node.depth + 1});
      first = last;
    }
    open.insert(open.end(), children.rbegin(), children.rend());
    return true;
  }

  bool find_base(uint32_t unit, const std::vector<unsigned char>& labels, uint32_t& base) {
    for (;;) {
      for (uint32_t free = first_free_; free < units_.size(); free = next_free_[free]) {
        base = free ^ labels.front();
        if (!base_used_[base] && fits(unit ^ base) && all_free(base, labels)) return true;
      }
      if (units_.size() >= kMaxUnits) return false;
      grow();
    }
  }

  bool all_free(uint32_t base, const std::vector<unsigned char>& labels) const {
    return std::none_of(labels.begin(), labels.end(), [&](unsigned char byte) { return used_[base ^ byte]; });
  }

  void take(uint32_t unit) {
    used_[unit] = true;
    const uint32_t before = previous_free_[unit];
    const uint32_t after = next_free_[unit];
    (before == kNothing ? first_free_ : next_free_[before]) = after;
    if (after < units_.size()) previous_free_[after] = before;
    if (unit == last_free_) last_free_ = before;
  }

  // Adds a block of free units at the end of the free list and closes the oldest open block.
  void grow() {
    const uint32_t begin = static_cast<uint32_t>(units_.size());
    const uint32_t end = begin + kBlock;
    units_.resize(end, kLeaf);  // a leaf's label matches no byte
    used_.resize(end, false);
    base_used_.resize(end, false);
    next_free_.resize(end);
    previous_free_.resize(end);
    for (uint32_t i = begin; i < end; ++i) {
      next_free_[i] = i + 1;
      previous_free_[i] = i == begin ? last_free_ : i - 1;
    }
    (last_free_ == kNothing ? first_free_ : next_free_[last_free_]) = begin;
    last_free_ = end - 1;
    if (begin == 0) {
      units_[0] = 0;
      take(0);
    }
    const uint32_t closed = end / kBlock > kOpenBlocks ? end - kOpenBlocks * kBlock : 0;
    while (first_free_ < closed) take(first_free_);
  }

  static constexpr uint32_t kNothing = UINT32_MAX;

  const std::vector<std::pair<std::string, uint32_t>>& keys_;
  std::vector<uint32_t> units_;
  std::vector<bool> used_;
  std::vector<bool> base_used_;
  std::vector<uint32_t> next_free_;  // list of free units, ascending; the last one's is the size
  std::vector<uint32_t> previous_free_;
  uint32_t first_free_ = kNothing;
  uint32_t last_free_ = kNothing;
};

}  // namespace

Result<std::vector<uint32_t>> build_double_array(std::vector<std::pair<std::string, uint32_t>> keys) {
  std::sort(keys.begin(), keys.end());
  for (size_t i = 0; i < keys.size(); ++i) {
    const std::string& key = keys[i].first;
    if (key.empty() || key.find('\0') != std::string::npos) {
      return Status::error(Code::kInvalidArgument, "trie key %u is empty or holds a NUL byte", keys[i].second);
    }
    if (i != 0 && key == keys[i - 1].first) {
      return Status::error(Code::kInvalidArgument, "piece '%.80s' is defined twice", key.c_str());
    }
    if (keys[i].second >= kLeaf) return Status::error(Code::kInvalidArgument, "trie value %u", keys[i].second);
  }
  return Builder(keys).build();
}

Status check_double_array(std::span<const uint32_t> units, size_t value_limit) {
  const size_t size = units.size();
  if (size == 0 || size % kBlock != 0 || (units[0] & (kLeaf | kHasLeaf)) != 0) {
    return Status::error(Code::kDamaged, "trie of %zu units: no whole blocks, or a damaged root", size);
  }
  for (size_t i = 0; i < size; ++i) {
    const uint32_t unit = units[i];
    if ((unit & kLeaf) != 0) continue;
    const size_t children = i ^ decode_offset(unit);
    const bool inside = children < size;
    const bool has_leaf = (unit & kHasLeaf) != 0;
    const uint32_t leaf = inside && has_leaf ? units[children] : kLeaf;
    if (!inside || (leaf & kLeaf) == 0 || (has_leaf && (leaf & ~kLeaf) >= value_limit)) {
      return Status::error(Code::kDamaged, "trie unit %zu of %zu points outside", i, size);
    }
  }
  return Status();
}

Result<std::vector<std::pair<std::string, uint32_t>>> list_double_array(std::span<const uint32_t> units,
                                                                        size_t max_key_bytes) {
  KeyLister lister(units, max_key_bytes);
  if (!lister.list(0)) {
    return Status::error(Code::kDamaged, "trie of %zu units has no end, or keys of more than %zu bytes", units.size(),
                         max_key_bytes);
  }
  return std::move(lister.keys());
}

}  // namespace dragoman::converter
