// dragoman, the command line program: parses, runs one command, returns its exit code.
// Neighbours: commands.h, one file per command.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>

#include "commands.h"
#include "dragoman/dragoman.h"

namespace {

constexpr const char* kFooter = R"(Examples:
  dragoman convert models/enpt -o en-pt.drg
  dragoman translate -m en-pt.drg "How are you today?"
  dragoman translate -m en-pt.drg --batch 16 --input book.txt -o livro.txt
  dragoman translate -m en-pt.drg --beam 4 --n-best 4 "How are you today?"
  dragoman translate --help

Exit codes: 0 done; 1 some lines failed; 2 wrong command line; 3 a model or file could not be used;
141 whoever read the output closed it.)";

int run(int argc, char** argv) {
  dragoman::cli::Invocation invocation;
  char** const dashes = std::find_if(argv, argv + argc, [](const char* word) { return std::string(word) == "--"; });
  if (dashes != argv + argc) invocation.verbatim.assign(dashes + 1, argv + argc);

  CLI::App program("Translation on this machine, with one model file.", "dragoman");
  program.set_version_flag("--version", std::string("dragoman ") + dragoman_version());
  program.set_help_all_flag("--help-all", "Help of every command");
  program.require_subcommand(1);
  program.footer(kFooter);
  dragoman::cli::add_convert(&program, &invocation);
  dragoman::cli::add_translate(&program, &invocation);
  dragoman::cli::add_score(&program, &invocation);
  dragoman::cli::add_inspect(&program, &invocation);
  dragoman::cli::add_tokenize(&program, &invocation);
  dragoman::cli::add_bench(&program, &invocation);
  try {
    program.parse(static_cast<int>(dashes - argv), argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? dragoman::cli::kExitOk : dragoman::cli::kExitUsage;
  }
  return invocation.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed output is seen when writing
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    return dragoman::cli::fail(dragoman::cli::kExitFile, error.what());
  }
}
