// The exit codes of the program and the one way it speaks on standard error.
// Neighbours: every command; main.cc returns the code.
#pragma once

#include <string>
#include <string_view>

namespace dragoman::cli {

enum ExitCode : int {
  kExitOk = 0,
  kExitLinesFailed = 1,   // some lines could not be done; their messages stand on standard error
  kExitUsage = 2,         // the command line
  kExitFile = 3,          // a model or file could not be opened, read, written, converted or trusted
  kExitReaderGone = 141,  // whoever read the output closed it; silent, as if SIGPIPE had ended the program
};

// Writes "dragoman: <message>" and a line end to standard error in one piece.
void complain(std::string_view message);

// complain() and return `code`.
ExitCode fail(ExitCode code, std::string_view message);

}  // namespace dragoman::cli
