// A list of blocks, each an entry followed by its packed matrix; there are as many as a model has Linear nodes.
// Neighbours: see packed_weights.h; kernels/heap_blocks.h allocates.
#include "kernels/packed_weights.h"

#include <new>

#include "kernels/heap_blocks.h"

namespace dragoman::kernels {
namespace {

// The entry's room in front of the matrix: a whole cache line, so that the matrix stays aligned.
constexpr size_t kEntryBytes = 64;

template <typename Entry>
void* contents(Entry* entry) {
  return reinterpret_cast<std::byte*>(entry) + kEntryBytes;
}

}  // namespace

PackedWeights::~PackedWeights() {
  static_assert(sizeof(Entry) <= kEntryBytes);
  for (Entry* entry = first_; entry != nullptr;) {
    Entry* next = entry->next;
    release_heap_block(entry);
    entry = next;
  }
}

void PackedWeights::seal() {
  const std::lock_guard<std::mutex> lock(mutex_);
  sealed_ = true;
}

PackingTurn::PackingTurn(PackedWeights& weights, const Key& key) : weights_(weights), key_(key) {
  weights_.mutex_.lock();
}

PackingTurn::~PackingTurn() {
  release_heap_block(reserved_);
  weights_.mutex_.unlock();
}

void* PackingTurn::find() const {
  for (PackedWeights::Entry* entry = weights_.first_; entry != nullptr; entry = entry->next) {
    if (entry->key == key_) return contents(entry);
  }
  return nullptr;
}

void* PackingTurn::reserve(size_t bytes) {
  refused_ = weights_.sealed_;
  if (refused_ || reserved_ != nullptr || bytes > SIZE_MAX / 4) return nullptr;
  const ChargeHeapTo payer(weights_.account_);
  void* block = allocate_heap_block(kEntryBytes + bytes, kEntryBytes);
  if (block == nullptr) return nullptr;
  reserved_ = new (block) PackedWeights::Entry{key_, nullptr};
  return contents(reserved_);
}

void* PackingTurn::keep() {
  if (reserved_ == nullptr) return nullptr;
  PackedWeights::Entry* entry = reserved_;
  reserved_ = nullptr;
  entry->next = weights_.first_;
  weights_.first_ = entry;
  return contents(entry);
}

}  // namespace dragoman::kernels
