// Options of what to show of the decoder's attention.
// Neighbours: search_options.h for commands that translate; score has them by themselves.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "dragoman/dragoman.hpp"

namespace dragoman::cli {

struct AttentionChoice {
  bool alignments = false;
  bool matrix = false;  // --attention

  // --alignments, --attention, --attention-heads.
  void add_to(CLI::App* command);
  // Copies the choice into `options`, which then borrows from this.
  void apply(TranslateOptions* options) const;
  // Whether a session needs room for it.
  bool wanted() const { return alignments || matrix; }

 private:
  std::vector<std::string> heads_text_;
  std::vector<AttentionHead> heads_;  // of heads_text_
};

}  // namespace dragoman::cli
