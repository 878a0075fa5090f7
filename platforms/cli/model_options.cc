// Registers the shared options with CLI11 and turns them into the library's structs.
#include "model_options.h"

#include <cstring>
#include <map>
#include <utility>

namespace dragoman::cli {

CLI::Validator file_name() {
  return CLI::Validator([](std::string& name) { return std::string(name.empty() ? "an empty file name" : ""); }, "");
}

CLI::Option* ModelChoice::add_path(CLI::App* command, const std::string& positional) {
  const std::string names = positional.empty() ? "-m,--model" : "-m,--model," + positional;
  return command->add_option(names, path, "Model file (.drg)")->type_name("MODEL");
}

void ModelChoice::add_to(CLI::App* command, const std::string& positional) {
  add_path(command, positional)->required();
  command->add_option("--compute", compute, "Products in int8, or in f32 from the same weights (for comparison)")
      ->check(CLI::IsMember({"int8", "f32"}))
      ->capture_default_str();
  command->add_flag("--verify", verify, "Read the whole file first and compare its checksums");
}

std::optional<Model> open_model(const ModelChoice& choice) {
  ModelOptions options = Model::default_options();
  options.compute = choice.compute == "f32" ? DRAGOMAN_COMPUTE_F32 : DRAGOMAN_COMPUTE_INT8;
  options.verify_checksums = choice.verify;
  Expected<Model> model = Model::open(choice.path, options);
  if (model) return std::move(*model);
  std::string message = model.error().message();
  if (message.find(choice.path) == std::string::npos) message = choice.path + ": " + message;
  complain("cannot open the model: " + message);
  return std::nullopt;
}

void add_session_options(CLI::App* command, SessionOptions* options) {
  *options = Session::default_options();
  command->add_option("--batch", options->max_batch, "Sentences decoded at once")
      ->check(CLI::Range(1, int{DRAGOMAN_MAX_BATCH}))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--threads", options->threads, "Threads inside one operator")
      ->check(CLI::Range(1, int{DRAGOMAN_MAX_THREADS}))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--max-source-tokens", options->max_source_tokens, "Longer sentences are translated in parts")
      ->check(CLI::Range(2, int{DRAGOMAN_MAX_SOURCE_TOKENS}))
      ->type_name("N")
      ->capture_default_str();
  const std::map<std::string, dragoman_cache_type> types = {
      {"f32", DRAGOMAN_CACHE_F32}, {"f16", DRAGOMAN_CACHE_F16}, {"int8", DRAGOMAN_CACHE_INT8}};
  command->add_option("--cache", options->cache_type, "Elements of the self-attention cache: f32, f16 or int8")
      ->transform(CLI::CheckedTransformer(types).description(""))
      ->type_name("TYPE")
      ->default_str("f32");
}

void add_reservation_options(CLI::App* command, SessionOptions* options) {
  const auto add = [command](const char* name, auto& value, const char* help, uint32_t most) {
    command->add_option(name, value, help)->check(CLI::Range(uint32_t{1}, most))->type_name("N");
  };
  add("--beam", options->max_beam, "Room for so many hypotheses a sentence; if not given, for the model's",
      DRAGOMAN_MAX_BEAM);
  add("--n-best", options->max_n_best, "Room for so many translations of a sentence", DRAGOMAN_MAX_BEAM);
  add("--max-length", options->max_target_tokens,
      "Room for so many generated tokens of a sentence; if not given, for the model's", DRAGOMAN_MAX_TARGET_TOKENS);
  command->add_flag("--full-logits", options->full_logits, "Room for sampling and constraints");
  command->add_flag("--attention", options->attention, "Room for alignments and the coverage penalty");
}

ExitCode fail_session(const Error& error) {
  std::string message = error.message();
  for (const auto& [field, option] :
       {std::pair("max_n_best", "--n-best"), std::pair("max_target_tokens", "--max-length"),
        std::pair("max_beam", "--beam")}) {
    const size_t at = message.find(field);
    if (at != std::string::npos) message.replace(at, std::strlen(field), option);
  }
  if (error.code() == DRAGOMAN_INVALID_ARGUMENT) return fail(kExitUsage, message);
  return fail(kExitFile, "cannot create a session: " + message);
}

void LanguageChoice::add_to(CLI::App* command) {
  command->add_option("--from", from, "Language of the text: the model's own code or a tag like en, zh-Hans, pt-BR")
      ->type_name("LANGUAGE");
  command->add_option("--to", to, "Language to translate into")->type_name("LANGUAGE");
}

void LanguageChoice::apply(TranslateOptions* options) const {
  if (!from.empty()) options->source_language = from.c_str();
  if (!to.empty()) options->target_language = to.c_str();
}

namespace {

std::string shown(const Language& language) { return language.name[0] != '\0' ? language.name : language.code; }

bool check_language(const Model& model, dragoman_side side, const char* option, const std::string& name) {
  const std::vector<Language> languages = model.languages(side);
  // A model that does not list its languages judges by itself.
  if (name.empty() || languages.empty()) return true;
  const Expected<Language> found = model.find_language(side, name);
  if (found && found->inexact) complain("note: " + name + ": the model has " + shown(*found));
  if (found) return true;
  std::string list;
  for (const Language& language : languages) list += " " + shown(language);
  const std::string message = found.error().message();
  complain(std::string(option) + ": " + message.substr(0, message.find(':')) + ":" + list);
  return false;
}

}  // namespace

bool LanguageChoice::check(const Model& model) const {
  const bool source = check_language(model, DRAGOMAN_SOURCE, "--from", from);
  return check_language(model, DRAGOMAN_TARGET, "--to", to) && source;
}

void TranslateChoice::add_to(CLI::App* command) {
  languages.add_to(command);
  command->add_flag("--no-shortlist", no_shortlist, "Let every word of the vocabulary compete");
  command->add_flag("--one-sentence-per-line", one_sentence_per_line, "Do not split lines into sentences");
  command->add_option("--max-length-factor", max_length_factor, "Generated ids per source id at most; 0: the model's")
      ->check(CLI::Range(0.0f, DRAGOMAN_MAX_LENGTH_FACTOR))
      ->check([](const std::string& value) {  // no bound holds NaN back
        return std::string(value.find_first_of("nN") != std::string::npos ? "Value " + value + " is not a number" : "");
      })
      ->type_name("X")
      ->capture_default_str();
  search.add_to(command);
}

TranslateOptions TranslateChoice::options() const {
  TranslateOptions options = Session::default_translate_options();
  options.shortlist = !no_shortlist;
  options.one_sentence_per_input = one_sentence_per_line;
  options.max_length_factor = max_length_factor;
  search.apply(&options);
  languages.apply(&options);
  return options;
}

void TextArguments::add_to(CLI::App* app, const std::vector<std::string>* verbatim_texts) {
  command = app;
  verbatim = verbatim_texts;
  // One positional and "extras": as a list, CLI11 would take "[a, b]" apart.
  option = app->add_option("TEXT", first, "Texts, instead of files or standard input (after -- if one begins with -)")
               ->type_name("");
  app->allow_extras();
}

std::optional<std::vector<std::string>> TextArguments::texts() const {
  std::vector<std::string> texts;
  if (option->count() > 0) texts.push_back(first);
  for (const std::string& extra : command->remaining()) {
    const bool dash = extra.size() > 1 && extra[0] == '-' && extra[1] != ' ' && (extra[1] < '0' || extra[1] > '9');
    if (dash) {
      complain("unknown option " + extra + " (a text that begins with - goes after --)");
      return std::nullopt;
    }
    texts.push_back(extra);
  }
  texts.insert(texts.end(), verbatim->begin(), verbatim->end());
  return texts;
}

}  // namespace dragoman::cli
