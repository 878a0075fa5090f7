// dragoman_describe: what a model holds and what a session of it would use, as text for people.
#include <cinttypes>
#include <cstring>

#include "graph/plan.h"
#include "pipeline/c_api.h"
#include "pipeline/languages.h"
#include "pipeline/text_writer.h"

namespace dragoman::pipeline {

namespace {

const char* element_name(ElementType type) {
  constexpr const char* kNames[] = {"f32", "f16", "i8", "u8", "i32", "u32", "u64", "i4", "bf16"};
  const auto index = static_cast<size_t>(type);
  return index < std::size(kNames) ? kNames[index] : "?";
}

void print_text(TextWriter* out, const char* label, std::string_view text) {
  if (!text.empty()) out->print("%-16s %.*s\n", label, static_cast<int>(text.size()), text.data());
}

// As the model's users know it, with the tag behind it where that is another.
void print_language(const model::LanguageInfo& info, TextWriter* out) {
  if (info.name[0] == '\0' || std::strcmp(info.name, info.code) == 0) {
    out->print(" %s", info.code);
  } else {
    out->print(" %s (%s)", info.name, info.code);
  }
}

// How many there are, the first few and what stands for none.
void describe_languages_briefly(const Model& model, Side side, const char* label, TextWriter* out) {
  constexpr size_t kShown = 6;
  const size_t count = num_languages(model.view(), side);
  const char* own = side == Side::kSource ? model.source_language() : model.target_language();
  if (count == 0) return;
  out->print("%-16s", label);
  if (count > 1) out->print(" %zu:", count);
  for (size_t i = 0; i < count && i < kShown; ++i) print_language(language(model.view(), side, i), out);
  if (count > kShown) out->print(" ...");
  if (count > 1 && own[0] != '\0') out->print(", %s if none is named", own);
  out->print("\n");
}

void describe_languages(const Model& model, TextWriter* out) {
  for (const Side side : {Side::kSource, Side::kTarget}) {
    out->print("%s languages: %zu\n", side == Side::kSource ? "source" : "target", num_languages(model.view(), side));
    for (size_t i = 0; i < num_languages(model.view(), side); ++i) {
      const model::LanguageInfo info = language(model.view(), side, i);
      out->print("  %-12s %-12s", info.code, info.name);
      if (info.token >= 0) out->print(" %8d", info.token);
      out->print("\n");
    }
  }
  const size_t num_pairs = model.view().language_layout().num_pairs;
  if (num_pairs > 0) out->print("pairs: %zu\n", num_pairs);
  for (size_t i = 0; i < num_pairs; ++i) {
    const model::LanguagePairInfo pair = model.view().language_pair(i);
    out->print("  %s -> %s\n", model.view().source_language(pair.source).code,
               model.view().target_language(pair.target).code);
  }
}

void describe_summary(const Model& model, TextWriter* out) {
  const model::ModelView& view = model.view();
  print_text(out, "name", view.name());
  print_text(out, "family", view.family());
  describe_languages_briefly(model, Side::kSource, "source languages", out);
  describe_languages_briefly(model, Side::kTarget, "target languages", out);
  out->print("%-16s %u source, %u target\n", "vocabulary", view.source_vocabulary(), view.target_vocabulary());
  out->print("%-16s %s\n", "shortlist", view.shortlist().present() ? "yes" : "no");
  out->print("%-16s %g x source ids\n", "maximum length", static_cast<double>(view.generation().max_length_factor));
  out->print("%-16s %zu\n", "tensors", view.num_tensors());
  out->print("%-16s %zu bytes, revision %u\n", "file", view.file().size(), view.revision());
  out->print("%-16s %zu bytes in %zu matrices\n", "packed weights", model.graph().weights.bytes(),
             model.graph().weights.count());
  print_text(out, "licence", view.licence());
  print_text(out, "converted by", view.converter());
  print_text(out, "options", view.conversion_options());
  for (size_t i = 0; i < view.num_source_files(); ++i) {
    const std::string_view name = view.source_file(i);
    const std::string_view checksum = view.source_checksum(i);
    out->print("%-16s %.*s  %.*s\n", "made from", static_cast<int>(name.size()), name.data(),
               static_cast<int>(checksum.size()), checksum.data());
  }
}

void describe_tensors(const Model& model, TextWriter* out) {
  out->print("%-48s %-5s %-20s %12s %12s\n", "tensor", "type", "shape", "offset", "bytes");
  for (size_t i = 0; i < model.view().num_tensors(); ++i) {
    const model::TensorInfo info = model.view().tensor_info(i);
    char shape_text[96];
    TextWriter shape(shape_text);
    for (uint32_t d = 0; d < info.rank; ++d) shape.print(d == 0 ? "%" PRIu64 : ", %" PRIu64, info.shape[d]);
    out->print("%-48s %-5s %-20s %12" PRIu64 " %12" PRIu64 "\n", info.name, element_name(info.type), shape_text,
               info.offset, info.bytes);
  }
}

void describe_program(const graph::LoweredGraph& graph, model::ProgramKind kind, TextWriter* out) {
  const model::ProgramView& program = graph.programs[static_cast<size_t>(kind)];
  out->print("program %s\n", model::program_name(kind));
  for (size_t i = 0; i < program.num_nodes(); ++i) {
    const model::NodeInfo node = program.node(i);
    out->print("  %3zu %-15s", i, model::op_name(node.op));
    for (const uint32_t input : node.inputs) out->print(" %s", program.value(input).name);
    for (const uint32_t output : node.outputs) {
      const model::ValueInfo value = program.value(output);
      out->print(" -> %s [%s, %u]", value.name, model::row_space_name(value.row_space), value.width);
      if (value.state >= 0) out->print(" in state %s", graph.model.state(static_cast<size_t>(value.state)).name);
    }
    out->print("\n");
  }
}

void describe_graph(const Model& model, TextWriter* out) {
  for (size_t i = 0; i < model.view().num_states(); ++i) {
    const model::StateInfo state = model.view().state(i);
    const bool cache = state.kind == model::StateKind::kPositionCache;
    out->print("state %s [%s%s, %u]\n", state.name, cache ? "position, " : "", model::row_space_name(state.row_space),
               state.width);
  }
  for (size_t i = 0; i < model::kNumPrograms; ++i) {
    describe_program(model.graph(), static_cast<model::ProgramKind>(i), out);
  }
}

void describe_buffers(const graph::MemoryPlan& plan, TextWriter* out) {
  out->print("temporary values (both schedules share the region; steps first-last)\n");
  for (const graph::PlannedBuffer& buffer : plan.buffers) {
    out->print("  %-6s %-32s %-4s rows %5zu  offset %10zu  bytes %10zu  steps %u-%u\n",
               buffer.schedule == graph::ScheduleKind::kSource ? "source" : "target", buffer.name,
               buffer.i8 ? "int8" : "f32", buffer.rows, buffer.offset, buffer.bytes, buffer.first, buffer.last);
  }
}

// Returns the bytes of all states.
size_t describe_states(const Model& model, const ops::Capacities& capacities, TextWriter* out) {
  constexpr const char* kCacheTypes[kernels::kNumCacheTypes] = {"f32", "f16", "int8"};
  size_t total = 0, cached = 0;
  for (size_t i = 0; i < model.view().num_states(); ++i) {
    const model::StateInfo state = model.view().state(i);
    const size_t bytes = graph::state_bytes(state, capacities);
    out->print("  state %-34s %12zu\n", state.name, bytes);
    total += bytes;
    if (state.kind == model::StateKind::kPositionCache) cached += bytes;
  }
  if (cached > 0) {
    out->print("  self-attention cache: %zu bytes of these, %zu positions x %zu slots, %s\n", cached,
               capacities.target_positions, capacities.hypothesis_rows,
               kCacheTypes[static_cast<size_t>(capacities.cache_type)]);
  }
  return total;
}

void describe_memory(const Model& model, const SessionOptions& options, TextWriter* out) {
  const Result<TranslatorLimits> limits = Session::limits(model, options);
  const Result<size_t> block = Session::required_bytes(model, options);
  if (!limits.ok() || !block.ok()) {
    out->print("error: %s\n", limits.ok() ? block.status().message() : limits.status().message());
    return;
  }
  const ops::Capacities capacities = engine::Engine::capacities(limits.value().engine);
  const graph::MemoryPlan plan = graph::make_memory_plan(model.graph(), capacities);
  describe_buffers(plan, out);
  size_t planned = align_up(plan.temporary_bytes);
  out->print("session block by part\n");
  out->print("  %-40s %12zu\n", "temporary values", planned);
  const size_t scratch = align_up(plan.scratch_stride * capacities.threads);
  out->print("  %-40s %12zu\n", "operators' scratch, all threads", scratch);
  planned += scratch;
  planned += describe_states(model, capacities, out);
  out->print("  %-40s %12zu\n", "operators, decoding, text and queues", block.value() - planned);
  out->print("%-42s %12zu\n", "session block", block.value());
  out->print("%-42s %12zu\n", "XNNPACK operators of the session", model.graph().operator_bytes);
  out->print("%-42s %12zu\n", "XNNPACK packed weights of the model", model.graph().weights.bytes());
}

}  // namespace
}  // namespace dragoman::pipeline

extern "C" size_t dragoman_describe(const dragoman_model* handle, const char* what,
                                    const dragoman_session_options* options, char* text, size_t capacity) {
  using namespace dragoman::pipeline;  // NOLINT(google-build-using-namespace): this file is the library's C face
  TextWriter out({text, text != nullptr ? capacity : 0});
  if (handle == nullptr || what == nullptr) return 0;
  const Model& model = from_handle(handle);
  if (std::strcmp(what, "graph") == 0) describe_graph(model, &out);
  if (std::strcmp(what, "memory") == 0) describe_memory(model, session_options(options), &out);
  if (std::strcmp(what, "languages") == 0) describe_languages(model, &out);
  if (std::strcmp(what, "tensors") == 0) describe_tensors(model, &out);
  if (std::strcmp(what, "summary") == 0) describe_summary(model, &out);
  return out.size();
}
