// The journey of a conversion: find the files, read the source, let its family build the network, write the file.
// Neighbours: converter.h is the public face; every other room of the converter is called from here.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "converter/calibration.h"
#include "converter/converter.h"
#include "converter/ctranslate2_text.h"
#include "converter/families/family.h"
#include "converter/formats/mapped_file.h"
#include "converter/formats/marian_shortlist.h"
#include "converter/formats/sha256.h"
#include "converter/frontends/ctranslate2.h"
#include "converter/frontends/hugging_face.h"
#include "converter/frontends/marian.h"
#include "converter/generation.h"
#include "converter/hugging_face_vocabulary.h"
#include "converter/languages.h"
#include "converter/marian_generation.h"
#include "converter/source_files.h"
#include "converter/vocabulary.h"
#include "converter/writer.h"
#include "schema/model_generated.h"

namespace dragoman::converter {
namespace {

constexpr char kConverterName[] = "dragoman converter 0.1";
constexpr float kDefaultMaxLengthFactor = 3.0f;  // Marian's own default
constexpr uint32_t kShortlistMultiple = 8;       // Marian rounds a shortlist up to this
constexpr uint32_t kMaxPositions = 1u << 20;

// Everything one conversion carries along.
struct Conversion {
  // Both are borrowed; `importance` may be null.
  Conversion(const ConvertOptions& given, const Importance* importance)
      : options(given), rules(given.weight_type, given.weight_rules), weights(&store, &report, &rules, importance) {}

