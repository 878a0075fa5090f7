// Whole conversions: what lands in the file beside the network, which files are found, and the bare tokenizer.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/unit/converter/converter_support.h"

namespace dragoman::test {
namespace {

void write_text(const std::string& path, const std::string& text) { write_bytes(path, std::as_bytes(std::span(text))); }

TEST_CASE("a converted model carries its defaults, languages, licence and origin", "[convert]") {
  const TemporaryFolder folder;
  converter::ConvertOptions options;
  options.licence = "MPL-2.0";
  converter::ConvertReport report;
  const ConvertedModel converted = convert_made_up(folder, {}, options, &report);
  const schema::ModelT& model = converted.description();
  CHECK(model.name == "out");
  CHECK(model.licence == "MPL-2.0");
  REQUIRE(model.source_languages.size() == 1);
  CHECK(model.source_languages[0]->code == "ab");
  CHECK(model.target_languages[0]->code == "cd");
  CHECK(model.generation->end_id == 0);
  CHECK(model.generation->unknown_id == 1);
  CHECK(model.generation->start_id == -1);
  CHECK(model.generation->suppressed == std::vector<int32_t>{1});
  CHECK(model.generation->max_length_factor == 2.5f);
  CHECK(model.generation->append_end);
  CHECK(model.target_tokenizer == nullptr);
  CHECK(model.source_tokenizer->num_ids == 64);
  REQUIRE(model.shortlist != nullptr);
  CHECK(model.shortlist->copy_source);
  CHECK(model.shortlist->multiple == 8);
  CHECK(model.provenance->family == "marian-ssru");
  CHECK(model.provenance->source_files ==
        std::vector<std::string>{"model.abcd.bin", "vocab.abcd.spm", "lex.abcd.bin", "config.yml"});
  CHECK(model.provenance->source_checksums.size() == 4);
  CHECK(report.file_bytes == converted.file().size());
  CHECK(report.text().find("decoder.cross_kv") != std::string::npos);
}

TEST_CASE("CV-13 two vocabularies of different size", "[convert]") {
  const TemporaryFolder folder;
  MarianModelOptions made;
  made.tying = MarianTying::kOutput;
  made.source_vocabulary = 44;
  made.target_vocabulary = 60;
  const ConvertedModel converted = convert_made_up(folder, made);
  const schema::ModelT& model = converted.description();
  CHECK(converted.tensor("source_embedding").rows == 44);
  CHECK(converted.tensor("target_embedding").rows == 60);
  CHECK(converted.tensor("output.bias").columns == 60);
  CHECK(model.graph->source_vocabulary == 44);
  CHECK(model.graph->target_vocabulary == 60);
  CHECK(model.graph->encode->nodes[0]->op.AsEmbed()->table != model.graph->step->nodes[0]->op.AsEmbed()->table);
  REQUIRE(model.target_tokenizer != nullptr);
  CHECK(model.source_tokenizer->num_ids == 44);
  CHECK(model.target_tokenizer->num_ids == 60);
  CHECK_FALSE(model.shortlist->copy_source);
  CHECK(model.tensors[model.shortlist->offsets]->shape == std::vector<uint64_t>{45});
}

TEST_CASE("rows of padding are never generated", "[convert]") {
  const TemporaryFolder folder;
  MarianModelOptions made;
  write_marian_folder(folder.path(), made);
  write_bytes(folder.path("vocab.abcd.spm"), make_sentencepiece_model(61));
  converter::ConvertOptions options;
  options.input = folder.path();
  options.output = folder.path("out.drg");
  REQUIRE(converter::convert(options).ok());
  const ConvertedModel model(options.output);
  CHECK(model.description().generation->suppressed == std::vector<int32_t>{1, 61, 62, 63});
}

TEST_CASE("CV-14 a YAML vocabulary serves as well", "[convert]") {
  const TemporaryFolder folder;
  MarianModelOptions made;
  made.source_vocabulary = made.target_vocabulary = 40;
  write_marian_folder(folder.path(), made);
  std::filesystem::remove(folder.path("vocab.abcd.spm"));
  std::string yaml = "\"null\": 2\n'''': 3\n\"\\\"\": 4\n':': 5\n'#': 6\n'~': 7\n'007': 8\n\"\\x85\": 9\n<unk>: 1\n";
  for (int id = 39; id >= 10; --id) yaml += "w" + std::to_string(id) + ": " + std::to_string(id) + "\n";
  write_text(folder.path("vocab.abcd.yml"), yaml + "</s>: 0\n");
  converter::ConvertOptions options;
  options.input = folder.path();
  options.output = folder.path("out.drg");
  const Result<converter::ConvertReport> report = converter::convert(options);
  INFO(report.status().message());
  REQUIRE(report.ok());
  const ConvertedModel model(options.output);
  CHECK(model.description().source_tokenizer->kind == schema::TokenizerKind::SpaceSeparated);
  CHECK(model.description().source_tokenizer->num_ids == 40);
  const auto tokenizer = converter::open_sentencepiece(folder.path("vocab.abcd.yml"));
  REQUIRE(tokenizer.ok());
  CHECK(tokenizer.value()->piece(2) == "null");
  CHECK(tokenizer.value()->piece(3) == "'");
  CHECK(tokenizer.value()->piece(9) == "\xC2\x85");
}

TEST_CASE("files may be named one by one, and the decoder's configuration may name them", "[convert]") {
  const TemporaryFolder folder;
  write_marian_folder(folder.path(), {});
  converter::ConvertOptions options;
  options.model = folder.path("model.abcd.bin");
  options.source_vocabulary = folder.path("vocab.abcd.spm");
  options.source_language = "en-GB";
  options.target_language = "pt-BR";
  options.name = "named";
  options.output = folder.path("out.drg");
  REQUIRE(converter::convert(options).ok());
  const ConvertedModel bare(options.output);
  CHECK(bare.description().shortlist == nullptr);
  CHECK(bare.description().generation->max_length_factor == 3.0f);
  CHECK(bare.description().source_languages[0]->code == "en-GB");
  CHECK(bare.description().name == "named");

  write_bytes(folder.path("model.second.bin"), read_bytes(folder.path("model.abcd.bin")));
  write_text(folder.path("config.yml"),
             "models:\n  - model.second.bin\nvocabs: [vocab.abcd.spm, vocab.abcd.spm]\nmax-length-factor: 1.5\n");
  converter::ConvertOptions configured;
  configured.input = folder.path();
  configured.output = options.output;
  configured.use_shortlist = false;
  REQUIRE(converter::convert(configured).ok());
  const ConvertedModel chosen(options.output);
  CHECK(chosen.description().provenance->source_files[0] == "model.second.bin");
  CHECK(chosen.description().generation->max_length_factor == 1.5f);
  CHECK(chosen.description().shortlist == nullptr);
}

TEST_CASE("the layer of guided alignment shows the alignment", "[convert]") {
  for (const auto& [named, index] : {std::pair("1", 0), std::pair("2", 1), std::pair("last", -1)}) {
    const TemporaryFolder folder;
    MarianModelOptions made;
    made.options = {{"transformer-guided-alignment-layer", named}};
    const ConvertedModel model = convert_made_up(folder, made);
    CHECK(model.description().generation->alignment_layer == index);
    CHECK(model.description().generation->alignment_head == 0);
  }
}

TEST_CASE("the decoder's configuration says how to search", "[convert]") {
  const TemporaryFolder folder;
  write_marian_folder(folder.path(), {});
  converter::ConvertOptions options;
  options.input = folder.path();
  options.output = folder.path("out.drg");
  REQUIRE(converter::convert(options).ok());
  {
    const ConvertedModel bare(options.output);
    const schema::GenerationT& own = *bare.description().generation;
    CHECK(own.beam_size == 1);
    CHECK(own.alignment_layer == -1);  // the first head of the last layer, as Marian itself takes it
    CHECK(own.alignment_head == 0);
  }
  write_text(folder.path("config.yml"), "beam-size: 6\nnormalize: 0.6\nword-penalty: 0.25\nmini-batch: 4\n");
  REQUIRE(converter::convert(options).ok());
  const ConvertedModel configured(options.output);
  const schema::GenerationT& own = *configured.description().generation;
  CHECK(own.beam_size == 6);
  CHECK(own.beam_rule == schema::BeamRule::Marian);
  CHECK(own.length_penalty == 0.6f);
  CHECK(own.word_penalty == 0.25f);
  CHECK(own.max_length_factor == 3.0f);
  for (const char* bad : {"beam-size: 0", "beam-size: 33", "normalize: .nan", "normalize: 101", "word-penalty: x",
                          "max-length-factor: 0", "max-length-factor: 1e9"}) {
    INFO(bad);
    write_text(folder.path("config.yml"), std::string(bad) + "\n");
    const auto refused = converter::convert(options);
    REQUIRE_FALSE(refused.ok());
    const std::string key = std::string(bad).substr(0, std::string(bad).find(':'));
    CHECK(std::string(refused.status().message()).find(key) != std::string::npos);
  }
}

TEST_CASE("a SentencePiece file alone tokenizes and detokenizes", "[convert]") {
  const TemporaryFolder folder;
  write_bytes(folder.path("m.spm"), make_sentencepiece_model(200));
  const auto opened = converter::open_sentencepiece(folder.path("m.spm"));
  INFO(opened.status().message());
  REQUIRE(opened.ok());
  const converter::SentencePieceTokenizer& tokenizer = *opened.value();
  CHECK(tokenizer.num_ids() == 200);
  CHECK(tokenizer.piece(0) == "</s>");
  CHECK(tokenizer.piece(-1).empty());
  CHECK(tokenizer.piece(200).empty());
  const std::string text = "some words that come back " + std::string(3000, 'q');
  const Result<std::vector<int32_t>> ids = tokenizer.encode(text);
  REQUIRE(ids.ok());
  CHECK(tokenizer.decode(ids.value()).value() == text);
  const Result<std::vector<std::string>> surfaces = tokenizer.surfaces("ab \xC3\xA9");
  REQUIRE(surfaces.ok());
  CHECK(surfaces.value().back() == "\xC3\xA9");
  CHECK(tokenizer.encode("").value().empty());
  CHECK(tokenizer.decode({}).value().empty());
  CHECK_FALSE(tokenizer.decode({200}).ok());
  CHECK(converter::open_sentencepiece(folder.path("none.spm")).status().code() == Code::kNotFound);
}

}  // namespace
}  // namespace dragoman::test
