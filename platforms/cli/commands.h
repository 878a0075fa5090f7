// The commands of the program: each registers itself with the parser and leaves its exit code behind.
// Neighbours: main.cc calls them; one source file each.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "exit_code.h"

namespace dragoman::cli {

// Shared by the parser and the command that runs.
struct Invocation {
  std::vector<std::string> verbatim;  // arguments after "--"
  ExitCode exit_code = kExitOk;
};

void add_convert(CLI::App* program, Invocation* invocation);
void add_translate(CLI::App* program, Invocation* invocation);
void add_score(CLI::App* program, Invocation* invocation);
void add_inspect(CLI::App* program, Invocation* invocation);
void add_tokenize(CLI::App* program, Invocation* invocation);  // and detokenize
void add_bench(CLI::App* program, Invocation* invocation);

}  // namespace dragoman::cli
