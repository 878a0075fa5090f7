// Options of how to search: beam, sampling, constraints; and what to show of it.
// Neighbours: model_options.h, for every command that translates.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "attention_options.h"
#include "dragoman/dragoman.hpp"

namespace dragoman::cli {

struct SearchChoice {
  TranslateOptions options = Session::default_translate_options();  // as far as they are plain numbers
  std::string beam_rule;
  std::string early_stopping;
  std::vector<int32_t> forced_ids;
  std::vector<int32_t> suppressed_ids;
  std::vector<std::string> bad_words;  // each a line of ids
  AttentionChoice attention;

  void add_to(CLI::App* command);

  // Copies the choice into `chosen`, which then borrows from this.
  void apply(TranslateOptions* chosen) const;

  // Makes room for it in a session.
  void reserve(SessionOptions* session) const;

 private:
  void add_beam(CLI::App* command);
  void add_sampling(CLI::App* command);
  void add_constraints(CLI::App* command);

  std::vector<std::string> forced_ids_text_, suppressed_ids_text_;
  std::vector<int32_t> bad_word_ids_;  // of bad_words, each followed by -1
  bool force_end_ = false;
  CLI::Option* sample_option_ = nullptr;
  CLI::Option* force_end_option_ = nullptr;  // not given: as the model has it
};

}  // namespace dragoman::cli
