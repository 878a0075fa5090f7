// Layer-by-layer parity of the f32 computation with the recorded reference, along the recorded greedy path; and, in
// int8, how often the recorded token is the best one.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <map>

#include "engine/engine.h"
#include "pipeline/model.h"
#include "pipeline/session.h"
#include "tests/parity/golden/golden_data.h"

namespace dragoman {
namespace {

using nlohmann::json;
using test::Array;

constexpr double kTolerance = 1e-4;
constexpr double kMinTeacherForced = 0.992;

// Keeps the last run's values by name.
class Recorder final : public ops::Observer {
 public:
  void value(const char* name, const float* data, size_t rows, size_t width, size_t stride) override {
    std::vector<float>& values = values_[name];
    values.clear();
    for (size_t row = 0; row < rows; ++row)
      values.insert(values.end(), data + row * stride, data + row * stride + width);
  }
  void attention(const char* name, size_t, const float* weights, size_t heads, size_t length, size_t stride) override {
    std::vector<float>& values = attention_[name];
    values.clear();
    for (size_t head = 0; head < heads; ++head) {
      values.insert(values.end(), weights + head * stride, weights + head * stride + length);
    }
  }

  const std::vector<float>& value(const std::string& name) const { return found(values_, name); }
  const std::vector<float>& attention(const std::string& name) const { return found(attention_, name); }

 private:
  using Values = std::map<std::string, std::vector<float>>;
  static const std::vector<float>& found(const Values& values, const std::string& name) {
    INFO("value " << name);
    REQUIRE(values.count(name) == 1);
    return values.at(name);
  }

  Values values_;
  Values attention_;
};

// The network of the converted model, one sentence at a time.
class Network {
 public:
  Network(const std::string& path, ops::Compute compute) {
    Result<model::MappedFile> file = model::MappedFile::map(path.c_str());
    REQUIRE(file.ok());
    Result<std::unique_ptr<pipeline::Model>> opened = pipeline::Model::open(std::move(file.value()), {compute, true});
    INFO(opened.status().message());
    REQUIRE(opened.ok());
    model_ = std::move(opened.value());
    Result<pipeline::Session*> created = pipeline::Session::create(*model_, {}, nullptr, 0);
    INFO(created.status().message());
    REQUIRE(created.ok());
    session_ = created.value();
  }
  ~Network() { pipeline::Session::destroy(session_); }

  engine::Engine& engine() { return session_->translator().engine(); }

  void encode(const std::vector<int32_t>& ids, bool use_shortlist) {
    engine().release_all();
    const engine::EncodeRequest request{0, ids, use_shortlist};
    engine().encode({&request, 1});
  }

  kernels::TopK step(int32_t previous, int32_t position, size_t top_k) {
    const engine::StepRow row{previous, position, position == 0 ? -1 : 0, 0, 0};
    kernels::TopK top;
    engine().step({&row, 1}, top_k, {&top, 1});
    return top;
  }

