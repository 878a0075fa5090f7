// What a conversion refuses, and that it says all of it at once.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "tests/unit/converter/converter_support.h"

namespace dragoman::test {
namespace {

struct Refusal {
  std::string message;
  std::vector<std::string> problems;

  bool names(const std::string& part) const {
    return std::any_of(problems.begin(), problems.end(),
                       [&](const std::string& problem) { return problem.find(part) != std::string::npos; });
  }
};

Refusal refusal_of(const TemporaryFolder& folder) {
  converter::ConvertOptions options;
  options.input = folder.path();
  options.output = folder.path("out.drg");
  Refusal refusal;
  const Result<converter::ConvertReport> report = converter::convert(options, &refusal.problems);
  REQUIRE_FALSE(report.ok());
  refusal.message = report.status().message();
  CHECK_FALSE(std::filesystem::exists(options.output));
  return refusal;
}

Refusal refusal_of(const MarianModelOptions& made) {
  const TemporaryFolder folder;
  write_marian_folder(folder.path(), made);
  return refusal_of(folder);
}

// Refusal of a model whose parameters `change` has changed.
template <typename Change>
Refusal refusal_after(const Change& change) {
  const TemporaryFolder folder;
  write_marian_folder(folder.path(), {});
  MarianModel model = make_marian_model({});
  change(model);
  write_bytes(folder.path("model.abcd.bin"), marian_container(marian_items(model)));
  return refusal_of(folder);
}

TEST_CASE("all unsupported options are named together, with their values", "[refusals]") {
  MarianModelOptions made;
  made.options = {{"transformer-postprocess", "dhn"},
                  {"transformer-preprocess", "r"},
                  {"transformer-decoder-autoreg", "average-attention"},
                  {"transformer-ffn-activation", "tanh"},
                  {"lemma-dim-emb", "8"},
                  {"ulr", "true"},
                  {"right-left", "true"},
                  {"transformer-pool", "true"},
                  {"layer-normalization", "true"},
                  {"transformer-rnn-projection", "true"},
                  {"input-types", "[class, sequence]"},
                  {"output-omit-bias", "perhaps"},
                  {"transformer-brand-new", "7"}};
  const Refusal refusal = refusal_of(made);
  CHECK(refusal.problems.size() == 13);
  for (const char* part : {"'transformer-postprocess' = 'dhn': step 'h'", "'transformer-preprocess' = 'r': step 'r'",
                           "'transformer-decoder-autoreg' = 'average-attention'",
                           "'transformer-ffn-activation' = 'tanh'", "'lemma-dim-emb' = '8'", "'ulr' = 'true'",
                           "'right-left' = 'true'", "'transformer-pool' = 'true'", "'layer-normalization' = 'true'",
                           "'transformer-rnn-projection' = 'true'", "'input-types' = '[class, sequence]'",
                           "'output-omit-bias' = 'perhaps'", "'transformer-brand-new' = '7': not known"}) {
    INFO(part);
    CHECK(refusal.names(part));
  }
  CHECK(refusal.message.find("13 problems") != std::string::npos);
  CHECK(refusal.message.find("model.abcd.bin") != std::string::npos);
}

TEST_CASE("other decoders and other cells are refused by name and value", "[refusals]") {
  MarianModelOptions made;
  made.options = {{"transformer-decoder-autoreg", "average-attention"}};
  CHECK(refusal_of(made).names("'transformer-decoder-autoreg' = 'average-attention'"));
  made.options = {{"dec-cell", "gru"}};
  CHECK(refusal_of(made).names("'dec-cell' = 'gru'"));
  made.options = {{"type", "s2s"}};
  CHECK(refusal_of(made).names("'type' = 's2s'"));
}

TEST_CASE("sizes that make no network are refused", "[refusals]") {
  const auto with = [](const char* key, const char* value) {
    MarianModelOptions made;
    made.options = {{key, value}};
    return refusal_of(made);
  };
  CHECK(with("dim-emb", "0").names("'dim-emb' = '0'"));
  CHECK(with("dim-emb", "25").names("'dim-emb' = '25'"));
  CHECK(with("dim-emb", "4294967296").names("'dim-emb' = '4294967296'"));
  CHECK(with("transformer-heads", "0").names("'transformer-heads' = '0'"));
  CHECK(with("transformer-heads", "7").names("'transformer-heads' = '7'"));
  CHECK(with("enc-depth", "4000000000").names("'enc-depth'"));
  CHECK(with("dec-depth", "0").names("'dec-depth'"));
  CHECK(with("transformer-ffn-depth", "0").names("'transformer-ffn-depth'"));
  CHECK(with("transformer-tied-layers", "[1]").names("'transformer-tied-layers'"));
}

TEST_CASE("guided alignment of a layer that is not there is refused with all other options", "[refusals]") {
  MarianModelOptions made;
  for (const char* layer : {"3", "0", "-1", "first", "4294967297"}) {
    made.options = {{"transformer-guided-alignment-layer", layer}, {"ulr", "true"}};
    const Refusal refusal = refusal_of(made);
    INFO(layer);
    CHECK(refusal.names("'transformer-guided-alignment-layer' = '" + std::string(layer) + "': expected"));
    CHECK(refusal.names("'ulr' = 'true'"));
  }
}

TEST_CASE("a missing required option is named", "[refusals]") {
  const TemporaryFolder folder;
  write_marian_folder(folder.path(), {});
  MarianModel model = make_marian_model({});
  const size_t at = model.options.find("dim-emb");
  model.options.erase(at, model.options.find('\n', at) - at + 1);
  write_bytes(folder.path("model.abcd.bin"), marian_container(marian_items(model)));
  CHECK(refusal_of(folder).names("option 'dim-emb' is missing"));
}

TEST_CASE("missing, misshapen and unknown tensors are named together", "[refusals]") {
  const Refusal refusal = refusal_after([](MarianModel& model) {
    std::erase_if(model.parameters, [](const MarianParameter& p) { return p.name == "decoder_l1_rnn_bf"; });
    for (MarianParameter& parameter : model.parameters) {
      if (parameter.name == "encoder_l2_ffn_W1") std::swap(parameter.rows, parameter.columns);
      if (parameter.name == "encoder_l1_self_bq") parameter.name = "encoder_l1_self_bx";
    }
  });
  CHECK(refusal.problems.size() == 4);
  CHECK(refusal.names("tensor 'decoder_l1_rnn_bf' is missing"));
  CHECK(refusal.names("tensor 'encoder_l2_ffn_W1' has shape [40, 24], expected [24, 40]"));
  CHECK(refusal.names("tensor 'encoder_l1_self_bq' is missing"));
  CHECK(refusal.names("tensor 'encoder_l1_self_bx' [1, 24] is not known"));
}

TEST_CASE("numbers that are none are refused", "[refusals]") {
  const Refusal not_a_number = refusal_after(
      [](MarianModel& model) { model.parameters[1].values[3] = std::numeric_limits<float>::quiet_NaN(); });
  CHECK(not_a_number.message.find("decoder_ff_logit_out_b") != std::string::npos);
}

TEST_CASE("CV-13 exchanged and wrong vocabularies are refused", "[refusals]") {
  MarianModelOptions made;
  made.tying = MarianTying::kOutput;
  made.source_vocabulary = 44;
  made.target_vocabulary = 60;
  const TemporaryFolder folder;
  write_marian_folder(folder.path(), made);
  const std::string source = folder.path("srcvocab.abcd.spm"), target = folder.path("trgvocab.abcd.spm");
  const auto refused = [&](const std::string& first, const std::string& second) {
    converter::ConvertOptions options;
    options.input = folder.path();
    options.source_vocabulary = first;
    options.target_vocabulary = second;
    options.output = folder.path("out.drg");
    const Result<converter::ConvertReport> report = converter::convert(options);
    INFO(first << " " << second);
    REQUIRE_FALSE(report.ok());
    CHECK(std::string(report.status().message()).find(first) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(options.output));
  };
  refused(target, source);
  refused(source, source);
  refused(target, target);
  write_bytes(folder.path("small.spm"), make_sentencepiece_model(32));
  refused(folder.path("small.spm"), folder.path("small.spm"));
}

TEST_CASE("files that are not what their names say are refused by name", "[refusals]") {
  for (const char* name : {"model.abcd.bin", "vocab.abcd.spm", "lex.abcd.bin", "config.yml"}) {
    const TemporaryFolder folder;
    write_marian_folder(folder.path(), {});
    const std::string junk = "[this is no model";
    write_bytes(folder.path(name), std::as_bytes(std::span(junk)));
    INFO(name);
    CHECK(refusal_of(folder).message.find(name) != std::string::npos);
  }
}

TEST_CASE("an incomplete or ambiguous folder is refused", "[refusals]") {
  const TemporaryFolder empty;
  CHECK(refusal_of(empty).message.find("no model") != std::string::npos);
  const TemporaryFolder two;
  write_marian_folder(two.path(), {});
  write_bytes(two.path("model.other.bin"), read_bytes(two.path("model.abcd.bin")));
  CHECK(refusal_of(two).message.find("model.abcd.bin, model.other.bin") != std::string::npos);
  converter::ConvertOptions options;
  options.input = two.path("not-there");
  options.output = two.path("out.drg");
  CHECK(converter::convert(options).status().code() == Code::kNotFound);
}

TEST_CASE("what the library would refuse is not written", "[refusals]") {
  const TemporaryFolder folder;
  write_marian_folder(folder.path(), {});
  for (const std::string& code : {std::string("e\nn"), std::string(300, 'x')}) {
    converter::ConvertOptions options;
    options.input = folder.path();
    options.output = folder.path("out.drg");
    options.source_language = code;
    options.target_language = "pt";
    const size_t num_files = files_in(folder.path());
    const Status status = converter::convert(options).status();
    CHECK_FALSE(status.ok());
    INFO(status.message());
    CHECK(std::string(status.message()).find("out.drg: not written, since it could not be opened: ") !=
          std::string::npos);
    CHECK(files_in(folder.path()) == num_files);
  }
}

TEST_CASE("a shortlist of another model is refused", "[refusals]") {
  const TemporaryFolder folder;
  write_marian_folder(folder.path(), {});
  write_bytes(folder.path("lex.abcd.bin"), make_marian_shortlist(64, 90, 7, 5));
  CHECK(refusal_of(folder).message.find("target id") != std::string::npos);
  write_bytes(folder.path("lex.abcd.bin"), make_marian_shortlist(65, 64, 7, 5));
  CHECK(refusal_of(folder).message.find("65 lists for 64") != std::string::npos);
}

}  // namespace
}  // namespace dragoman::test
