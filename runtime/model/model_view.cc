// Opens a model and reads its typed parts out of the verified FlatBuffer.
// Neighbours: verify*.cc make every dereference here safe; graph_view.cc reads programs.
#include "model/model_view.h"

#include "model/file_header.h"
#include "model/verify.h"
#include "schema/model_generated.h"

namespace dragoman::model {

namespace {

static_assert(static_cast<int>(ElementType::kBF16) == static_cast<int>(schema::TensorType::BF16));
static_assert(static_cast<int>(schema::TensorType::MAX) == static_cast<int>(schema::TensorType::BF16));

std::string_view text(const flatbuffers::String* s) {
  return s == nullptr ? std::string_view() : std::string_view(s->c_str(), s->size());
}

template <typename T>
size_t size_of(const flatbuffers::Vector<T>* vector) {
  return vector == nullptr ? 0 : vector->size();
}

std::span<const int32_t> ids(const flatbuffers::Vector<int32_t>* vector) {
  return vector == nullptr ? std::span<const int32_t>() : std::span(vector->data(), vector->size());
}

LanguageInfo language_info(const schema::Language& language) {
  return {language.code()->c_str(), language.name() == nullptr ? "" : language.name()->c_str(), language.token()};
}

}  // namespace

Result<ModelView> ModelView::open(std::span<const std::byte> file, OpenOptions options) {
  DRAGOMAN_ASSIGN_OR_RETURN(const FileHeader header, verify_header(file));
  DRAGOMAN_ASSIGN_OR_RETURN(const schema::Model* root, verify_structure(file, header));
  const VerifiedFile verified{file, header, root};
  DRAGOMAN_RETURN_IF_ERROR(verify_tensors(verified));
  DRAGOMAN_RETURN_IF_ERROR(verify_graph(verified));
  DRAGOMAN_RETURN_IF_ERROR(verify_text(verified));
  DRAGOMAN_RETURN_IF_ERROR(verify_languages(verified));
  if (options.check_contents) DRAGOMAN_RETURN_IF_ERROR(verify_contents(verified));
  return ModelView(file, root);
}

uint32_t ModelView::revision() const { return reinterpret_cast<const FileHeader*>(file_.data())->revision; }
std::string_view ModelView::name() const { return text(root_->name()); }

size_t ModelView::num_tensors() const { return root_->tensors()->size(); }

TensorInfo ModelView::tensor_info(size_t index) const {
  const schema::Tensor& t = *root_->tensors()->Get(static_cast<uint32_t>(index));
  TensorInfo info;
  info.name = t.name()->c_str();
  info.type = static_cast<ElementType>(t.type());
  info.rank = t.shape()->size();
  for (uint32_t d = 0; d < info.rank; ++d) info.shape[d] = t.shape()->Get(d);
  info.offset = t.offset();
  info.bytes = t.bytes();
  info.scales = t.scales();
  info.row_sums = t.row_sums();
  info.checksum = t.checksum();
  return info;
}

TensorView ModelView::tensor(size_t index) const {
  const TensorInfo info = tensor_info(index);
  TensorView view;
  view.name = info.name;
  view.type = info.type;
  view.rows = 1;
  for (uint32_t d = 0; d + 1 < info.rank; ++d) view.rows *= static_cast<size_t>(info.shape[d]);
  view.columns = static_cast<size_t>(info.shape[info.rank - 1]);
  view.data = file_.data() + info.offset;
  const auto data_of = [&](int32_t i) {
    return file_.data() + root_->tensors()->Get(static_cast<uint32_t>(i))->offset();
  };
  const bool blocks = root_->tensors()->Get(static_cast<uint32_t>(index))->block() != 0;
  if (info.scales >= 0 && blocks) view.block_scales = reinterpret_cast<const uint16_t*>(data_of(info.scales));
  if (info.scales >= 0 && !blocks) view.scales = reinterpret_cast<const float*>(data_of(info.scales));
  if (info.row_sums >= 0) view.row_sums = reinterpret_cast<const int32_t*>(data_of(info.row_sums));
  return view;
}

int32_t ModelView::find_tensor(std::string_view name) const {
  for (uint32_t i = 0; i < root_->tensors()->size(); ++i) {
    if (text(root_->tensors()->Get(i)->name()) == name) return static_cast<int32_t>(i);
  }
  return -1;
}

ProgramView ModelView::program(ProgramKind kind) const {
  const schema::Graph& graph = *root_->graph();
  switch (kind) {
    case ProgramKind::kEncode: return ProgramView(graph.encode());
    case ProgramKind::kBegin: return ProgramView(graph.begin());
    case ProgramKind::kStep: return ProgramView(graph.step());
  }
  return ProgramView();
}

size_t ModelView::num_states() const { return size_of(root_->graph()->states()); }

StateInfo ModelView::state(size_t index) const {
  const schema::State& s = *root_->graph()->states()->Get(static_cast<uint32_t>(index));
  return {s.name()->c_str(), static_cast<RowSpace>(s.row_space()), s.width(), static_cast<StateKind>(s.kind())};
}

uint32_t ModelView::max_source_positions() const { return root_->graph()->max_source_positions(); }
uint32_t ModelView::max_target_positions() const { return root_->graph()->max_target_positions(); }
uint32_t ModelView::source_vocabulary() const { return root_->graph()->source_vocabulary(); }
uint32_t ModelView::target_vocabulary() const { return root_->graph()->target_vocabulary(); }

GenerationDefaults ModelView::generation() const {
  const schema::Generation& g = *root_->generation();
  GenerationDefaults defaults;
  defaults.end_id = g.end_id();
  defaults.unknown_id = g.unknown_id();
  defaults.start_id = g.start_id();
  defaults.suppressed = ids(g.suppressed());
  defaults.max_length_factor = g.max_length_factor();
  defaults.append_end = g.append_end();
  defaults.beam_size = g.beam_size();
  defaults.beam_rule = static_cast<BeamRule>(g.beam_rule());
  defaults.early_stopping = static_cast<EarlyStopping>(g.early_stopping());
  defaults.length_penalty = g.length_penalty();
  defaults.word_penalty = g.word_penalty();
  defaults.min_length = g.min_length();
  defaults.max_length = g.max_length();
  defaults.force_end = g.force_end();
  defaults.forced_ids = ids(g.forced_ids());
  defaults.bad_words = ids(g.bad_words());
  defaults.repetition_penalty = g.repetition_penalty();
  defaults.no_repeat_ngram = g.no_repeat_ngram();
  defaults.score_over_all = g.score_over_all();
  defaults.alignment_layer = g.alignment_layer();
  defaults.alignment_head = g.alignment_head();
  defaults.num_token_ids = g.num_token_ids() > 0 ? g.num_token_ids() : target_vocabulary();
  return defaults;
}

ShortlistView ModelView::shortlist() const {
  const schema::Shortlist* s = root_->shortlist();
  if (s == nullptr) return {};
  const TensorView offsets = tensor(s->offsets());
  const TensorView ids = tensor(s->ids());
  return {{static_cast<const uint32_t*>(offsets.data), offsets.size()},
          {static_cast<const uint32_t*>(ids.data), ids.size()},
          s->always(),
          s->multiple(),
          s->copy_source()};
}

const schema::Tokenizer* ModelView::source_tokenizer() const { return root_->source_tokenizer(); }

const schema::Tokenizer* ModelView::target_tokenizer() const {
  return root_->target_tokenizer() != nullptr ? root_->target_tokenizer() : root_->source_tokenizer();
}

size_t ModelView::num_source_languages() const { return size_of(root_->source_languages()); }
size_t ModelView::num_target_languages() const { return size_of(root_->target_languages()); }

LanguageInfo ModelView::source_language(size_t index) const {
  return language_info(*root_->source_languages()->Get(static_cast<uint32_t>(index)));
}

LanguageInfo ModelView::target_language(size_t index) const {
  return language_info(*root_->target_languages()->Get(static_cast<uint32_t>(index)));
}

LanguageLayoutView ModelView::language_layout() const {
  const schema::LanguageLayout* layout = root_->language_layout();
  LanguageLayoutView view;
  if (layout == nullptr) return view;
  view.present = true;
  view.source_prefix = ids(layout->source_prefix());
  view.source_suffix = ids(layout->source_suffix());
  view.forced_ids = ids(layout->forced_ids());
  view.start_is_target = layout->start_is_target();
  view.default_source = layout->default_source();
  view.default_target = layout->default_target();
  view.target_in_text = layout->target_in_text();
  view.num_pairs = size_of(layout->pairs());
  return view;
}

LanguagePairInfo ModelView::language_pair(size_t index) const {
  const schema::LanguagePair& pair = *root_->language_layout()->pairs()->Get(static_cast<uint32_t>(index));
  return {pair.source(), pair.target(), ids(pair.source_prefix())};
}

std::string_view ModelView::licence() const { return text(root_->licence()); }

std::string_view ModelView::family() const {
  return root_->provenance() == nullptr ? std::string_view() : text(root_->provenance()->family());
}

std::string_view ModelView::converter() const {
  return root_->provenance() == nullptr ? std::string_view() : text(root_->provenance()->converter());
}

std::string_view ModelView::conversion_options() const {
  return root_->provenance() == nullptr ? std::string_view() : text(root_->provenance()->options());
}

size_t ModelView::num_source_files() const {
  return root_->provenance() == nullptr ? 0 : size_of(root_->provenance()->source_files());
}

std::string_view ModelView::source_file(size_t index) const {
  return text(root_->provenance()->source_files()->Get(static_cast<uint32_t>(index)));
}

std::string_view ModelView::source_checksum(size_t index) const {
  const auto* checksums = root_->provenance()->source_checksums();
  return checksums == nullptr ? std::string_view() : text(checksums->Get(static_cast<uint32_t>(index)));
}

}  // namespace dragoman::model
