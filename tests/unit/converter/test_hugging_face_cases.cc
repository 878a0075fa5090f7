// Known failure cases of Hugging Face readers: tables, settings that contradict or are missing, vocabularies.
#include <flatbuffers/flatbuffers.h>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/unit/converter/converter_support.h"

namespace dragoman::test {
namespace {

const std::string kFolder = DRAGOMAN_FAMILIES_DIR;
const std::string kShared = "model.shared.weight";

HuggingFaceFolder tiny(const std::string& family) { return HuggingFaceFolder(kFolder + "/" + family); }

std::string refusal_of(HuggingFaceFolder& folder) {
  const Result<converter::ConvertReport> report = folder.convert();
  REQUIRE(!report.ok());
  CHECK(!std::filesystem::exists(folder.path("out.drg")));
  return report.status().message();
}

bool names(const std::string& message, const std::string& part) { return message.find(part) != std::string::npos; }

// Everything that the network computes with: graph and tensors, without what the sources' own bytes are recorded in.
std::vector<std::byte> network_bytes(const ConvertedModel& model) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::Graph::Pack(builder, model.description().graph.get()));
  const auto graph = std::as_bytes(builder.GetBufferSpan());
  std::vector<std::byte> bytes(graph.begin(), graph.end());
  for (const auto& tensor : model.description().tensors) {
    const TensorView view = model.tensor(tensor->name);
    const auto* data = static_cast<const std::byte*>(view.data);
    bytes.insert(bytes.end(), data, data + view.size() * (view.type == ElementType::kI8 ? 1 : sizeof(float)));
  }
  return bytes;
}

TEST_CASE("CV-02: source table and target table stay apart, the output is the target's and stored once",
          "[hugging_face]") {
  HuggingFaceFolder folder = tiny("marian");
  const FolderTensor table = folder.tensors.at(kShared);
  folder.tensors.erase(kShared);
  folder.config["share_encoder_decoder_embeddings"] = false;
  folder.config["tie_word_embeddings"] = true;
  for (const char* name : {"model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"}) {
    folder.tensors[name] = table;
  }
  folder.fill_row("model.encoder.embed_tokens.weight", 7, 1);
  folder.fill_row("model.decoder.embed_tokens.weight", 7, 2);
  folder.tensors["lm_head.weight"] = folder.tensors.at("model.decoder.embed_tokens.weight");
  const ConvertedModel model = model_of(folder);
  const std::vector<float> source = model.values("source_embedding"), target = model.values("target_embedding");
  CHECK(std::count(source.begin() + 7 * 32, source.begin() + 8 * 32, 1.0f) == 32);
  CHECK(std::count(target.begin() + 7 * 32, target.begin() + 8 * 32, 2.0f) == 32);
  size_t tables = 0;
  for (const auto& tensor : model.description().tensors) {
    tables += tensor->shape == std::vector<uint64_t>{200, 32} ? 1 : 0;
  }
  CHECK(tables == 2);
}

TEST_CASE("CV-09: settings for decoding from both files, from either one", "[hugging_face]") {
  const nlohmann::json old = {{"forced_bos_token_id", 7}, {"num_beams", 5}, {"max_length", 20}};
  const nlohmann::json now = {{"forced_bos_token_id", 9}, {"num_beams", 4}, {"max_length", 200}};
  const auto check = [&](bool in_config, bool in_generation, const nlohmann::json& wins) {
    HuggingFaceFolder folder = tiny("m2m100");
    for (const char* key : {"forced_bos_token_id", "num_beams", "max_length"}) folder.generation.erase(key);
    if (in_config) folder.config.update(old);
    if (in_generation) folder.generation.update(now);
    converter::ConvertReport report;
    const ConvertedModel model = model_of(folder, &report);
    const schema::GenerationT& generation = *model.description().generation;
    CHECK(generation.forced_ids == std::vector<int32_t>{wins["forced_bos_token_id"]});
    CHECK(generation.beam_size == wins["num_beams"]);
    CHECK(generation.max_length == wins["max_length"].get<uint32_t>() - 1);  // the start token is not counted
    const bool both = in_config && in_generation;
    CHECK(notes_name(report, "'forced_bos_token_id' is 7 in config.json and 9 in generation_config.json") == both);
    CHECK(notes_name(report, "'num_beams' is 5 in config.json and 4 in generation_config.json") == both);
    CHECK(notes_name(report, "'max_length' is 20 in config.json and 200 in generation_config.json") == both);
  };
  check(true, true, now);
  check(true, false, old);
  check(false, true, now);
}

