// Meaning of everything that deals in token ids and texts: vocabularies, shortlist, generation defaults.
// Neighbours: runs after verify_graph.cc, verify_languages.cc follows; tokenizer tables are checked by
// tokenizer_section when they are read.
#include <cmath>

#include "model/graph_view.h"
#include "model/model_view.h"
#include "model/verify.h"
#include "schema/model_generated.h"

namespace dragoman::model {

namespace {

Status verify_vocabularies(const schema::Model& model) {
  const schema::Graph& graph = *model.graph();
  const uint32_t source = graph.source_vocabulary();
  const uint32_t target = graph.target_vocabulary();
  if (source > kMaxVocabulary || target > kMaxVocabulary) {
    return Status::error(Code::kDamaged, "vocabularies: found %u source and %u target ids, at most %u are allowed",
                         source, target, kMaxVocabulary);
  }
  if (graph.step() != nullptr && target == 0) {
    return Status::error(Code::kDamaged, "vocabularies: found 0 target ids in a model that generates");
  }
  if (graph.max_source_positions() > kMaxVocabulary || graph.max_target_positions() > kMaxVocabulary) {
    return Status::error(Code::kDamaged, "positions: found %u source and %u target positions, at most %u are allowed",
                         graph.max_source_positions(), graph.max_target_positions(), kMaxVocabulary);
  }
  if (source != 0 && model.source_tokenizer() == nullptr) {
    return Status::error(Code::kDamaged, "tokenizer: found none in a model with %u source ids", source);
  }
  return {};
}

// An id below `limit`, or -1 where that means none.
Status verify_id(const char* what, int32_t id, uint32_t limit, bool may_be_absent) {
  if (id >= 0 && static_cast<uint32_t>(id) < limit) return {};
  if (id == -1 && may_be_absent) return {};
  return Status::error(Code::kDamaged, "generation: found %s %d, expected an id below %u%s", what, id, limit,
                       may_be_absent ? " or -1" : "");
}

Status verify_number(const char* what, float value, float lowest, float highest) {
  if (value >= lowest && value <= highest) return {};  // false for NaN
  return Status::error(Code::kDamaged, "generation: found %s %g, expected %g to %g", what, static_cast<double>(value),
                       static_cast<double>(lowest), static_cast<double>(highest));
}

// Ids below `limit`; `sequences`: not empty, each followed by -1.
Status verify_ids(const char* what, const flatbuffers::Vector<int32_t>* ids, uint32_t limit, bool sequences) {
  const uint32_t count = ids == nullptr ? 0 : ids->size();
  if (count > kMaxVocabulary) return Status::error(Code::kUnsupported, "generation: found %u ids (%s)", count, what);
  for (uint32_t i = 0; i < count; ++i) DRAGOMAN_RETURN_IF_ERROR(verify_id(what, ids->Get(i), limit, sequences));
  if (!sequences || count == 0) return {};
  bool empty = true;
  for (uint32_t i = 0; i < count; ++i) {
    const bool ends = ids->Get(i) == -1;
    if (ends && empty) return Status::error(Code::kDamaged, "generation: found an empty sequence (%s)", what);
    empty = ends;
  }
  if (empty) return {};
  return Status::error(Code::kDamaged, "generation: the last sequence is not followed by -1 (%s)", what);
}

// How to search.
Status verify_search(const schema::Generation& g, uint32_t limit) {
  if (g.beam_size() < 1 || g.beam_size() > kMaxBeamSize) {
    return Status::error(Code::kDamaged, "generation: found beam_size %u, expected 1 to %u", g.beam_size(),
                         kMaxBeamSize);
  }
  if (g.beam_rule() > schema::BeamRule::MAX || g.early_stopping() > schema::EarlyStopping::MAX) {
    return Status::error(Code::kUnsupported, "generation: found beam_rule %d and early_stopping %d, unknown here",
                         static_cast<int>(g.beam_rule()), static_cast<int>(g.early_stopping()));
  }
  DRAGOMAN_RETURN_IF_ERROR(verify_number("length_penalty", g.length_penalty(), -kMaxPenalty, kMaxPenalty));
  DRAGOMAN_RETURN_IF_ERROR(verify_number("word_penalty", g.word_penalty(), -kMaxPenalty, kMaxPenalty));
  DRAGOMAN_RETURN_IF_ERROR(verify_number("repetition_penalty", g.repetition_penalty(), 1 / kMaxPenalty, kMaxPenalty));
  DRAGOMAN_RETURN_IF_ERROR(verify_ids("forced id", g.forced_ids(), limit, false));
  return verify_ids("bad word", g.bad_words(), limit, true);
}

// The head whose attention shows the alignment is one of the decoder's.
Status verify_alignment(const schema::Generation& g, const schema::Graph& graph) {
  if (g.alignment_layer() == -1 && g.alignment_head() == -1) return {};
  int64_t num_layers = 0, num_heads = 0;  // heads of the layer that is asked for
  for (uint32_t i = 0; graph.step() != nullptr && i < graph.step()->nodes()->size(); ++i) {
    const schema::CrossAttention* attention = graph.step()->nodes()->Get(i)->op_as_CrossAttention();
    if (attention == nullptr) continue;
    if (g.alignment_layer() == -1 || g.alignment_layer() == num_layers) num_heads = attention->num_heads();
    ++num_layers;
  }
  if (num_heads > 0 && g.alignment_head() >= -1 && g.alignment_head() < num_heads) return {};
  return Status::error(
      Code::kDamaged,
      "generation: found alignment_layer %d and alignment_head %d; the decoder has %lld layers, of %lld heads",
      g.alignment_layer(), g.alignment_head(), static_cast<long long>(num_layers), static_cast<long long>(num_heads));
}

Status verify_generation(const schema::Model& model) {
  const schema::Generation& g = *model.generation();
  const schema::Graph& graph = *model.graph();
  const bool generates = graph.step() != nullptr;
  const uint32_t limit = generates ? graph.target_vocabulary() : graph.source_vocabulary();
  if (limit == 0) return {};  // neither reads nor writes ids
  DRAGOMAN_RETURN_IF_ERROR(verify_id("end_id", g.end_id(), limit, false));
  if (g.append_end() && graph.source_vocabulary() != 0) {
    DRAGOMAN_RETURN_IF_ERROR(verify_id("end_id", g.end_id(), graph.source_vocabulary(), false));
  }
  if (g.num_token_ids() > limit || (g.num_token_ids() > 0 && g.end_id() >= static_cast<int64_t>(g.num_token_ids()))) {
    return Status::error(Code::kDamaged, "generation: found num_token_ids %u with end_id %d and %u ids",
                         g.num_token_ids(), g.end_id(), limit);
  }
  DRAGOMAN_RETURN_IF_ERROR(verify_id("unknown_id", g.unknown_id(), limit, true));
  DRAGOMAN_RETURN_IF_ERROR(verify_id("start_id", g.start_id(), limit, true));
  const uint32_t num_suppressed = g.suppressed() == nullptr ? 0 : g.suppressed()->size();
  if (num_suppressed > limit) {
    return Status::error(Code::kDamaged, "generation: found %u suppressed ids of %u", num_suppressed, limit);
  }
  for (uint32_t i = 0; i < num_suppressed; ++i) {
    DRAGOMAN_RETURN_IF_ERROR(verify_id("suppressed id", g.suppressed()->Get(i), limit, false));
  }
  DRAGOMAN_RETURN_IF_ERROR(verify_search(g, limit));
  DRAGOMAN_RETURN_IF_ERROR(verify_alignment(g, graph));
  const float factor = g.max_length_factor();
  if (generates && !(std::isfinite(factor) && factor > 0.0f && factor <= kMaxLengthFactor)) {
    return Status::error(Code::kDamaged, "generation: found max_length_factor %g, expected above 0 and at most %g",
                         static_cast<double>(factor), static_cast<double>(kMaxLengthFactor));
  }
  return {};
}

// A U32 list of the payload, or an error that names `what`.
Result<std::span<const uint32_t>> u32_list(const VerifiedFile& file, const char* what, uint32_t index) {
  const auto& tensors = *file.model->tensors();
  if (index >= tensors.size()) {
    return Status::error(Code::kDamaged, "shortlist: its %s are tensor %u of %u", what, index, tensors.size());
  }
  const schema::Tensor& t = *tensors.Get(index);
  if (t.type() != schema::TensorType::U32 || t.shape()->size() != 1) {
    return Status::error(Code::kDamaged, "shortlist: its %s '%s' have type %s and %u dimensions, expected U32 and 1",
                         what, t.name()->c_str(), schema::EnumNameTensorType(t.type()), t.shape()->size());
  }
  return std::span<const uint32_t>(reinterpret_cast<const uint32_t*>(file.bytes.data() + t.offset()),
                                   static_cast<size_t>(t.bytes() / sizeof(uint32_t)));
}

// Ascending lists make the last id of each the greatest: one pass checks order and range together.
Status verify_lists(std::span<const uint32_t> offsets, std::span<const uint32_t> ids, uint32_t vocabulary) {
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    const size_t from = offsets[s], to = offsets[s + 1];
    if (from > to || to > ids.size()) {
      return Status::error(Code::kDamaged, "shortlist: the list of id %zu goes from %zu to %zu of %zu", s, from, to,
                           ids.size());
    }
    uint32_t disorder = 0;
    for (size_t i = from + 1; i < to; ++i) disorder |= static_cast<uint32_t>(ids[i] <= ids[i - 1]);
    if (disorder != 0 || (from < to && ids[to - 1] >= vocabulary)) {
      return Status::error(Code::kDamaged, "shortlist: the list of id %zu is not ascending and below %u", s,
                           vocabulary);
    }
  }
  return {};
}

Status verify_shortlist(const VerifiedFile& file) {
  const schema::Shortlist* shortlist = file.model->shortlist();
  if (shortlist == nullptr) return {};
  const uint32_t source = file.model->graph()->source_vocabulary();
  const uint32_t target = file.model->graph()->target_vocabulary();
  DRAGOMAN_ASSIGN_OR_RETURN(const auto offsets, u32_list(file, "offsets", shortlist->offsets()));
  DRAGOMAN_ASSIGN_OR_RETURN(const auto ids, u32_list(file, "ids", shortlist->ids()));
  if (offsets.size() != size_t{source} + 1 || offsets.front() != 0 || offsets.back() != ids.size()) {
    return Status::error(Code::kDamaged, "shortlist: found %zu offsets (expected %zu) or wrong ends of the %zu ids",
                         offsets.size(), size_t{source} + 1, ids.size());
  }
  if (shortlist->always() > target || shortlist->multiple() < 1 || shortlist->multiple() > kMaxVocabulary) {
    return Status::error(Code::kDamaged, "shortlist: found always %u, multiple %u with %u target ids",
                         shortlist->always(), shortlist->multiple(), target);
  }
  if (shortlist->copy_source() && source > target) {
    return Status::error(Code::kDamaged, "shortlist: copy_source with %u source and %u target ids", source, target);
  }
  return verify_lists(offsets, ids, target);
}

Status verify_provenance(const schema::Provenance* provenance) {
  if (provenance == nullptr || provenance->source_checksums() == nullptr) return {};
  const uint32_t files = provenance->source_files() == nullptr ? 0 : provenance->source_files()->size();
  const uint32_t checksums = provenance->source_checksums()->size();
  if (checksums == files) return {};
  return Status::error(Code::kDamaged, "provenance: found %u checksums of %u files", checksums, files);
}

}  // namespace

Status verify_text(const VerifiedFile& file) {
  const schema::Model& model = *file.model;
  DRAGOMAN_RETURN_IF_ERROR(verify_vocabularies(model));
  DRAGOMAN_RETURN_IF_ERROR(verify_generation(model));
  DRAGOMAN_RETURN_IF_ERROR(verify_shortlist(file));
  return verify_provenance(model.provenance());
}

}  // namespace dragoman::model
