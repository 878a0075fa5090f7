// Normalizing one part of a text that is cut at added tokens: the rules of TokenizerTables::space_rules.
// Neighbours: normalizer.h; normalizer.cc has the replacement rules and the loop of SentencePiece.
#include "text/char_class.h"
#include "text/normalizer.h"
#include "text/normalizer_sinks.h"
#include "text/utf8.h"

namespace dragoman::text {

// What the loop over one part remembers.
struct PartState {
  bool wants_prefix = false;  // nothing was written so far, and a dummy space is due
  bool after_space = false;   // the last thing written is a space
  bool trims_end = false;
  size_t prefix_bytes = 0;
  size_t solid_end = 0;  // of the output, without white space at its end
};

bool Normalizer::is_trimmed(char32_t character) const {
  return (space_rules_ & kSpacesTrimOnlySpaces) != 0 ? character == U' ' : is_white_space(character);
}

// Bytes of `output` without the white space at its end.
size_t Normalizer::solid_bytes(std::string_view output) const {
  size_t end = output.size();
  while (end != 0) {
    const Decoded last = decode_before(output, end);
    if (!is_trimmed(last.code_point)) break;
    end -= last.bytes;
  }
  return end;
}

// `output` without the white space at its start.
std::string_view Normalizer::without_blanks(std::string_view output) const {
  while (!output.empty()) {
    const Decoded first = decode_one(output, 0);
    if (!is_trimmed(first.code_point)) break;
    output.remove_prefix(first.bytes);
  }
  return output;
}

template <typename Sink>
bool Normalizer::put_part(std::string_view output, size_t at, bool verbatim, PartState& state, Sink& sink) const {
  while (!output.empty()) {
    const bool space = output.front() == ' ';
    std::string_view run = space ? output.substr(0, 1) : output.substr(0, output.find(' '));
    output.remove_prefix(run.size());
    if (space && state.after_space && (space_rules_ & kSpacesFold) != 0) continue;
    const bool escaped = run.starts_with(space_) || space;
    if (state.wants_prefix && !(escaped && (space_rules_ & kSpacesPrefixUnlessThere) != 0)) {
      if (!sink.write(space_, at)) return false;
      state.prefix_bytes = sink.size();
    }
    state.wants_prefix = false;
    if (!space && state.after_space && (space_rules_ & kSpacesSplitWords) != 0 && run.starts_with(kEscapedSpace)) {
      run.remove_prefix(kEscapedSpace.size());
      state.solid_end = sink.size();
    }
    state.after_space = space;
    const size_t solid = state.trims_end ? solid_bytes(run) : 0;
    if (solid != 0) state.solid_end = sink.size() + solid;
    if (!(verbatim ? sink.copy(run, at) : sink.write(space ? space_ : run, at))) return false;
  }
  return true;
}

template <typename Sink>
bool Normalizer::run_part(std::string_view part, PartPlace place, Sink& sink) const {
  const bool every_part = (space_rules_ & kSpacesSplitWords) != 0;
  PartState state;
  state.trims_end = every_part || ((space_rules_ & kSpacesTrimEnd) != 0 && place.ends_text);
  state.wants_prefix = prefix_space_ && (place.first || (space_rules_ & kSpacesPrefixFirstOnly) == 0);
  bool trims_start = every_part || ((space_rules_ & kSpacesTrimStart) != 0 && place.starts_text);
  size_t at = 0;
  while (at < part.size()) {
    const size_t plain = trims_start ? 0 : plain_run(part, at);
    Prefix prefix = plain != 0 ? Prefix{part.substr(at, plain), plain} : next(part, at);
    if (trims_start) prefix.output = without_blanks(prefix.output);
    if (!prefix.output.empty()) trims_start = false;
    if (!put_part(prefix.output, at, plain != 0, state, sink)) return false;
    at += prefix.consumed;
  }
  if (state.trims_end) sink.trim_to(state.solid_end);
  if (sink.size() == state.prefix_bytes) sink.trim_to(0);
  if constexpr (requires { sink.finish(at); }) sink.finish(at);
  return true;
}

bool Normalizer::normalize_part(std::string_view part, PartPlace place, std::span<char> out, size_t& out_bytes) const {
  ByteSink sink(out);
  const bool fits = run_part(part, place, sink);
  out_bytes = sink.size();
  return fits;
}

void Normalizer::map_part_to_source(std::string_view part, PartPlace place, std::span<uint32_t> positions) const {
  PositionSink sink(positions);
  run_part(part, place, sink);
}

}  // namespace dragoman::text