  const ConvertOptions& options;
  SourceFiles files;
  Source source;
  TensorStore store;
  ConvertReport report;
  Problems problems;
  WeightRules rules;
  Weights weights;
  GraphBuilder graph;
  NetworkFacts facts;
  std::vector<int32_t> source_prefix;  // ids before a text's, and after them: where the vocabulary says
  std::vector<int32_t> source_suffix;
  schema::ModelT model;
};

Result<Source> read_source(const SourceFiles& files) {
  switch (files.layout) {
    case SourceLayout::kMarian: break;
    case SourceLayout::kHuggingFace: return read_hugging_face_source(files.model);
    case SourceLayout::kCTranslate2: return read_ctranslate2_source(files.folder);
  }
  return read_marian_source(files.model);
}

// Every pattern has to have named a weight.
Status check_rules(Conversion& work) {
  std::vector<std::string> names;
  for (const StoredTensor& tensor : work.store.tensors()) names.push_back(tensor.name);
  for (std::string& complaint : work.rules.complaints(names)) work.problems.add(std::move(complaint));
  return work.problems.status(work.files.model);
}

Status build_network(Conversion& work) {
  DRAGOMAN_ASSIGN_OR_RETURN(work.source, read_source(work.files));
  work.report.notes.insert(work.report.notes.end(), work.source.notes.begin(), work.source.notes.end());
  work.report.num_source_tensors = work.source.tensors.size() + work.source.ignored.size();
  work.report.num_ignored_tensors = work.source.ignored.size();
  const Family* family = find_family(work.source);
  if (family == nullptr) {
    const auto type = work.source.options.find("model_type");
    return Status::error(Code::kUnsupported, "%s: no family of models fits it%s%s", work.files.model.c_str(),
                         type == work.source.options.end() ? "" : ", of model_type ",
                         type == work.source.options.end() ? "" : type->second.text().c_str());
  }
  work.report.family = family->name;
  FamilyContext context{work.source, work.options, work.weights, work.graph, work.report, work.problems};
  DRAGOMAN_ASSIGN_OR_RETURN(work.facts, family->build(context));
  work.model.graph = work.graph.finish();
  return check_rules(work);
}

std::unique_ptr<schema::TokenizerT> store_side(Conversion& work, const TokenizerData& data, const char* prefix) {
  auto tokenizer = std::make_unique<schema::TokenizerT>();
  store_tokenizer(
      data, prefix,
      [&work](const std::string& name, ElementType type, const std::vector<uint64_t>& shape,
              std::span<const std::byte> bytes) { return work.store.add_bytes(name, type, shape, bytes); },
      *tokenizer);
  return tokenizer;
}

// Ids that decoding must never choose: the unknown token, and rows of the table that belong to no token.
void set_generation(Conversion& work, const TokenizerData& target) {
  auto generation = std::make_unique<schema::GenerationT>();
  generation->end_id = target.options.end_id;
  generation->unknown_id = target.options.unknown_id;
  if (target.options.unknown_id >= 0) generation->suppressed.push_back(target.options.unknown_id);
  for (uint32_t id = target.options.num_ids; id < work.facts.target_vocabulary; ++id) {
    generation->suppressed.push_back(static_cast<int32_t>(id));
  }
  generation->max_length_factor = kDefaultMaxLengthFactor;
  work.model.generation = std::move(generation);
}

Status add_tokenizers(Conversion& work) {
  const SourceFiles& files = work.files;
  const bool one_file = files.source_vocabulary == files.target_vocabulary;
  DRAGOMAN_ASSIGN_OR_RETURN(const TokenizerData source, read_vocabulary(files.source_vocabulary));
  DRAGOMAN_RETURN_IF_ERROR(
      check_vocabulary_size(files.source_vocabulary, "source", source.options.num_ids, work.facts.source_vocabulary));
  if (one_file && work.facts.source_vocabulary != work.facts.target_vocabulary) {
    return Status::error(Code::kInvalidArgument,
                         "%s: one vocabulary for both sides, but the model has %u source and %u "
                         "target rows",
                         files.source_vocabulary.c_str(), work.facts.source_vocabulary, work.facts.target_vocabulary);
  }
  work.model.source_tokenizer = store_side(work, source, "source_tokenizer");
  if (one_file) {
    set_generation(work, source);
    return Status();
  }
  DRAGOMAN_ASSIGN_OR_RETURN(const TokenizerData target, read_vocabulary(files.target_vocabulary));
  DRAGOMAN_RETURN_IF_ERROR(
      check_vocabulary_size(files.target_vocabulary, "target", target.options.num_ids, work.facts.target_vocabulary));
  if (source.options.end_id != target.options.end_id) {
    return Status::error(Code::kUnsupported, "%s: end token %d, but %d in %s: they have to agree",
                         files.source_vocabulary.c_str(), source.options.end_id, target.options.end_id,
                         files.target_vocabulary.c_str());
  }
  work.model.target_tokenizer = store_side(work, target, "target_tokenizer");
  set_generation(work, target);
  return Status();
}

void add_language(const std::string& code, std::vector<std::unique_ptr<schema::LanguageT>>* languages) {
  if (code.empty()) return;
  languages->push_back(std::make_unique<schema::LanguageT>());
  languages->back()->code = code;
}

// OPUS-MT's tokenizers name the pair, or a group of languages, which is no name for a model's user.
void guess_pair(const Options& tokenizer_config, SourceFiles* files) {
  const auto guess = [&tokenizer_config](const char* key, std::string* language) {
    const auto at = tokenizer_config.find(key);
    if (language->empty() && at != tokenizer_config.end()) *language = single_language(at->second.text());
  };
  guess("source_lang", &files->source_language);
  guess("target_lang", &files->target_language);
}

void store_vocabulary(Conversion& work, const HuggingFaceVocabulary& vocabulary) {
  work.files.source_vocabulary = work.files.target_vocabulary = "";  // listed with the files that were read
  work.source_prefix = vocabulary.source_prefix;
  work.source_suffix = vocabulary.source_suffix;
  work.files.weights.insert(work.files.weights.end(), vocabulary.files.begin(), vocabulary.files.end());
  work.model.source_tokenizer = store_side(work, vocabulary.source, "source_tokenizer");
  if (vocabulary.target.has_value()) {
    work.model.target_tokenizer = store_side(work, *vocabulary.target, "target_tokenizer");
  }
}

// A Hugging Face model: settings for decoding, then the vocabularies.
Status add_hugging_face_text(Conversion& work) {
  work.model.generation = hugging_face_generation(work.source, work.facts, &work.report, &work.problems);
  DRAGOMAN_RETURN_IF_ERROR(work.problems.status(work.files.model));
  DRAGOMAN_ASSIGN_OR_RETURN(
      const HuggingFaceVocabulary vocabulary,
      read_hugging_face_vocabulary({work.files.model, work.source, work.facts, work.options.source_vocabulary},
                                   &work.report));
  store_vocabulary(work, vocabulary);
  const TokenizerData* target = vocabulary.target.has_value() ? &*vocabulary.target : &vocabulary.source;
  schema::GenerationT& generation = *work.model.generation;
  generation.unknown_id = vocabulary.has_unknown ? target->options.unknown_id : -1;
  DRAGOMAN_RETURN_IF_ERROR(add_languages(
      {work.files.model, work.source, vocabulary, work.options.source_language, work.options.target_language},
      &work.model, &work.report));
  guess_pair(vocabulary.tokenizer_config, &work.files);
  // Rows of the table that belong to no token.
  generation.num_token_ids = std::min(target->options.num_ids, work.facts.target_vocabulary);
  for (uint32_t id = target->options.num_ids; id < work.facts.target_vocabulary; ++id) {
    generation.suppressed.push_back(static_cast<int32_t>(id));
  }
  return Status();
}

Status check_end_token(const Conversion& work) {
  if (work.model.generation->end_id >= 0) return Status();
  return Status::error(Code::kUnsupported, "%s: has no end token </s>", work.files.target_vocabulary.c_str());
}

Status read_decoder_defaults(Conversion& work) {
  const MarianSettings settings{work.files.decoder_options, work.files.decoder_config, work.facts.alignment_layer};
  return read_marian_generation(settings, work.model.generation.get(), &work.report);
}

Status add_shortlist(Conversion& work) {
  const std::string& path = work.files.shortlist;
  if (path.empty()) {
    work.report.notes.push_back("no shortlist: every target token is scored at every step");
    return Status();
  }
  DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<MappedFile> file, MappedFile::open(path));
  DRAGOMAN_ASSIGN_OR_RETURN(MarianShortlist list, read_marian_shortlist(file->bytes(), path));
  const size_t lists = list.offsets.size() - 1;
  if (lists > work.facts.source_vocabulary || work.facts.source_vocabulary - lists > kMaxPaddingRows) {
    return Status::error(Code::kInvalidArgument, "%s: %zu lists for %u source tokens: made for another vocabulary",
                         path.c_str(), lists, work.facts.source_vocabulary);
  }
  for (const uint32_t id : list.ids) {
    if (id >= work.facts.target_vocabulary) {
      return Status::error(Code::kDamaged, "%s: target id %u, but the model has %u", path.c_str(), id,
                           work.facts.target_vocabulary);
    }
  }
  list.offsets.resize(size_t{work.facts.source_vocabulary} + 1, list.offsets.back());
  auto shortlist = std::make_unique<schema::ShortlistT>();
  shortlist->offsets = work.store.add_vector("shortlist.offsets", ElementType::kU32, list.offsets);
  shortlist->ids = work.store.add_vector("shortlist.ids", ElementType::kU32, list.ids);
  shortlist->always = std::min(list.first, work.facts.target_vocabulary);
  shortlist->multiple = kShortlistMultiple;
  shortlist->copy_source = work.files.source_vocabulary == work.files.target_vocabulary;
  work.model.shortlist = std::move(shortlist);
  return Status();
}

Status add_ctranslate2_text(Conversion& work) {
  DRAGOMAN_ASSIGN_OR_RETURN(CTranslate2Text text,
                            read_ctranslate2_text(work.files, work.facts, &work.source, &work.report));
  store_vocabulary(work, text.vocabulary);
  work.model.generation = std::move(text.generation);
  // Without a token of its own, a language is the pair's, which files and options name.
  if (!work.source.options.contains("model_type")) return Status();
  return add_languages(
      {work.files.model, work.source, text.vocabulary, work.options.source_language, work.options.target_language},
      &work.model, &work.report);
}

Status add_marian_text(Conversion& work) {
  DRAGOMAN_RETURN_IF_ERROR(add_tokenizers(work));
  DRAGOMAN_RETURN_IF_ERROR(check_end_token(work));
  DRAGOMAN_RETURN_IF_ERROR(read_decoder_defaults(work));
  return add_shortlist(work);
}

std::vector<std::string> source_paths(const Conversion& work) {
  const SourceFiles& files = work.files;
  std::vector<std::string> paths = files.weights;
  if (!files.source_vocabulary.empty()) paths.push_back(files.source_vocabulary);
  if (files.target_vocabulary != files.source_vocabulary) paths.push_back(files.target_vocabulary);
  if (!files.shortlist.empty()) paths.push_back(files.shortlist);
  if (!files.decoder_config.empty()) paths.push_back(files.decoder_config);
  if (!work.options.calibration_text.empty()) paths.push_back(work.options.calibration_text);
  return paths;
}

// The choices that decide which bytes come out of which sources.
std::string options_text(const ConvertOptions& options) {
  std::string text = "weights=";
  text += weight_type_name(options.weight_type);
  for (const WeightRule& rule : options.weight_rules) text += " " + rule.pattern + "=" + weight_type_name(rule.type);
  return text + " max_positions=" + std::to_string(options.max_positions);
}

// Whether both names lead to one file, which need not be there yet.
bool same_file(const std::string& one, const std::string& other) {
  std::error_code failed_one, failed_other;
  const std::filesystem::path first = std::filesystem::weakly_canonical(one, failed_one);
  const std::filesystem::path second = std::filesystem::weakly_canonical(other, failed_other);
  std::error_code none;
  return std::filesystem::equivalent(one, other, none) || (!failed_one && !failed_other && first == second);
}

// The files that are written must not take the place of what the model is made of, nor of one another, whatever names
// lead there.
Status check_outputs(const Conversion& work) {
  const std::string& output = work.options.output;
  const std::string& report = work.options.report;
  if (!report.empty() && same_file(report, output)) {
    return Status::error(Code::kInvalidArgument, "%s: is the output, so it cannot be the report", report.c_str());
  }
  std::vector<std::string> paths = source_paths(work);
  paths.push_back(work.options.input);  // which may be a package
  for (const std::string& path : paths) {
    for (const auto& [written, role] : {std::pair(&output, "output"), std::pair(&report, "report")}) {
      if (written->empty() || !same_file(path, *written)) continue;
      return Status::error(Code::kInvalidArgument, "%s: is read by this conversion, so it cannot be the %s",
                           written->c_str(), role);
    }
  }
  return Status();
}

Status add_provenance(Conversion& work) {
  auto provenance = std::make_unique<schema::ProvenanceT>();
  provenance->family = work.report.family;
  provenance->converter = kConverterName;
  provenance->options = options_text(work.options);
  for (const std::string& path : source_paths(work)) {
    DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<MappedFile> file, MappedFile::open(path));
    provenance->source_files.push_back(std::filesystem::path(path).filename().string());
    provenance->source_checksums.push_back(sha256_hex(file->bytes()));
  }
  work.model.provenance = std::move(provenance);
  return Status();
}

