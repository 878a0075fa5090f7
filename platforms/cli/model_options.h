// Options that several commands share: which model, how it computes, what a session may hold, how it translates.
// Neighbours: every command that opens a model.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "dragoman/dragoman.hpp"
#include "exit_code.h"
#include "search_options.h"

namespace dragoman::cli {

// A check for options that name a file: an empty name, such as that of an unset shell variable, is no file.
CLI::Validator file_name();

struct ModelChoice {
  std::string path;
  std::string compute = "int8";
  bool verify = false;

  // `positional`: a name, if the model may also stand without -m.
  void add_to(CLI::App* command, const std::string& positional = "");
  // --model alone, without what concerns computing.
  CLI::Option* add_path(CLI::App* command, const std::string& positional = "");
};

// Opens the model or complains.
std::optional<Model> open_model(const ModelChoice& choice);

// Says why there is no session, by the options' names: kExitUsage for what they ask, kExitFile for the rest.
ExitCode fail_session(const Error& error);

// --batch, --threads, --max-source-tokens, --cache.
void add_session_options(CLI::App* command, SessionOptions* options);

// What a session reserves for options of translating, for a command that does not translate: --beam, --n-best,
// --max-length, --full-logits, --attention.
void add_reservation_options(CLI::App* command, SessionOptions* options);

// --from and --to.
struct LanguageChoice {
  std::string from;
  std::string to;

  void add_to(CLI::App* command);
  // Copies the choice into `options`, which then borrows from this.
  void apply(TranslateOptions* options) const;
  // False, after complaining with all the model's languages, when one is not known. Says so when a name is not met
  // exactly.
  bool check(const Model& model) const;
};

struct TranslateChoice {
  LanguageChoice languages;
  bool no_shortlist = false;
  bool one_sentence_per_line = false;
  float max_length_factor = 0;
  SearchChoice search;

  void add_to(CLI::App* command);
  // Borrows from this.
  TranslateOptions options() const;
};

// The texts given as TEXT and after "--". A word that looks like an option is complained of; then nothing.
struct TextArguments {
  std::string first;
  CLI::Option* option = nullptr;
  CLI::App* command = nullptr;
  const std::vector<std::string>* verbatim = nullptr;  // what stood after "--"

  void add_to(CLI::App* app, const std::vector<std::string>* verbatim_texts);
  std::optional<std::vector<std::string>> texts() const;
};

}  // namespace dragoman::cli