TEST_CASE("CV-09: a folder without generation_config.json takes the settings of config.json", "[hugging_face]") {
  HuggingFaceFolder folder = tiny("marian");
  folder.config.update(folder.generation);
  folder.config["num_beams"] = 6;
  folder.generation.clear();
  const ConvertedModel model = model_of(folder);
  CHECK(model.description().generation->beam_size == 6);
  CHECK(model.description().generation->start_id == 199);
}

TEST_CASE("settings for decoding that would change the output are followed or refused, from either file",
          "[hugging_face]") {
  const nlohmann::json refused = {{"exponential_decay_length_penalty", {5, 1.2}},
                                  {"encoder_repetition_penalty", 1.5},
                                  {"guidance_scale", 2.0},
                                  {"penalty_alpha", 0.6},
                                  {"sequence_bias", {{{3}, -1.0}}},
                                  {"stop_strings", {"."}},
                                  {"forced_decoder_ids", {{1, 5}}},
                                  {"length_penalty", 101},
                                  {"repetition_penalty", 0},
                                  {"early_stopping", "banana"},
                                  {"min_length", 5000},
                                  {"bad_words_ids", {{5, 99999}}}};
  for (const auto& [key, value] : refused.items()) {
    INFO(key);
    HuggingFaceFolder folder = tiny("marian");
    folder.generation[key] = value;
    CHECK(names(refusal_of(folder), "option '" + key + "'"));
  }
  HuggingFaceFolder old = tiny("bart");
  old.config["exponential_decay_length_penalty"] = {5, 1.2};
  CHECK(names(refusal_of(old), "option 'exponential_decay_length_penalty'"));
  HuggingFaceFolder sampled = tiny("marian");
  sampled.generation.update({{"temperature", 0.7}, {"top_k", 20}, {"cache_implementation", "static"}});
  model_of(sampled);
}

TEST_CASE("CV-13: a vocabulary far smaller than the table is noted", "[hugging_face]") {
  HuggingFaceFolder folder(std::string(DRAGOMAN_DATA_DIR) + "/multilingual/umt5");
  const auto note = "entries, the model's table 144 rows";
  const auto intact = folder.convert();
  REQUIRE(intact.ok());
  CHECK_FALSE(notes_name(intact.value(), note));
  std::filesystem::remove(folder.path("out.drg"));
  const TemporaryFolder files;
  write_bytes(files.path("spiece.model"), make_sentencepiece_model(32));
  folder.tokenizer_files["spiece.model"] = files.path("spiece.model");
  const auto other = folder.convert();
  INFO(other.status().message());
  REQUIRE(other.ok());
  CHECK(notes_name(other.value(), "the source vocabulary has"));
  CHECK(notes_name(other.value(), note));
}

TEST_CASE("renormalize_logits leaves suppressed ids out of softmax", "[hugging_face]") {
  HuggingFaceFolder folder = tiny("marian");
  CHECK(model_of(folder).description().generation->score_over_all);
  folder.generation["renormalize_logits"] = true;
  CHECK(!model_of(folder).description().generation->score_over_all);
  std::filesystem::remove(folder.path("out.drg"));
  folder.generation["no_repeat_ngram_size"] = 3;
  CHECK(names(refusal_of(folder), "option 'renormalize_logits'"));
}

TEST_CASE("min_new_tokens counts the forced token and goes before min_length", "[hugging_face]") {
  HuggingFaceFolder folder = tiny("m2m100");
  folder.generation.update({{"forced_bos_token_id", 9}, {"min_new_tokens", 5}, {"min_length", 12}});
  CHECK(model_of(folder).description().generation->min_length == 4);
  folder.generation.erase("min_new_tokens");
  CHECK(model_of(folder).description().generation->min_length == 10);
}

TEST_CASE("BART's older name for a forced first token counts", "[hugging_face]") {
  HuggingFaceFolder folder = tiny("bart");
  folder.generation.erase("forced_bos_token_id");
  folder.config.erase("forced_bos_token_id");
  folder.config["force_bos_token_to_be_generated"] = true;
  const int32_t first = folder.generation["bos_token_id"];
  CHECK(model_of(folder).description().generation->forced_ids == std::vector<int32_t>{first});
}

TEST_CASE("a padding id that is no number, or beyond any vocabulary, is refused", "[hugging_face]") {
  for (const nlohmann::json& id : {nlohmann::json("pad"), nlohmann::json(-3), nlohmann::json(uint64_t{1} << 40)}) {
    for (const char* family : {"m2m100", "t5"}) {
      HuggingFaceFolder folder = tiny(family);
      folder.generation["pad_token_id"] = id;
      CHECK(names(refusal_of(folder), "option 'pad_token_id'"));
    }
  }
}

