// Messages on standard error.
#include "exit_code.h"

#include <cstdio>

namespace dragoman::cli {

void complain(std::string_view message) {
  std::string line = "dragoman: ";
  line.append(message).push_back('\n');
  std::fwrite(line.data(), 1, line.size(), stderr);
}

ExitCode fail(ExitCode code, std::string_view message) {
  complain(message);
  return code;
}

}  // namespace dragoman::cli
