// Reads lines of any length and any bytes from a file descriptor or from memory, and tells whether the next one is
// there already, so that a caller can answer a pipe promptly. Neighbours: input_lines.h strings several together.
#pragma once

#include <cstdint>
#include <string>

namespace dragoman::cli {

// A line without its end. Bytes are as they were: NUL and invalid UTF-8 included.
struct Line {
  std::string text;
  bool carriage_return = false;  // it ended in CR LF (or in CR at the end of the input)
  std::string source;            // file name; empty for an argument, "" for standard input
  uint64_t number = 0;           // from 1 within its source
};

class LineReader {
 public:
  enum class Next { kLine, kEnd, kError };

  // `descriptor` is borrowed.
  explicit LineReader(int descriptor) : descriptor_(descriptor) {}
  // Lines of a text in memory.
  explicit LineReader(std::string text) : buffer_(std::move(text)), ended_(true) {}

  // Fills text and carriage_return. A last line without an end counts as a line. Blocks. After kError see error().
  Next next(Line* line);

  // True when next() would return without waiting for input.
  bool ready();

  uint64_t bytes_read() const { return bytes_read_; }
  int error() const { return error_; }  // errno

 private:
  bool find_end();  // true when a line end lies in the buffer
  void fill();      // one read(); sets ended_ or error_

  int descriptor_ = -1;
  std::string buffer_;
  size_t begin_ = 0;    // of the next line
  size_t scanned_ = 0;  // no line end before this
  bool ended_ = false;
  int error_ = 0;
  uint64_t bytes_read_ = 0;
};

}  // namespace dragoman::cli
