// T5's translation tasks: words before the text that name the pair of languages.
// Neighbours: languages.cc falls back on them; runtime/pipeline/languages puts the words' ids before a text.
#pragma once

#include "base/status.h"
#include "converter/languages.h"

namespace dragoman::converter {

// Makes a LanguagePair of every "translation_xx_to_yy" in config.json's task_specific_params. A task whose words cannot
// be put before a text as ids is left out with a note.
Status add_translation_tasks(const LanguageRequest& request, schema::ModelT* model, ConvertReport* report);

}  // namespace dragoman::converter
