// The languages of multilingual models whose folders do not list them, in the order in which their ids follow.
// Neighbours: hugging_face_vocabulary lays ids out by them.
#pragma once

#include <string>
#include <vector>

namespace dragoman::converter {

// "ace_Arab" ... (202).
std::vector<std::string> nllb_languages();
// "af" ... (100); their tokens are spelled "__af__".
std::vector<std::string> m2m100_languages();
// "ar_AR" ... (25), and with those that mBART-50 added (52).
std::vector<std::string> mbart_languages(bool fifty);

}  // namespace dragoman::converter