TEST_CASE("M2M100 numbers positions by the padding of config.json", "[hugging_face]") {
  HuggingFaceFolder folder = tiny("m2m100");
  HuggingFaceFolder decoding_with_another = tiny("m2m100");
  decoding_with_another.generation["pad_token_id"] = 7;
  HuggingFaceFolder another = tiny("m2m100");
  another.config["pad_token_id"] = 7;
  const auto positions = [](HuggingFaceFolder& changed) {
    const ConvertedModel model = model_of(changed);
    const TensorView table = model.tensor("positions");
    return std::vector<float>(table.f32(), table.f32() + table.rows * table.columns);
  };
  CHECK(positions(decoding_with_another) == positions(folder));
  CHECK(positions(another) != positions(folder));
}

TEST_CASE("a norm's epsilon that no norm can have is refused", "[hugging_face]") {
  for (const double epsilon : {0.0, -1.0, 1e300}) {
    HuggingFaceFolder folder = tiny("t5");
    folder.config["layer_norm_epsilon"] = epsilon;
    CHECK(names(refusal_of(folder), "option 'layer_norm_epsilon'"));
  }
}

TEST_CASE("mT5 never scales what its output multiplies; UMT5 does unless an option says untied", "[hugging_face]") {
  const auto network = [](const char* type, const char* key, bool value) {
    HuggingFaceFolder folder = tiny("mt5");
    folder.config["model_type"] = type;
    folder.config.erase("tie_word_embeddings");
    if (*key != '\0') folder.config[key] = value;
    if (std::string(type) == "umt5") {  // every layer has a table
      for (const std::string side : {"encoder", "decoder"}) {
        const std::string end = ".layer.0.SelfAttention.relative_attention_bias.weight";
        folder.tensors[side + ".block.1" + end] = folder.tensors.at(side + ".block.0" + end);
      }
    }
    return network_bytes(model_of(folder));
  };
  const std::vector<std::byte> mt5 = network("mt5", "tie_word_embeddings", false);
  CHECK(network("mt5", "tie_word_embeddings", true) == mt5);
  CHECK(network("mt5", "", false) == mt5);
  const std::vector<std::byte> umt5 = network("umt5", "tie_word_embeddings", false);
  CHECK(network("umt5", "scale_decoder_outputs", false) == umt5);
  CHECK(network("umt5", "", false) != umt5);
  CHECK(network("umt5", "", false) == network("umt5", "tie_word_embeddings", true));
}

TEST_CASE("CV-10: each optional key may be missing and then has the default", "[hugging_face]") {
  struct Family {
    const char* name;
    std::vector<const char*> keys;
  };
  const std::vector<Family> families = {
      {"marian",
       {"normalize_before", "normalize_embedding", "scale_embedding", "static_position_embeddings",
        "share_encoder_decoder_embeddings", "tie_word_embeddings", "decoder_vocab_size", "add_bias_logits",
        "add_final_layer_norm", "architectures", "dropout", "transformers_version", "use_cache", "dtype"}},
      {"m2m100", {"activation_function", "scale_embedding", "tie_word_embeddings", "architectures"}},
      {"bart", {"activation_function", "scale_embedding", "tie_word_embeddings", "id2label"}},
      {"t5",
       {"feed_forward_proj", "dense_act_fn", "is_gated_act", "layer_norm_epsilon", "num_decoder_layers",
        "scale_decoder_outputs", "tie_word_embeddings"}},
      {"mt5", {"feed_forward_proj", "dense_act_fn", "is_gated_act", "tie_word_embeddings"}},
  };
  for (const Family& family : families) {
    HuggingFaceFolder complete = tiny(family.name);
    const std::vector<std::byte> expected = network_bytes(model_of(complete));
    for (const char* key : family.keys) {
      INFO(family.name << " without " << key);
      HuggingFaceFolder folder = tiny(family.name);
      REQUIRE(folder.config.erase(key) == 1);
      CHECK(network_bytes(model_of(folder)) == expected);
    }
  }
}

TEST_CASE("CV-10: the scale of MarianMT's embeddings is sqrt(d_model) when no option tells", "[hugging_face]") {
  HuggingFaceFolder folder = tiny("marian");
  folder.config.erase("scale_embedding");
  const ConvertedModel model = model_of(folder);
  CHECK(model.description().graph->encode->nodes[0]->op.AsEmbed()->scale == 5.656854249f);
}

TEST_CASE("CV-10: each required key is named when it is missing", "[hugging_face]") {
  const std::vector<const char*> bart = {"d_model", "encoder_layers", "decoder_layers", "vocab_size"};
  const std::vector<const char*> t5 = {"d_model", "d_kv", "d_ff", "num_heads", "num_layers", "vocab_size"};
  for (const char* family : {"marian", "m2m100", "bart", "t5", "mt5"}) {
    for (const char* key : std::string(family).find("t5") != std::string::npos ? t5 : bart) {
      INFO(family << " without " << key);
      HuggingFaceFolder folder = tiny(family);
      REQUIRE(folder.config.erase(key) == 1);
      CHECK(names(refusal_of(folder), std::string("option '") + key + "' is missing"));
    }
  }
  HuggingFaceFolder folder = tiny("marian");
  folder.config.erase("model_type");
  folder.config.erase("architectures");
  CHECK(!refusal_of(folder).empty());
}

