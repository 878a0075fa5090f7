#include "tests/parity/families/family_model.h"

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>

#include "tests/support/translation.h"

namespace dragoman::test {
namespace {

// Keeps the value of one name, as it was computed last.
class StateRecorder final : public ops::Observer {
 public:
  explicit StateRecorder(std::string name) : name_(std::move(name)) {}
  void value(const char* name, const float* data, size_t rows, size_t width, size_t stride) override {
    if (name != name_) return;
    values.clear();
    for (size_t row = 0; row < rows; ++row)
      values.insert(values.end(), data + row * stride, data + row * stride + width);
  }
  void attention(const char*, size_t, const float*, size_t, size_t, size_t) override {}

  std::vector<float> values;

 private:
  std::string name_;
};

}  // namespace

FamilyModel::FamilyModel(const converter::ConvertOptions& given, ops::Compute compute)
    : path_(folder_.path("out.drg")), compute_(compute) {
  converter::ConvertOptions options = given;
  options.output = path_;
  Result<converter::ConvertReport> converted = converter::convert(options);
  INFO(options.input << ": " << converted.status().message());
  REQUIRE(converted.ok());
  report_ = std::move(converted.value());
  Result<model::MappedFile> file = model::MappedFile::map(path_.c_str());
  REQUIRE(file.ok());
  Result<std::unique_ptr<pipeline::Model>> opened = pipeline::Model::open(std::move(file.value()), {compute, true});
  INFO(opened.status().message());
  REQUIRE(opened.ok());
  model_ = std::move(opened.value());
  pipeline::SessionOptions session;
  session.full_logits = true;
  const size_t positions = model_->view().max_source_positions();
  session.max_source_tokens = positions == 0 ? 512 : std::min<size_t>(512, positions);
  session.attention = true;
  session.max_target_tokens = std::min<size_t>(256, model_->view().max_target_positions());
  Result<pipeline::Session*> created = pipeline::Session::create(*model_, session, nullptr, 0);
  INFO(created.status().message());
  REQUIRE(created.ok());
  session_ = created.value();
}

FamilyModel::~FamilyModel() {
  if (session_ != nullptr) pipeline::Session::destroy(session_);
}

void FamilyModel::begin_forced(const Ids& source) {
  const model::ProgramView encode = model_->view().program(model::ProgramKind::kEncode);
  StateRecorder recorder(encode.value(static_cast<size_t>(encode.output())).name);
  engine::Engine& engine = session_->translator().engine();
  engine.set_observer(&recorder);
  engine.release_all();
  const engine::EncodeRequest request{0, source, false};
  engine.encode({&request, 1});
  engine.set_observer(nullptr);
  encoder_states_ = recorder.values;
}

std::vector<float> FamilyModel::forced_attention(const Ids& source, const Ids& target,
                                                 const engine::AttentionHead& heads) {
  begin_forced(source);
  engine::Engine& engine = session_->translator().engine();
  engine.clear_attention_heads();
  const Status chosen = engine.add_attention_head(heads);
  INFO(chosen.message());
  REQUIRE(chosen.ok());
  std::vector<float> attention(target.size() * source.size());
  for (size_t t = 0; t < target.size(); ++t) {
    engine::StepRow row{target[t], static_cast<int32_t>(t), t == 0 ? -1 : 0, 0, 0};
    row.attention = attention.data() + t * source.size();
    kernels::TopK top;
    engine.step({&row, 1}, 1, {&top, 1});
  }
  return attention;
}

std::vector<float> FamilyModel::forced_logits(const Ids& source, const Ids& target) {
  begin_forced(source);
  engine::Engine& engine = session_->translator().engine();
  const size_t vocabulary = engine.vocabulary();
  std::vector<float> logits(target.size() * vocabulary);
  for (size_t t = 0; t < target.size(); ++t) {
    engine::StepRow row{target[t], static_cast<int32_t>(t), t == 0 ? -1 : 0, 0, 0};
    row.suppress = false;
    row.logits = logits.data() + t * vocabulary;
    kernels::TopK top;
    engine.step({&row, 1}, 1, {&top, 1});
  }
  return logits;
}

std::vector<float> FamilyModel::first_decoder_input(const Ids& source, int32_t id) {
  StateRecorder recorder("decoder.embedding");
  forced_logits(source, {});
  engine::Engine& engine = session_->translator().engine();
  engine.set_observer(&recorder);
  const engine::StepRow row{id, 0, -1, 0, 0};
  kernels::TopK top;
  engine.step({&row, 1}, 1, {&top, 1});
  engine.set_observer(nullptr);
  return recorder.values;
}

std::vector<Translation> FamilyModel::translate(const std::vector<Ids>& sources, uint32_t beam, uint32_t max_length,
                                                bool force_end) const {
  dragoman_translate_options options = dragoman_default_translate_options();
  options.beam = beam;
  options.max_length = max_length;
  options.force_end = force_end ? 1 : 0;
  return run(sources, options);
}

std::vector<Translation> FamilyModel::search(const std::vector<Ids>& sources, SearchKind kind,
                                             uint32_t max_length) const {
  constexpr uint32_t kBeam = 4;
  constexpr float kTemperature = 2.0f;
  dragoman_translate_options options = dragoman_default_translate_options();
  options.beam = kind == SearchKind::kBeam ? kBeam : 1;
  options.max_length = max_length;
  options.sample = kind == SearchKind::kSample;
  options.temperature = kTemperature;
  return run(sources, options);
}

std::vector<Translation> FamilyModel::run(const std::vector<Ids>& sources,
                                          const dragoman_translate_options& given) const {
  const OpenModel model(path_, compute_ == ops::Compute::kF32 ? DRAGOMAN_COMPUTE_F32 : DRAGOMAN_COMPUTE_INT8);
  dragoman_session_options limits = batch_options(16);
  limits.max_beam = given.beam;
  limits.max_target_tokens = given.max_length;
  limits.full_logits = given.sample;
  limits.attention = true;
  dragoman_translate_options options = given;
  options.max_length_factor = 1000;  // max_length alone limits
  options.attention = true;
  std::vector<Translation> translations;
  for (KeptInput& input : translate_ids(model.session(limits).get(), sources, &options)) {
    REQUIRE(input.segments.size() == 1);
    KeptSegment& found = input.segments[0];
    translations.push_back(
        {std::move(found.ids), std::bit_cast<float>(found.rank_score_bits), std::move(found.attention)});
  }
  return translations;
}

}  // namespace dragoman::test
