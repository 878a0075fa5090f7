// dragoman, the command line program: parses, runs one command, returns its exit code.
// Neighbours: commands.h, one file per command.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <iostream>

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

// A file opened while a standard stream is closed would take its number, and messages would go into it. A stand-in
// refuses what the stream is for, so that using it is an error as before; messages have nowhere to go.
void reserve_standard_streams() {
  constexpr int kStandIn[] = {O_WRONLY, O_RDONLY, O_RDWR};
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) (void)open("/dev/null", kStandIn[stream]);
  }
}

// Help and version go through std::cout.
dragoman::cli::ExitCode printed() {
  using namespace dragoman::cli;  // NOLINT(google-build-using-namespace): exit codes
  return std::cout.flush() ? kExitOk : fail(kExitFile, "cannot write standard output");
}

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
  const char* command = dashes - argv > 1 ? argv[1] : "-";
  const auto is_named = [command](const CLI::App* one) { return one->check_name(command); };
  if (command[0] != '-' && program.get_subcommands(is_named).empty()) {
    return dragoman::cli::fail(dragoman::cli::kExitUsage, "no command '" + std::string(command) + "' (see --help)");
  }
  try {
    program.parse(static_cast<int>(dashes - argv), argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? printed() : dragoman::cli::kExitUsage;
  }
  return invocation.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  reserve_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // a closed output is seen when writing
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    return dragoman::cli::fail(dragoman::cli::kExitFile, error.what());
  }
}
