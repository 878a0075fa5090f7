// One line on standard error that grows while a long translation runs. Neighbours: translate.cc.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace dragoman::cli {

class Progress {
 public:
  // Nothing is ever written unless `shown` and standard error is a terminal. `total_bytes` 0: unknown.
  Progress(bool shown, uint64_t total_bytes);

  // Adds finished lines; redraws a few times a second.
  void add(uint64_t lines, uint64_t words, uint64_t bytes);

  // Clears the line, so that a message can be written.
  void clear();

 private:
  void draw();

  using Clock = std::chrono::steady_clock;
  bool shown_;
  bool drawn_ = false;
  uint64_t total_bytes_;
  uint64_t lines_ = 0;
  uint64_t words_ = 0;
  uint64_t bytes_ = 0;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_draw_ = begin_;
};

}  // namespace dragoman::cli
