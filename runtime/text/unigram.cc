// Viterbi forward, then the links are turned round and the pieces read off in text order.
// Neighbours: unigram.h; the piece trie in double_array.h.
#include "text/unigram.h"

#include "text/character_length.h"

namespace dragoman::text {
namespace {

// Beyond this sum the reference subtracts the common part from all live paths, so that floats keep their precision.
constexpr float kRebaseAbove = 100000.0f;

void offer(PathEnd& end, float score, size_t start, int32_t piece) {
  if (end.start != PathEnd::kUnreached && !(score > end.score)) return;
  end = {score, static_cast<uint32_t>(start), piece};
}

// Subtracts the score at `start` from every path that ends in [start, frontier].
void rebase(std::span<PathEnd> lattice, size_t start, size_t frontier) {
  const float offset = lattice[start].score;
  for (size_t i = start; i <= frontier; ++i) {
    if (i == start || lattice[i].start != PathEnd::kUnreached) lattice[i].score -= offset;
  }
}

// Paths through all pieces that begin at `start`; returns how far they reach. Sets `covered` when one of them is
// exactly the character at `start`.
size_t extend(const SegmenterContext& context, std::string_view text, size_t start, std::span<PathEnd> lattice,
              bool& covered) {
  const float here = lattice[start].score;
  const float* scores = context.tables->piece_scores.data();
  const size_t room = text.size() - start;
  const size_t stop = start + (room < context.max_piece_bytes ? room : context.max_piece_bytes);
  const size_t character_end = start + character_length(text, start);
  size_t reach = start;
  uint32_t unit = DoubleArray::kRoot;
  for (size_t at = start; at < stop; ++at) {
    unit = context.pieces.step(unit, static_cast<unsigned char>(text[at]));
    if (unit == DoubleArray::kNone) break;
    const uint32_t piece = context.pieces.value(unit);
    if (piece == DoubleArray::kNone) continue;
    reach = at + 1;
    offer(lattice[reach], scores[piece] + here, start, static_cast<int32_t>(piece));
    covered |= reach == character_end;
  }
  return reach;
}

// Every character start was reached, and each best path begins at one: so the links lead back to 0.
// Afterwards lattice[p].start says where the piece that begins at p ends, and lattice[p].piece what it is.
void turn_links(std::span<PathEnd> lattice, size_t end) {
  int32_t piece_after = 0;
  uint32_t end_after = 0;
  for (size_t at = end;;) {
    const PathEnd node = lattice[at];
    lattice[at].piece = piece_after;
    lattice[at].start = end_after;
    if (at == 0) return;
    piece_after = node.piece;
    end_after = static_cast<uint32_t>(at);
    at = node.start;
  }
}

}  // namespace

bool segment_unigram(const SegmenterContext& context, std::string_view text, std::span<PathEnd> lattice, IdSink& sink) {
  for (size_t i = 0; i <= text.size(); ++i) lattice[i] = {0.0f, PathEnd::kUnreached, -1};
  size_t frontier = 0;
  for (size_t start = 0; start < text.size();) {
    if (lattice[start].score < -kRebaseAbove || lattice[start].score > kRebaseAbove) rebase(lattice, start, frontier);
    bool covered = false;
    const size_t reach = extend(context, text, start, lattice, covered);
    if (reach > frontier) frontier = reach;
    const size_t next = start + character_length(text, start);
    if (!covered) {
      if (next > frontier) frontier = next;
      offer(lattice[next], context.tables->unknown_score + lattice[start].score, start, context.tables->unknown_id);
    }
    start = next;
  }
  turn_links(lattice, text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t end = lattice[at].start;
    if (!sink.add(at, end - at, lattice[at].piece)) return false;
    at = end;
  }
  return true;
}

}  // namespace dragoman::text
