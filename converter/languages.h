// The languages of a multilingual model and where their tokens stand, from its vocabulary and its tokenizer's settings.
// Neighbours: language_scheme knows the families; conversion_text.cc stores the result; runtime/pipeline/languages
// follows it.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "converter/frontends/source.h"
#include "converter/hugging_face_vocabulary.h"
#include "converter/report.h"

namespace dragoman::schema {
struct ModelT;
}

namespace dragoman::converter {

struct LanguageRequest {
  const std::string& folder;  // a Hugging Face folder
  const Source& source;       // read from it
  const HuggingFaceVocabulary& vocabulary;
  const std::string& source_language;  // what a call means that names none, or "": the model's own default
  const std::string& target_language;
};

// Fills the model's languages and their layout when the vocabulary has language tokens or the settings name translation
// tasks; otherwise leaves the model as it is. Needs model->generation. kNotFound when a default is not among the
// languages. What was decided goes to the report's notes.
Status add_languages(const LanguageRequest& request, schema::ModelT* model, ConvertReport* report);

// The language that `name` ("zho_Hans", "en_XX", "fra") stands for as a BCP 47 tag: "zh-Hans", "en", "fr". A name that
// is no tag stays as it is.
std::string language_tag(const std::string& name);

// Whether `name` is a well-formed tag of a language.
bool is_language_tag(std::string_view name);

// `name` when it is one language's, "" when it is a group's ("ROMANCE", "mul", "gem").
std::string single_language(const std::string& name);

}  // namespace dragoman::converter
