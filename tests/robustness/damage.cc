// The variants of a damaged file, one kind after another.
// Neighbours: see damage.h.
#include "tests/robustness/damage.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>
#include <set>

#include "model/file_header.h"
#include "model/model_view.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/model_builder.h"

namespace dragoman::test {

namespace {

class Damager {
 public:
  Damager(std::span<const std::byte> original, const DamageOptions& options, const LoadAndUse& action)
      : original_(original), changed_(original), options_(options), action_(action), random_(options.seed) {
    std::memcpy(&header_, original.data(), sizeof(header_));
  }

  void truncate() {
    std::set<size_t> lengths = boundaries();
    for (size_t n = 0; n <= std::min(options_.first_bytes, original_.size() - 1); ++n) lengths.insert(n);
    for (size_t i = 0; i < options_.random_lengths; ++i) lengths.insert(random_() % original_.size());
    for (const size_t length : lengths) {
      if (!keeps()) continue;
      AlignedBytes file(original_.first(length));
      run(file.span(), {"truncated", length, 0});
      if (length < sizeof(header_)) continue;
      agree(file.span());
      run(file.span(), {"truncated, header agrees", length, 0});
    }
  }

  void flip_first_bits() {
    for (size_t bit = 0; bit < 8 * std::min(options_.first_bytes, original_.size()); ++bit) {
      if (!keeps()) continue;
      flip(bit);
      run(changed_.span(), {"bit flipped", bit / 8, bit % 8});
      flip(bit);
    }
  }

  void write_hostile_numbers() {
    const uint64_t n = original_.size();
    const uint32_t hostile32[] = {
        0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffc, static_cast<uint32_t>(n), 0x00ffffff};
    const uint64_t hostile64[] = {
        0, uint64_t{1} << 31, uint64_t{1} << 32, uint64_t{1} << 63, UINT64_MAX, UINT64_MAX - 63, n};
    for (size_t at = 0; at + 4 <= header_.payload_offset; at += 4) {
      for (const uint32_t number : hostile32) write("u32 written", at, number);
    }
    for (size_t at = 0; at + 8 <= header_.payload_offset; at += 8) {
      for (const uint64_t number : hostile64) write("u64 written", at, number);
    }
    for (size_t i = 0; i < options_.random_numbers; ++i) {
      const size_t numbers = (original_.size() - header_.payload_offset) / 4;
      write("u32 written", header_.payload_offset + 4 * (random_() % numbers), hostile32[random_() % 8]);
    }
  }

  void flip_random_bits() {
    for (size_t i = 0; i < options_.random_flips; ++i) {
      const size_t count = 1 + random_() % 8;
      size_t bits[8];
      for (size_t b = 0; b < count; ++b) bits[b] = random_() % (8 * original_.size());
      if (!keeps()) continue;
      for (size_t b = 0; b < count; ++b) flip(bits[b]);
      run(changed_.span(), {"random bits flipped", bits[0] / 8, count});
      for (size_t b = 0; b < count; ++b) flip(bits[b]);
    }
  }

  const DamageReport& report() const { return report_; }

 private:
  bool keeps() { return counter_++ % options_.keep_every == 0; }
  void flip(size_t bit) { changed_.span()[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8)); }

  template <typename Number>
  void write(const char* kind, size_t at, Number number) {
    if (!keeps()) return;
    std::memcpy(changed_.span().data() + at, &number, sizeof(number));
    run(changed_.span(), {kind, at, number});
    std::memcpy(changed_.span().data() + at, original_.data() + at, sizeof(number));
  }

  // Begin and end of everything that the header and the tensors' directory name, and one byte to either side.
  std::set<size_t> boundaries() const {
    std::set<uint64_t> at = {sizeof(header_), header_.model_offset + header_.model_bytes, header_.payload_offset};
    const auto view = model::ModelView::open(original_);
    for (size_t i = 0; view.ok() && i < view.value().num_tensors(); ++i) {
      const model::TensorInfo t = view.value().tensor_info(i);
      at.insert(t.offset);
      at.insert(t.offset + t.bytes);
    }
    std::set<size_t> all;
    for (const uint64_t b : at) {
      for (const uint64_t length : {b - 1, b, b + 1}) {
        if (length < original_.size()) all.insert(static_cast<size_t>(length));
      }
    }
    return all;
  }

  // Makes the header of a shortened file say what is there, so that later checks see it too.
  static void agree(std::span<std::byte> file) {
    model::FileHeader header;
    std::memcpy(&header, file.data(), sizeof(header));
    header.file_bytes = file.size();
    header.model_bytes = std::min<uint64_t>(header.model_bytes, file.size() - sizeof(header));
    if (file.size() < header.payload_offset) header.payload_offset = file.size() / 64 * 64;
    header.payload_bytes = file.size() - header.payload_offset;
    std::memcpy(file.data(), &header, sizeof(header));
  }

  void run(std::span<const std::byte> file, const Damage& damage) {
    reset_allocation_count();
    const auto start = std::chrono::steady_clock::now();
    const bool accepted = action_(file);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    const double allocated =
        file.empty() ? 0.0 : static_cast<double>(allocation_bytes()) / static_cast<double>(file.size());
    ++report_.variants;
    report_.accepted += accepted ? 1 : 0;
    if (time.count() > report_.slowest_ms) report_.slowest_ms = time.count(), report_.slowest = damage;
    if (allocated > report_.most_allocated) report_.most_allocated = allocated, report_.most_allocating = damage;
  }

  std::span<const std::byte> original_;
  AlignedBytes changed_;
  const DamageOptions& options_;
  const LoadAndUse& action_;
  std::mt19937_64 random_;
  model::FileHeader header_;
  DamageReport report_;
  size_t counter_ = 0;
};

}  // namespace

DamageReport damage_everywhere(std::span<const std::byte> original, const DamageOptions& options,
                               const LoadAndUse& action) {
  Damager damager(original, options, action);
  damager.truncate();
  damager.flip_first_bits();
  damager.write_hostile_numbers();
  damager.flip_random_bits();
  return damager.report();
}

}  // namespace dragoman::test