TEST_CASE("CV-12: rows beyond the vocabulary keep their ids and are never generated", "[hugging_face]") {
  constexpr uint32_t kTokens = 192;
  HuggingFaceFolder folder = tiny("marian");
  const std::vector<std::byte> pieces = make_sentencepiece_model(64);
  folder.write();
  write_bytes(folder.path("source.spm"), pieces);
  write_bytes(folder.path("target.spm"), pieces);
  nlohmann::json vocabulary = {{"</s>", 0}, {"<unk>", 1}};
  for (uint32_t id = 2; id < kTokens; ++id) vocabulary["w" + std::to_string(id)] = id;
  std::ofstream(folder.path("vocab.json")) << vocabulary.dump();
  converter::ConvertOptions options;
  options.input = folder.path("");
  options.output = folder.path("out.drg");
  const auto report = converter::convert(options);
  INFO(report.status().message());
  REQUIRE(report.ok());
  const ConvertedModel model(options.output);
  CHECK(model.description().graph->target_vocabulary == 200);
  const std::vector<int32_t>& suppressed = model.description().generation->suppressed;
  for (int32_t id = 0; id < 200; ++id) {
    const bool found = std::find(suppressed.begin(), suppressed.end(), id) != suppressed.end();
    CHECK(found == (id >= static_cast<int32_t>(kTokens)));
  }
}

TEST_CASE("CV-13: a MarianMT model with two vocabularies has two sizes everywhere", "[hugging_face]") {
  HuggingFaceFolder folder = tiny("marian");
  const FolderTensor table = folder.tensors.at(kShared);
  folder.tensors.erase(kShared);
  folder.add("model.encoder.embed_tokens.weight", {44, 32}, {table.values.begin(), table.values.begin() + 44 * 32});
  folder.add("model.decoder.embed_tokens.weight", {60, 32}, {table.values.begin(), table.values.begin() + 60 * 32});
  folder.tensors["lm_head.weight"] = folder.tensors.at("model.decoder.embed_tokens.weight");
  folder.add("final_logits_bias", {1, 60}, std::vector<float>(60, 0.5f));
  folder.config.update({{"share_encoder_decoder_embeddings", false}, {"vocab_size", 44}, {"decoder_vocab_size", 60}});
  folder.config["decoder_start_token_id"] = folder.config["pad_token_id"] = 59;
  folder.generation = {{"decoder_start_token_id", 59}, {"pad_token_id", 59}, {"eos_token_id", 0}};
  const ConvertedModel model = model_of(folder);
  CHECK(model.tensor("source_embedding").rows == 44);
  CHECK(model.tensor("target_embedding").rows == 60);
  CHECK(model.description().source_tokenizer->num_ids == 44);
  CHECK(model.description().target_tokenizer->num_ids == 60);
  folder.config.update({{"vocab_size", 60}, {"decoder_vocab_size", 44}});
  const std::string refusal = refusal_of(folder);
  CHECK(names(refusal, "'model.encoder.embed_tokens.weight' has shape [44, 32], expected [60, 32]"));
}

TEST_CASE("CV-20: a fused bias holds zeros for the projection that has none", "[hugging_face]") {
  HuggingFaceFolder folder = tiny("marian");
  const std::string attention = "model.encoder.layers.0.self_attn.";
  folder.tensors.erase(attention + "k_proj.bias");
  folder.tensors.erase("model.encoder.layers.0.fc1.bias");
  const ConvertedModel model = model_of(folder);
  const std::vector<float> bias = model.values("encoder.layer1.self.qkv.bias");
  REQUIRE(bias.size() == 96);
  CHECK(std::count(bias.begin() + 32, bias.begin() + 64, 0.0f) == 32);
  const FolderTensor& value = folder.tensors.at(attention + "v_proj.bias");
  CHECK(std::equal(value.values.begin(), value.values.end(), bias.begin() + 64));
  CHECK(!model.has("encoder.layer1.ffn.linear1.bias"));
  CHECK(model.has("encoder.layer1.ffn.linear2.bias"));
  HuggingFaceFolder plain = tiny("t5");
  const ConvertedModel biasless = model_of(plain);
  for (const auto& tensor : biasless.description().tensors) CHECK(!tensor->name.ends_with(".bias"));
}

}  // namespace
}  // namespace dragoman::test