// A model of one pair whose texts begin with ids of their own (BART's <s>): its layout, though no language has a token.
void add_ids_around_text(Conversion& work) {
  if (work.model.language_layout != nullptr || work.source_prefix.empty()) return;
  work.model.language_layout = std::make_unique<schema::LanguageLayoutT>();
  work.model.language_layout->source_prefix = work.source_prefix;
  work.model.language_layout->source_suffix = work.source_suffix;
}

void add_names(Conversion& work) {
  work.model.name = work.options.name;
  if (work.model.name.empty()) work.model.name = std::filesystem::path(work.options.output).stem().string();
  work.model.licence = work.options.licence;
  if (!work.model.target_languages.empty()) return;  // a multilingual model
  add_language(work.files.source_language, &work.model.source_languages);
  add_language(work.files.target_language, &work.model.target_languages);
  if (work.files.source_language.empty() || work.files.target_language.empty()) {
    work.report.notes.push_back("languages are neither given nor to be seen in the file names");
  }
}

Status check_options(const ConvertOptions& options) {
  if (options.output.empty()) return Status::error(Code::kInvalidArgument, "name an output file");
  if (options.max_positions == 0 || options.max_positions > kMaxPositions) {
    return Status::error(Code::kInvalidArgument, "max_positions is %u, expected 1 to %u", options.max_positions,
                         kMaxPositions);
  }
  if (!options.max_loss.has_value()) return Status();
  if (options.calibration_text.empty()) {
    return Status::error(Code::kInvalidArgument, "a maximum loss needs a calibration text to measure it on");
  }
  if (*options.max_loss >= 0 && *options.max_loss <= 100) return Status();
  return Status::error(Code::kInvalidArgument, "the maximum loss is %g, expected 0 to 100 points of chrF",
                       *options.max_loss);
}