 private:
  std::unique_ptr<pipeline::Model> model_;
  pipeline::Session* session_ = nullptr;
};

json read_golden(const test::GoldenFiles& files) { return json::parse(std::ifstream(files.folder + "/enpt.json")); }

test::GoldenFiles golden_files() {
  std::string why;
  const std::optional<test::GoldenFiles> files = test::find_golden(&why);
  if (!files.has_value()) SKIP("golden values: " << why);
  return *files;
}

void check_close(const std::string& what, std::span<const float> computed, std::span<const float> golden) {
  INFO(what);
  CHECK(test::relative_distance(computed, golden) <= kTolerance);
}

void check_encoder(const Recorder& recorder, const json& detail, const std::string& folder) {
  const Array embedding = test::read_npy(folder + "/" + detail["emb_npy"].get<std::string>());
  check_close("embedding", recorder.value("encoder.embedding"), embedding.all());
  const Array layers = test::read_npy(folder + "/" + detail["enc_layers_npy"].get<std::string>());
  for (size_t layer = 0; layer < layers.shape[0]; ++layer) {
    const std::string name = "encoder.layer" + std::to_string(layer + 1);
    check_close(name, recorder.value(name), layers.at(layer));
  }
}

void check_step(const Recorder& recorder, const json& step) {
  check_close("decoder embedding", recorder.value("decoder.embedding"), test::flatten(step["emb"]));
  check_close("hidden", recorder.value("hidden"), test::flatten(step["hidden"]));
  for (size_t layer = 0; layer < step["ssru_cell"].size(); ++layer) {
    const std::string name = "decoder.layer" + std::to_string(layer + 1);
    check_close(name + ".cell", recorder.value(name + ".cell"), test::flatten(step["ssru_cell"][layer]));
    check_close(name + ".after_rnn", recorder.value(name + ".after_rnn"), test::flatten(step["after_rnn"][layer]));
    check_close(name + ".cross weights", recorder.attention(name + ".cross"),
                test::flatten(step["cross_probs"][layer]));
    check_close(name + ".after_cross", recorder.value(name + ".after_cross"),
                test::flatten(step["after_cross"][layer]));
  }
}

// The recording has the raw logit of the unknown token too, which the engine never shows.
void check_top20(const kernels::TopK& top, const json& golden) {
  std::vector<float> computed;
  std::vector<float> expected;
  for (size_t i = 0; i < golden["ids"].size(); ++i) {
    const int32_t id = golden["ids"][i];
    if (id == 1) continue;
    const auto* const end = top.ids + top.count;
    const auto* const found = std::find(top.ids, end, id);
    INFO("id " << id);
    REQUIRE(found != end);
    computed.push_back(top.logits[found - top.ids]);
    expected.push_back(golden["values"][i]);
  }
  check_close("top 20 logits", computed, expected);
}

void check_detail(Network& network, const json& detail, const std::string& folder, bool use_shortlist) {
  Recorder recorder;
  network.engine().set_observer(&recorder);
  network.encode(detail["ids"].get<std::vector<int32_t>>(), use_shortlist);
  check_encoder(recorder, detail, folder);
  if (use_shortlist) {
    const auto allowed = network.engine().allowed_ids(0);
    CHECK(std::vector<int32_t>(allowed.begin(), allowed.end()) == detail["shortlist"].get<std::vector<int32_t>>());
  }
  for (const json& step : detail["steps"]) {
    INFO("step " << step["t"]);
    const int32_t previous = step["prev"].is_null() ? -1 : step["prev"].get<int32_t>();
    const kernels::TopK top = network.step(previous, step["t"], kernels::kMaxTopK);
    check_step(recorder, step);
    check_top20(top, step[use_shortlist ? "top20_shortlist" : "top20_full"]);
  }
  network.engine().set_observer(nullptr);
}

TEST_CASE("f32 values agree with the recorded reference, layer by layer") {
  const test::GoldenFiles files = golden_files();
  const json golden = read_golden(files);
  Network network(files.model, ops::Compute::kF32);
  for (const bool use_shortlist : {false, true}) {
    for (const json& detail : golden["detail"]) {
      INFO("sentence " << detail["index"] << ", shortlist " << use_shortlist);
      check_detail(network, detail, files.folder, use_shortlist);
    }
  }
}

// Along the recorded greedy output of every `stride`-th sentence.
void check_teacher_forced(size_t stride) {
  const test::GoldenFiles files = golden_files();
  const json golden = read_golden(files);
  Network network(files.model, ops::Compute::kInt8);
  size_t tokens = 0;
  size_t best = 0;
  const json& sentences = golden["sentences"];
  for (size_t i = 0; i < sentences.size(); i += stride) {
    const json& sentence = sentences[i];
    auto target = sentence["greedy_ids_shortlist"].get<std::vector<int32_t>>();
    target.push_back(0);
    network.encode(sentence["ids"].get<std::vector<int32_t>>(), true);
    for (size_t t = 0; t < target.size(); ++t) {
      const kernels::TopK top = network.step(t == 0 ? -1 : target[t - 1], static_cast<int32_t>(t), 1);
      ++tokens;
      if (top.ids[0] == target[t]) ++best;
    }
  }
  INFO(best << " of " << tokens << " tokens are the best one");
  CHECK(static_cast<double>(best) >= kMinTeacherForced * static_cast<double>(tokens));
  WARN("teacher-forced int8: " << best << " of " << tokens << " tokens are the best one");
}

TEST_CASE("int8, teacher-forced along the recorded greedy output, finds the recorded tokens best") {
  check_teacher_forced(1);
}

TEST_CASE("int8, teacher-forced along a quarter of the recorded output, finds the recorded tokens best") {
  check_teacher_forced(4);
}

}  // namespace
}  // namespace dragoman
