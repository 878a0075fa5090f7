// Redraws in place with a carriage return.
#include "progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace dragoman::cli {

Progress::Progress(bool shown, uint64_t total_bytes)
    : shown_(shown && isatty(STDERR_FILENO) == 1), total_bytes_(total_bytes) {}

void Progress::add(uint64_t lines, uint64_t words, uint64_t bytes) {
  lines_ += lines;
  words_ += words;
  bytes_ += bytes;
  if (!shown_ || Clock::now() < next_draw_) return;
  draw();
  next_draw_ = Clock::now() + std::chrono::milliseconds(250);
}

void Progress::draw() {
  const double seconds = std::max(1e-3, std::chrono::duration<double>(Clock::now() - begin_).count());
  std::fprintf(stderr, "\r%llu lines, %.0f words/s", static_cast<unsigned long long>(lines_),
               static_cast<double>(words_) / seconds);
  if (total_bytes_ > 0) {
    const double percent = 100.0 * static_cast<double>(bytes_) / static_cast<double>(total_bytes_);
    std::fprintf(stderr, ", %.0f%%", std::min(100.0, percent));
  }
  std::fputs("\033[K", stderr);
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::clear() {
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace dragoman::cli