// Everything but the writing.
Status prepare(Conversion& work) {
  DRAGOMAN_RETURN_IF_ERROR(check_options(work.options));
  DRAGOMAN_ASSIGN_OR_RETURN(work.files, find_source_files(work.options));
  DRAGOMAN_RETURN_IF_ERROR(check_outputs(work));
  work.report.model = work.files.model;
  work.report.output = work.options.output;
  DRAGOMAN_RETURN_IF_ERROR(build_network(work));
  DRAGOMAN_RETURN_IF_ERROR(work.files.layout == SourceLayout::kMarian        ? add_marian_text(work)
                           : work.files.layout == SourceLayout::kHuggingFace ? add_hugging_face_text(work)
                                                                             : add_ctranslate2_text(work));
  DRAGOMAN_RETURN_IF_ERROR(check_outputs(work));  // once more: only the readers know all files of a folder
  DRAGOMAN_RETURN_IF_ERROR(add_provenance(work));
  add_names(work);
  add_ids_around_text(work);
  return Status();
}

Status write(Conversion& work, OutputFile& file) {
  DRAGOMAN_ASSIGN_OR_RETURN(const WrittenSizes sizes, write_model(file, work.model, work.store));
  work.report.num_tensors = work.store.tensors().size();
  work.report.model_bytes = sizes.model_bytes;
  work.report.payload_bytes = sizes.payload_bytes;
  work.report.file_bytes = sizes.file_bytes;
  return file.flush();
}

