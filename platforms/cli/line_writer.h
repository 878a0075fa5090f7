// Writes output to a file descriptor whole or says why not. Neighbours: translate and tokenize.
#pragma once

#include <string>
#include <string_view>

#include "exit_code.h"

namespace dragoman::cli {

class LineWriter {
 public:
  LineWriter() = default;
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // Writes to `path` instead of standard output, emptying the file. On failure complains and returns kExitFile.
  ExitCode open(const std::string& path);

  // Writes all of `text` now; false once writing has failed (complained of, except when the reader has gone).
  bool write(std::string_view text);

  // Closes the file, if it is one. kExitOk, kExitFile or kExitReaderGone.
  ExitCode close();

  bool is_terminal() const;

 private:
  void give_up(int error);

  int descriptor_ = 1;
  std::string name_ = "standard output";
  ExitCode state_ = kExitOk;
};

}  // namespace dragoman::cli
