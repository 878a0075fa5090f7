// Where segmenters put the pieces they find: turns piece indices into ids, merges unknown runs, falls back to bytes.
// Neighbours: filled by unigram, bpe and simple_segmenters; made and read by Tokenizer::encode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/tokenizer_tables.h"

namespace dragoman::text {

// Lives for one encode call. Pieces must be added in text order, each starting where the last one ended.
class IdSink {
 public:
  // `begins` is empty or as long as `ids`.
  IdSink(const TokenizerTables& tables, std::string_view normalized, std::span<int32_t> ids, std::span<uint32_t> begins)
      : tables_(tables), normalized_(normalized), ids_(ids), begins_(begins) {}

  // normalized[begin, begin + bytes) is piece `index`, or has no piece when index is `unknown_id` (-1 included).
  // False when `ids` is full.
  [[nodiscard]] bool add(size_t begin, size_t bytes, int32_t index) {
    const bool unknown = index == tables_.unknown_id;
    const bool continues_run = unknown && after_unknown_;
    after_unknown_ = unknown;
    if (unknown && !tables_.byte_pieces.empty()) return add_bytes(begin, bytes);
    if (continues_run) return true;
    return add_id(begin, index);
  }

  // What is added from now on lies in `part`, which begins at `base` of the normalized text, and joins nothing before.
  void start_part(std::string_view part, size_t base) {
    normalized_ = part;
    base_ = base;
    after_unknown_ = false;
  }

  // As add, for words with spaces between them: unknown neighbours stay two.
  [[nodiscard]] bool add_apart(size_t begin, int32_t index) { return add_id(begin, index); }

  size_t size() const { return size_; }

 private:
  bool add_id(size_t begin, int32_t id) {
    if (size_ == ids_.size()) return false;
    if (!begins_.empty()) begins_[size_] = static_cast<uint32_t>(base_ + begin);
    ids_[size_++] = static_cast<uint32_t>(id) < tables_.num_ids ? id : tables_.unknown_id;
    return true;
  }

  bool add_bytes(size_t begin, size_t bytes) {
    for (size_t i = begin; i < begin + bytes; ++i) {
      const uint32_t piece = tables_.byte_pieces[static_cast<unsigned char>(normalized_[i])];
      if (!add_id(begin, static_cast<int32_t>(piece))) return false;
    }
    return true;
  }

  const TokenizerTables& tables_;
  std::string_view normalized_;
  std::span<int32_t> ids_;
  std::span<uint32_t> begins_;
  size_t size_ = 0;
  size_t base_ = 0;
  bool after_unknown_ = false;
};

}  // namespace dragoman::text
