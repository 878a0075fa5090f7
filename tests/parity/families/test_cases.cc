// Known failure cases of converters, as changed copies of the tiny models whose results were recorded from the
// framework that defines them. Neighbours: record_cases.py makes the same changes and records.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/parity/families/recording.h"
#include "tests/support/hugging_face_folder.h"
#include "tests/support/make_marian_model.h"
#include "tests/support/make_torch_checkpoint.h"

namespace dragoman {
namespace {

using nlohmann::json;
using test::FamilyModel;
using test::HuggingFaceFolder;
using test::Ids;

constexpr int32_t kMarianPad = 199, kMarianEnd = 0;

const std::string kFolder = DRAGOMAN_FAMILIES_DIR;

const json& all_cases() {
  static const json cases = test::read_recording(kFolder + "/cases.json");
  return cases;
}

const json& case_of(const std::string& name) {
  for (const json& entry : all_cases()) {
    if (entry["name"] == name) return entry;
  }
  FAIL("no recorded case " << name);
  return all_cases();
}

HuggingFaceFolder changed(const json& recorded) {
  HuggingFaceFolder folder(kFolder + "/" + recorded["family"].get<std::string>());
  folder.apply(recorded["edits"]);
  if (recorded.contains("config")) folder.config.update(recorded["config"]);
  return folder;
}

FamilyModel open(HuggingFaceFolder& folder, bool keep_float = true, size_t shards = 1) {
  converter::ConvertOptions options;
  options.input = folder.write(shards);
  options.weight_type = keep_float ? converter::WeightType::kF32 : converter::WeightType::kInt8;
  return FamilyModel(options, keep_float ? ops::Compute::kF32 : ops::Compute::kInt8);
}

void check_encoder(const FamilyModel& model, const json& recorded) {
  const std::vector<float>& states = model.encoder_states();
  const size_t width = states.size() / recorded["source"].size();
  test::check_rows(states, width, recorded["encoder_rows"], recorded["encoder"]);
}

void check_forced(FamilyModel& model, const json& recorded) {
  INFO(recorded["name"].get<std::string>());
  const std::vector<float> logits = model.forced_logits(recorded["source"], recorded["target"]);
  test::check_rows(logits, logits.size() / recorded["target"].size(), recorded["logit_rows"], recorded["logits"]);
  check_encoder(model, recorded);
}

void check_case(const std::string& name) {
  const json& recorded = case_of(name);
  HuggingFaceFolder folder = changed(recorded);
  FamilyModel model = open(folder);
  check_forced(model, recorded);
}

void check_search(const std::string& name) {
  const json& recorded = case_of(name);
  HuggingFaceFolder folder = changed(recorded);
  const FamilyModel model = open(folder);
  for (const uint32_t beam : {1u, 4u}) {
    INFO("beam " << beam);
    const auto found = model.translate({recorded["source"].get<Ids>()}, beam, test::kNewTokens,
                                       folder.generation.contains("forced_eos_token_id"));
    CHECK(found[0].ids == recorded[beam == 1 ? "greedy" : "beam4"].get<Ids>());
    if (beam == 4)
      CHECK(std::fabs(found[0].rank_score - recorded["beam4_score"].get<double>()) <= test::kScoreTolerance);
  }
}

// 5 to 180, as record_cases.py.
Ids made_up_ids(size_t count, uint32_t seed) {
  Ids ids;
  for (uint32_t state = seed; ids.size() < count;) {
    state = state * 1664525 + 1013904223;
    ids.push_back(static_cast<int32_t>(5 + (state >> 8) % 175));
  }
  return ids;
}

TEST_CASE("CV-01: encoder states of a source of 300 tokens, all three loaders", "[families]") {
  check_case("long marian");
  check_case("long m2m100");
  const json& recorded = case_of("long native marian");
  converter::ConvertOptions options;
  options.model = kFolder + "/marian-npz/post.npz";
  options.source_vocabulary = kFolder + "/marian-npz/post.vocab.yml";
  options.weight_type = converter::WeightType::kF32;
  FamilyModel native(options, ops::Compute::kF32);
  native.forced_logits(recorded["source"], {});
  check_encoder(native, recorded);
}

TEST_CASE("RT-09: T5, step by step over 130 positions, equals the whole sequence at once", "[families]") {
  check_case("long t5");
}

TEST_CASE("CV-02: an untied source table stands beside one table of target and output", "[families]") {
  check_case("untied source table");
}

// d_model 4, state [2, 0, 0, 0] in front of output row [3, 0, 0, 0]: every weight but the tables is zero.
float t5_first_logit(bool tied) {
  HuggingFaceFolder folder;
  folder.config = {{"model_type", "t5"},
                   {"d_model", 4},
                   {"d_kv", 4},
                   {"d_ff", 4},
                   {"num_heads", 1},
                   {"num_layers", 1},
                   {"num_decoder_layers", 1},
                   {"vocab_size", 8},
                   {"tie_word_embeddings", tied},
                   {"relative_attention_num_buckets", 4},
                   {"relative_attention_max_distance", 8},
                   {"decoder_start_token_id", 0},
                   {"eos_token_id", 1},
                   {"pad_token_id", 0}};
  std::vector<float> table(32, 0.0f);
  table[0] = 3;
  folder.add("shared.weight", {8, 4}, table);
  if (!tied) folder.add("lm_head.weight", {8, 4}, table);
  const auto attention = [&folder](const std::string& name) {
    for (const char* part : {".q", ".k", ".v", ".o"})
      folder.add(name + part + ".weight", {4, 4}, std::vector<float>(16));
  };
  const auto norm = [&folder](const std::string& name) { folder.add(name + ".weight", {4}, {1, 1, 1, 1}); };
  for (const std::string side : {"encoder", "decoder"}) {
    const std::string block = side + ".block.0.layer.";
    attention(block + "0.SelfAttention");
    folder.add(block + "0.SelfAttention.relative_attention_bias.weight", {4, 1}, {0, 0, 0, 0});
    norm(block + "0.layer_norm");
    const std::string last = block + (side == "encoder" ? "1" : "2");
    if (side == "decoder") attention(block + "1.EncDecAttention");
    if (side == "decoder") norm(block + "1.layer_norm");
    folder.add(last + ".DenseReluDense.wi.weight", {4, 4}, std::vector<float>(16));
    folder.add(last + ".DenseReluDense.wo.weight", {4, 4}, std::vector<float>(16));
    norm(last + ".layer_norm");
    norm(side + ".final_layer_norm");
  }
  FamilyModel model = open(folder);
  return model.forced_logits({2, 1}, {0})[0];
}

TEST_CASE("CV-04: the tied head's factor, in the tied case only", "[families]") {
  CHECK(std::fabs(t5_first_logit(true) - 3.0f) <= 1e-4f);
  CHECK(std::fabs(t5_first_logit(false) - 6.0f) <= 1e-4f);
}

TEST_CASE("CV-06: the logits' bias is added exactly once, in both shapes, and may be missing", "[families]") {
  const json& recorded = case_of("zero padding row");
  for (const bool keep_float : {true, false}) {
    INFO((keep_float ? "f32" : "int8"));
    HuggingFaceFolder folder(kFolder + "/marian");
    folder.tensors.erase("final_logits_bias");
    FamilyModel plain = open(folder, keep_float);
    const std::vector<float> without = plain.forced_logits(recorded["source"], recorded["target"]);
    for (const std::vector<uint64_t>& shape : {std::vector<uint64_t>{1, 200}, std::vector<uint64_t>{200}}) {
      std::vector<float> bias(200, 0.0f);
      bias[kMarianEnd] = 5;
      bias[17] = -0.25f;
      folder.add("final_logits_bias", shape, bias);
      FamilyModel model = open(folder, keep_float);
      const std::vector<float> with = model.forced_logits(recorded["source"], recorded["target"]);
      REQUIRE(with.size() == without.size());
      for (size_t i = 0; i < with.size(); ++i) CHECK(std::fabs(with[i] - without[i] - bias[i % 200]) <= 1e-5f);
    }
  }
}

TEST_CASE("CV-07: the decoder starts from position 0 over a zero row; another row counts as it is stored",
          "[families]") {
  const json& recorded = case_of("zero padding row");
  HuggingFaceFolder folder = changed(recorded);
  for (const bool keep_float : {true, false}) {
    FamilyModel model = open(folder, keep_float);
    std::vector<float> expected(32, 0.0f);
    std::fill(expected.begin() + 16, expected.end(), 1.0f);
    CHECK(model.first_decoder_input(recorded["source"], kMarianPad) == expected);
    CHECK(model.report().notes.end() ==
          std::find_if(model.report().notes.begin(), model.report().notes.end(),
                       [](const std::string& note) { return note.find("padding") != std::string::npos; }));
    if (keep_float) check_forced(model, recorded);
  }
  const json& tampered = case_of("padding row of 1000");
  HuggingFaceFolder other = changed(tampered);
  FamilyModel model = open(other);
  check_forced(model, tampered);
  const auto& notes = model.report().notes;
  CHECK(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note == "the row of the padding token 199, from which decoding starts, is not zero; it counts as stored";
  }));
}