// Writes the file; with a calibration, it gets its name only when it has lost no more than allowed.
Status finish(Conversion& work, const Calibration* calibration) {
  DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::create(work.options.output));
  DRAGOMAN_RETURN_IF_ERROR(write(work, *file));
  if (calibration == nullptr) return file->commit();
  DRAGOMAN_ASSIGN_OR_RETURN(work.report.loss, measure_loss(file->temporary_path(), *calibration));
  if (work.options.max_loss.has_value() && work.report.loss->loss() > *work.options.max_loss) {
    return Status::error(Code::kNumerical, "%s: loses %.2f points of chrF to f32, at most %g are allowed",
                         work.options.output.c_str(), work.report.loss->loss(), *work.options.max_loss);
  }
  return file->commit();
}

// The model in f32, in a temporary file that goes away, and what it does with the calibration text.
Result<Calibration> calibrate_in_f32(const ConvertOptions& given, Importance* importance) {
  ConvertOptions options = given;
  options.weight_type = WeightType::kF32;
  options.weight_rules.clear();
  Conversion work(options, nullptr);
  DRAGOMAN_RETURN_IF_ERROR(prepare(work));
  DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::create(options.output));
  DRAGOMAN_RETURN_IF_ERROR(write(work, *file));
  DRAGOMAN_ASSIGN_OR_RETURN(Calibration calibration, calibrate(file->temporary_path(), options.calibration_text,
                                                               {options.source_language, options.target_language}));
  *importance = weight_importance(work.model, calibration.moments);
  return calibration;
}

}  // namespace

Result<ConvertReport> convert(const ConvertOptions& options, std::vector<std::string>* problems) {
  Conversion plain(options, nullptr);
  const Status prepared = prepare(plain);
  if (problems != nullptr) *problems = plain.problems.items();
  if (!prepared.ok()) return prepared;
  if (options.calibration_text.empty()) {
    DRAGOMAN_RETURN_IF_ERROR(finish(plain, nullptr));
    return std::move(plain.report);
  }
  Importance importance;
  DRAGOMAN_ASSIGN_OR_RETURN(const Calibration calibration, calibrate_in_f32(options, &importance));
  Conversion calibrated(options, &importance);
  DRAGOMAN_RETURN_IF_ERROR(prepare(calibrated));
  DRAGOMAN_RETURN_IF_ERROR(finish(calibrated, &calibration));
  return std::move(calibrated.report);
}

}  // namespace dragoman::converter
