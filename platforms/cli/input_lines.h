// The lines a command works on: of arguments, of files one after another, or of standard input.
// Neighbours: line_reader.h reads each; translate, tokenize and bench consume.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "line_reader.h"

namespace dragoman::cli {

class InputLines {
 public:
  // Texts if there are any, else files ("-" is standard input), else standard input.
  InputLines(std::vector<std::string> texts, std::vector<std::string> files);
  ~InputLines();
  InputLines(const InputLines&) = delete;
  InputLines& operator=(const InputLines&) = delete;

  // The next line, or false at the end. A file that cannot be opened or read is complained of by name and passed
  // over; file_failed() then stays true. Blocks.
  bool next(Line* line);

  // True when next() would return without waiting for input.
  bool ready();

  bool file_failed() const { return file_failed_; }
  uint64_t bytes_read() const { return closed_bytes_ + (reader_ ? reader_->bytes_read() : 0); }
  // Size of all input if it is known beforehand (regular files), else 0.
  uint64_t total_bytes() const { return total_bytes_; }
  // True if one of the input files is the file that is written: `output`, or standard output if that is empty.
  bool reads_output(const std::string& output) const;

 private:
  bool open_next();
  void close_current();

  std::vector<std::string> texts_;
  std::vector<std::string> files_;
  size_t next_text_ = 0;
  size_t next_file_ = 0;
  std::optional<LineReader> reader_;
  int descriptor_ = -1;  // owned, -1 when standard input or memory is read
  std::string source_;
  uint64_t number_ = 0;
  uint64_t closed_bytes_ = 0;
  uint64_t total_bytes_ = 0;
  bool file_failed_ = false;
};

// True if both names lead to one regular file.
bool is_same_file(const std::string& one, const std::string& other);

// "file.txt: line 3: " or "line 3: ".
std::string line_name(const Line& line);

}  // namespace dragoman::cli