TEST_CASE("CV-07: the padding token is never generated, however good its score", "[families]") {
  HuggingFaceFolder folder(kFolder + "/marian");
  folder.generation.erase("bad_words_ids");
  folder.tensors.at("final_logits_bias").values[kMarianPad] = 100;
  const FamilyModel model = open(folder);
  std::vector<Ids> sources;
  for (uint32_t i = 0; i < 1000; ++i) {
    sources.push_back(made_up_ids(1 + i % 9, i));
    sources.back().push_back(kMarianEnd);
  }
  for (const test::SearchKind kind : {test::SearchKind::kGreedy, test::SearchKind::kBeam, test::SearchKind::kSample}) {
    size_t padding = 0, tokens = 0;
    for (const test::Translation& translation : model.search(sources, kind, 8)) {
      padding += static_cast<size_t>(std::count(translation.ids.begin(), translation.ids.end(), kMarianPad));
      tokens += translation.ids.size();
    }
    CHECK(padding == 0);
    CHECK(tokens > 1000);
  }
}

TEST_CASE("CV-20: projections without a bias beside others that have one", "[families]") { check_case("no key bias"); }

TEST_CASE("f16 and bf16 weights give what the framework computes with the rounded numbers", "[families]") {
  const std::string family = GENERATE("marian", "bart", "m2m100", "t5", "mt5");
  const std::string type = GENERATE("F16", "BF16");
  const json& recorded = case_of(family + " in " + type);
  HuggingFaceFolder folder = changed(recorded);
  FamilyModel whole = open(folder);
  check_forced(whole, recorded);
  FamilyModel sharded = open(folder, true, 3);
  CHECK(sharded.forced_logits(recorded["source"], recorded["target"]) ==
        whole.forced_logits(recorded["source"], recorded["target"]));
}

