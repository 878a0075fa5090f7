// Visits a view once; a text or a checksum is what comes out.
// Neighbours: see describe.h.
#include "tests/robustness/describe.h"

#include <cstdarg>
#include <cstdio>

#include "model/checksum.h"

namespace dragoman::test {

namespace {

// A line that is printed and then kept or summed, in a buffer of its own so that nothing allocates.
template <typename Sink>
class Describer {
 public:
  Describer(const model::ModelView& view, Sink& sink) : view_(view), sink_(sink) {}

  void run() {
    line("revision %u, name %.*s, licence %zu bytes", view_.revision(), static_cast<int>(view_.name().size()),
         view_.name().data(), view_.licence().size());
    for (size_t i = 0; i < view_.num_tensors(); ++i) tensor(i);
    for (size_t i = 0; i < view_.num_states(); ++i) {
      const model::StateInfo s = view_.state(i);
      line("state %s: %s, width %u", s.name, model::row_space_name(s.row_space), s.width);
    }
    for (size_t p = 0; p < model::kNumPrograms; ++p) program(static_cast<model::ProgramKind>(p));
    texts();
    ids();
    if (view_.language_layout().present) languages();
  }

 private:
  __attribute__((format(printf, 2, 3))) void line(const char* format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    std::vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    sink_.add(text);
  }

  void tensor(size_t index) {
    const model::TensorInfo i = view_.tensor_info(index);
    const TensorView t = view_.tensor(index);
    const auto* bytes = static_cast<const uint8_t*>(t.data);
    const unsigned first = i.bytes == 0 ? 0 : bytes[0], last = i.bytes == 0 ? 0 : bytes[i.bytes - 1];
    line("tensor %s: type %u, %zu x %zu, %llu bytes %02x..%02x, scale %g, row sum %d, checksum %016llx", t.name,
         static_cast<unsigned>(t.type), t.rows, t.columns, static_cast<unsigned long long>(i.bytes), first, last,
         t.scales == nullptr || t.rows == 0 ? 0.0 : static_cast<double>(t.scales[t.rows - 1]),
         t.row_sums == nullptr || t.rows == 0 ? 0 : t.row_sums[t.rows - 1],
         static_cast<unsigned long long>(i.checksum));
  }

  void program(model::ProgramKind kind) {
    const model::ProgramView p = view_.program(kind);
    line("program %s: present %d, input %d, output %d", model::program_name(kind), p.present(), p.input(), p.output());
    for (size_t i = 0; i < p.num_values(); ++i) {
      const model::ValueInfo v = p.value(i);
      line("  value %s: %s, width %u, state %d, fixed %u", v.name, model::row_space_name(v.row_space), v.width, v.state,
           v.fixed_rows);
    }
    for (size_t i = 0; i < p.num_nodes(); ++i) {
      const model::NodeInfo n = p.node(i);
      line("  node %s, options %s", model::op_name(n.op), n.options == nullptr ? "missing" : "present");
      for (const uint32_t v : n.inputs) line("    reads %s", p.value(v).name);
      for (const uint32_t v : n.outputs) line("    writes %s", p.value(v).name);
    }
  }

  void texts() {
    const auto text = [this](const char* what, std::string_view s) {
      line("%s: %.*s", what, static_cast<int>(s.size() < 200 ? s.size() : 200), s.data());
    };
    for (size_t i = 0; i < view_.num_source_languages(); ++i) text("source language", view_.source_language(i).code);
    for (size_t i = 0; i < view_.num_target_languages(); ++i) text("target language", view_.target_language(i).code);
    for (size_t i = 0; i < view_.num_source_files(); ++i) {
      text("source file", view_.source_file(i));
      text("source checksum", view_.source_checksum(i));
    }
    text("family", view_.family());
    text("converter", view_.converter());
    text("options", view_.conversion_options());
    line("tokenizers: %d, %d", view_.source_tokenizer() != nullptr, view_.target_tokenizer() != nullptr);
  }

  void ids() {
    line("vocabularies %u, %u; positions %u, %u", view_.source_vocabulary(), view_.target_vocabulary(),
         view_.max_source_positions(), view_.max_target_positions());
    const model::GenerationDefaults g = view_.generation();
    line("end %d, unknown %d, start %d, factor %g, append end %d", g.end_id, g.unknown_id, g.start_id,
         static_cast<double>(g.max_length_factor), g.append_end);
    for (const int32_t id : g.suppressed) line("suppressed %d", id);
    const model::ShortlistView s = view_.shortlist();
    line("shortlist: always %u, multiple %u, copy source %d", s.always, s.multiple, s.copy_source);
    for (size_t i = 0; i + 1 < s.offsets.size(); ++i) {
      uint64_t sum = 0;
      for (const uint32_t id : s.ids.subspan(s.offsets[i], s.offsets[i + 1] - s.offsets[i])) sum = sum * 31 + id;
      line("  list %zu: %u ids, sum %llu", i, s.offsets[i + 1] - s.offsets[i], static_cast<unsigned long long>(sum));
    }
  }

  void list(const char* what, std::span<const int32_t> ids) {
    for (const int32_t id : ids) line("  %s %d", what, id);
  }

  void languages() {
    const auto language = [this](const char* what, const model::LanguageInfo& info) {
      line("%s language %s: name %s, token %d", what, info.code, info.name, info.token);
    };
    for (size_t i = 0; i < view_.num_source_languages(); ++i) language("source", view_.source_language(i));
    for (size_t i = 0; i < view_.num_target_languages(); ++i) language("target", view_.target_language(i));
    const model::LanguageLayoutView l = view_.language_layout();
    line("language layout: start is target %d, defaults %d, %d, target in text %d", l.start_is_target, l.default_source,
         l.default_target, l.target_in_text);
    list("source prefix", l.source_prefix);
    list("source suffix", l.source_suffix);
    list("forced", l.forced_ids);
    for (size_t i = 0; i < l.num_pairs; ++i) {
      const model::LanguagePairInfo pair = view_.language_pair(i);
      line("pair of %s and %s", view_.source_language(pair.source).code, view_.target_language(pair.target).code);
      list("source prefix", pair.source_prefix);
    }
  }

  const model::ModelView& view_;
  Sink& sink_;
};

struct Text {
  void add(const char* line) { text.append(line).append("\n"); }
  std::string text;
};

struct Checksum {
  void add(const char* line) {
    hash = model::fnv1a(std::as_bytes(std::span(line, std::char_traits<char>::length(line))), hash);
  }
  uint64_t hash = model::kFnvOffsetBasis;
};

}  // namespace

std::string describe(const model::ModelView& view) {
  Text text;
  Describer<Text>(view, text).run();
  return text.text;
}

uint64_t walk(const model::ModelView& view) {
  Checksum checksum;
  Describer<Checksum>(view, checksum).run();
  return checksum.hash;
}

}  // namespace dragoman::test
