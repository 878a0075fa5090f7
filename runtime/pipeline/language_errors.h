// How it is said that a language cannot be had, and which can.
// Neighbours: pipeline/languages.
#pragma once

#include <string_view>

#include "base/status.h"
#include "pipeline/languages.h"

namespace dragoman::pipeline {

// kNotFound: the name, why, and the languages there are, as many as fit.
Status unknown_language(const model::ModelView& view, Side side, std::string_view name, const char* why);

// kNotFound: two languages that a name could mean.
Status ambiguous_language(std::string_view name, const model::LanguageInfo& one, const model::LanguageInfo& other);

// kInvalidArgument: a language has to be named; lists those there are.
Status unnamed_language(const model::ModelView& view, Side side);

// kNotFound: both languages are there but not as a pair, or they are not known; lists the pairs.
Status unknown_pair(const model::ModelView& view, int32_t source, int32_t target);

}  // namespace dragoman::pipeline