TEST_CASE("PyTorch checkpoints of both kinds give what safetensors give, every family", "[families]") {
  const std::string name = GENERATE("marian in F16", "bart in F16", "m2m100 in F16", "t5 in F16", "mt5 in F16", "mbart",
                                    "umt5", "t5 with gated-silu");
  const json& recorded = case_of(name);
  HuggingFaceFolder folder = changed(recorded);
  FamilyModel safe = open(folder);
  const std::vector<float> expected = safe.forced_logits(recorded["source"], recorded["target"]);
  std::filesystem::remove(folder.path("model.safetensors"));
  for (const bool legacy : {false, true}) {
    test::write_bytes(folder.path("pytorch_model.bin"), test::torch_checkpoint(folder.tensors, legacy));
    FamilyModel model(test::float_options(folder.path("")), ops::Compute::kF32);
    CHECK(model.forced_logits(recorded["source"], recorded["target"]) == expected);
  }
}

TEST_CASE("RT-10: every activation by its name", "[families]") {
  for (const char* name : {"relu", "gelu", "gelu_new", "gelu_fast", "gelu_pytorch_tanh", "quick_gelu", "silu"}) {
    check_case(std::string("marian with ") + name);
  }
}

TEST_CASE("RT-10: T5's feed-forward layers by their names, gated and not", "[families]") {
  for (const char* name : {"gelu", "gated-silu", "gated-relu"}) check_case(std::string("t5 with ") + name);
}

TEST_CASE("mBART agrees with its recording", "[families]") {
  check_case("mbart");
  check_search("mbart");
}

TEST_CASE("UMT5 agrees with its recording", "[families]") {
  check_case("umt5");
  check_search("umt5");
}

}  // namespace
}  // namespace dragoman
