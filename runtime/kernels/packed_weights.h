// Weight matrices re-ordered for this machine's int8 and f32 kernels: one set per model, shared by its sessions.
// Neighbours: kernels/matmul packs into it and finds in it; the model owns it and reports its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "kernels/heap_account.h"

namespace dragoman::kernels {

// Starts empty. A matrix is recognised by the addresses and shape it was packed from, so those must stay where they are
// as long as this lives. Its public members may be called from any thread at any time.
class PackedWeights {
 public:
  PackedWeights() = default;
  // Every Matmul created from it must be gone.
  ~PackedWeights();
  PackedWeights(const PackedWeights&) = delete;
  PackedWeights& operator=(const PackedWeights&) = delete;

  // From now on nothing may be added: a product whose weights are not here is an error.
  void seal();

  // Bytes requested from the heap for all packed matrices, exact (each 64-byte aligned, with 128 bytes of
  // book-keeping).
  size_t bytes() const { return account_.bytes; }
  // Number of packed matrices.
  size_t count() const { return account_.blocks; }

 private:
  friend class PackingTurn;

  // What a packed matrix was made from. Equal keys mean equal packed bytes.
  struct Key {
    const void* weights;
    const void* scales;
    const void* bias;
    size_t inputs;
    size_t outputs;
    uint8_t kind;
    bool operator==(const Key&) const = default;
  };
  struct Entry {
    Key key;
    Entry* next;
  };

  std::mutex mutex_;
  HeapAccount account_;
  Entry* first_ = nullptr;
  bool sealed_ = false;
};

// One thread's turn at a PackedWeights, held while one operator is created: finds the packed matrix of one key, or
// takes memory for it and keeps it. For kernels/matmul.cc.
class PackingTurn {
 public:
  using Key = PackedWeights::Key;

  // Blocks until no other thread has a turn.
  PackingTurn(PackedWeights& weights, const Key& key);
  ~PackingTurn();
  PackingTurn(const PackingTurn&) = delete;
  PackingTurn& operator=(const PackingTurn&) = delete;

  // The packed matrix of the key, or null.
  void* find() const;
  // Memory for it, 64-byte aligned, or null: sealed (see refused()) or out of memory.
  void* reserve(size_t bytes);
  // Keeps what reserve() gave, now filled, and returns it. Without this call it is given back at the turn's end.
  void* keep();
  // True when reserve() found the set sealed.
  bool refused() const { return refused_; }

 private:
  PackedWeights& weights_;
  Key key_;
  PackedWeights::Entry* reserved_ = nullptr;
  bool refused_ = false;
};

}  // namespace dragoman::kernels
