// Names of languages: what a tag says, and which of a model's languages a name means.
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "text/language_tag.h"

namespace dragoman::text {
namespace {

using Outcome = LanguageSearch::Outcome;

struct Offer {
  const char* code;
  const char* name = "";
};

// As NLLB, mBART, M2M100 and a student name theirs.
const std::vector<Offer> kFlores = {
    {"en", "eng_Latn"},  {"pt", "por_Latn"}, {"zh-Hans", "zho_Hans"}, {"zh-Hant", "zho_Hant"}, {"yue", "yue_Hant"},
    {"nb", "nob_Latn"},  {"nn", "nno_Latn"}, {"he", "heb_Hebr"},      {"id", "ind_Latn"},      {"sr", "srp_Cyrl"},
    {"ko", "kor_Hang"},  {"ks", "kas_Arab"}, {"ks-Deva", "kas_Deva"}, {"sat", "sat_Beng"},     {"ace-Arab", "ace_Arab"},
    {"ace", "ace_Latn"}, {"sw", "swh_Latn"}, {"fa", "pes_Arab"}};
const std::vector<Offer> kMbart = {{"en", "en_XX"}, {"zh-CN", "zh_CN"}, {"pt", "pt_XX"}, {"de-DE", "de_DE"}};
const std::vector<Offer> kM2m100 = {{"en", "en"}, {"zh", "zh"}, {"nb", "no"},  {"he", "he"},
                                    {"id", "id"}, {"sr", "sr"}, {"ast", "ast"}};
const std::vector<Offer> kOpus = {{"pt", "pt"},
                                  {"pt-BR", "pt_br"},
                                  {"es", "spa"},
                                  {"zh-Hans", "cmn_Hans"},
                                  {"zh-Hant", "cmn_Hant"},
                                  {"sr-Latn", "srp_Latn"},
                                  {"sr", "srp_Cyrl"}};
const std::vector<Offer> kRegionsOnly = {{"pt-PT", ""}, {"pt-BR", ""}, {"en-GB", ""}, {"zh-TW", ""}};

struct Answer {
  Outcome outcome = Outcome::kUnknown;
  std::string found;
  bool inexact = false;
};

Answer ask(std::string_view name, const std::vector<Offer>& offers) {
  LanguageSearch search(name);
  for (const Offer& offer : offers) search.offer(offer.code, offer.name);
  Answer answer{search.outcome(), "", false};
  if (answer.outcome == Outcome::kFound) {
    answer.found = offers[search.index()].code;
    answer.inexact = search.inexact();
  }
  return answer;
}

struct Row {
  const char* name;
  const std::vector<Offer>& offers;
  const char* found;  // "": refused
  bool inexact = false;
};

TEST_CASE("TX-20: every spelling of a language selects the same one") {
  const Row rows[] = {
      {"zh", kFlores, "zh-Hans"},
      {"zh-CN", kFlores, "zh-Hans"},
      {"zh_cn", kFlores, "zh-Hans"},
      {"zh-Hans", kFlores, "zh-Hans"},
      {"ZH-hans-CN", kFlores, "zh-Hans"},
      {"zho_Hans", kFlores, "zh-Hans"},
      {"cmn", kFlores, "zh-Hans"},
      {"chi", kFlores, "zh-Hans"},
      {"zh-TW", kFlores, "zh-Hant"},
      {"zh-Hant", kFlores, "zh-Hant"},
      {"zh-HK", kFlores, "zh-Hant"},
      {"zh-yue", kFlores, "yue"},
      {"zh", kMbart, "zh-CN"},
      {"zh-Hans", kMbart, "zh-CN"},
      {"cmn", kMbart, "zh-CN"},
      {"zh-TW", kMbart, ""},
      {"zh-Hant", kMbart, ""},
      {"zh-HK", kMbart, ""},
      {"zh-CN", kM2m100, "zh"},
      {"zho_Hans", kM2m100, "zh"},
      {"zh-TW", kM2m100, ""},
      {"zh_Hant", kM2m100, ""},
      {"zh-HK", kRegionsOnly, "zh-TW", true},
      {"zh", kRegionsOnly, ""},
      {"zh", kOpus, "zh-Hans"},
      {"zh-TW", kOpus, "zh-Hant"},
      {"pt", kFlores, "pt"},
      {"pt-BR", kFlores, "pt", true},
      {"pt_br", kFlores, "pt", true},
      {"pb", kFlores, "pt", true},
      {"pt-BR", kMbart, "pt", true},
      {"pt", kOpus, "pt"},
      {"por", kOpus, "pt"},
      {"pt-BR", kOpus, "pt-BR"},
      {"pb", kOpus, "pt-BR"},
      {"pt-PT", kOpus, "pt", true},
      {"pt-AO", kOpus, "pt", true},
      {"pt", kRegionsOnly, ""},
      {"en", kRegionsOnly, "en-GB"},
      {"en-US", kRegionsOnly, "en-GB", true},
      {"de", kMbart, "de-DE"},
      {"de-AT", kMbart, "de-DE", true},
      {"no", kFlores, "nb"},
      {"nb", kFlores, "nb"},
      {"nob_Latn", kFlores, "nb"},
      {"nn", kFlores, "nn"},
      {"no", kM2m100, "nb"},
      {"nb-NO", kM2m100, "nb", true},
      {"nn", kM2m100, ""},
      {"iw", kFlores, "he"},
      {"he", kM2m100, "he"},
      {"in", kFlores, "id"},
      {"id", kM2m100, "id"},
      {"sr", kFlores, "sr"},
      {"sr-Cyrl", kFlores, "sr"},
      {"sr-Cyrl-RS", kFlores, "sr", true},
      {"sr-Latn", kFlores, ""},
      {"sr-ME", kFlores, ""},
      {"sr-Latn", kM2m100, ""},
      {"sr-Latn", kOpus, "sr-Latn"},
      {"sr-ME", kOpus, "sr-Latn"},
      {"sr", kOpus, "sr"},
      {"ko-Kore", kFlores, "ko"},
      {"kor_Hang", kFlores, "ko"},
      {"ks", kFlores, "ks"},
      {"ks-Deva", kFlores, "ks-Deva"},
      {"sat_Olck", kFlores, "sat"},
      {"sat_Beng", kFlores, "sat"},
      {"ace", kFlores, "ace"},
      {"ace_Arab", kFlores, "ace-Arab"},
      {"swa", kFlores, "sw"},
      {"per", kFlores, "fa"},
      {"en_XX", kMbart, "en"},
      {"EN_xx", kMbart, "en"},
      {"ast-ES", kM2m100, "ast", true},
      {"es-419", kOpus, "es", true},
      {"es", kOpus, "es"},
      {"ca-valencia", kOpus, ""},
      {"en-scouse", kFlores, "en", true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name, row.offers[0].name, row.found);
    const Answer answer = ask(row.name, row.offers);
    CHECK(answer.found == row.found);
    CHECK(answer.inexact == row.inexact);
  }
}

TEST_CASE("TX-20: what is no tag and what no model has are told apart from what could be two") {
  for (const char* name : {"", "zh-", "-zh", "z", "zh--CN", "zh-CN-", "english", "en-US-x-a-very-long-tag",
                           "en-Latn-Latn", "en-US-Latn", "e1", "en us", "\xC3\xA9n", "en\n"}) {
    CAPTURE(name);
    CHECK(ask(name, kFlores).outcome == Outcome::kMalformed);
  }
  for (const char* name : {"xx", "zz-ZZ", "qaa", "cat_Latn"}) {
    CAPTURE(name);
    CHECK(ask(name, kFlores).outcome == Outcome::kUnknown);
  }
  CHECK(ask("pt", kRegionsOnly).outcome == Outcome::kAmbiguous);
  CHECK(ask("en", {}).outcome == Outcome::kUnknown);
}

TEST_CASE("a model's own code wins over what it could mean as a tag") {
  // "als" is Tosk Albanian in FLORES-200 and an old code of Alemannic elsewhere.
  const std::vector<Offer> offers = {{"sq", "sqi"}, {"gsw", "als"}, {"no", "weird_code"}};
  CHECK(ask("als", offers).found == "gsw");
  CHECK(ask("sq", offers).found == "sq");
  CHECK(ask("WEIRD-code", offers).found == "no");
}

TEST_CASE("the table of languages names nothing twice") {
  std::set<std::string_view> seen;
  std::string_view previous;
  for (const LanguageRow& row : language_rows()) {
    CAPTURE(row.code);
    CHECK(previous < row.code);
    previous = row.code;
    CHECK(seen.insert(row.code).second);
    CHECK(row.script.size() == 4);
    std::string_view aliases = row.aliases;
    while (!aliases.empty()) {
      const size_t end = std::min(aliases.find(' '), aliases.size());
      CHECK(seen.insert(aliases.substr(0, end)).second);
      CHECK((end == 2 || end == 3));
      aliases.remove_prefix(std::min(end + 1, aliases.size()));
    }
  }
  for (const RegionScript& row : region_scripts()) CHECK(find_language_row(row.language) != nullptr);
}

TEST_CASE("parts of a tag") {
  LanguageTag tag;
  REQUIRE(tag.parse("ZHO-hant-tw"));
  CHECK(std::string_view(tag.language) == "zho");
  CHECK(std::string_view(tag.script) == "Hant");
  CHECK(std::string_view(tag.region) == "TW");
  CHECK(canonical_language(tag) == "zh");
  REQUIRE(tag.parse("en_XX"));
  CHECK(std::string_view(tag.region).empty());
  CHECK(script_of(tag) == "Latn");
  REQUIRE(tag.parse("pa-PK"));
  CHECK(script_of(tag) == "Arab");
  REQUIRE(tag.parse("be-tarask"));
  CHECK(tag.has_variant);
  CHECK(script_of(tag) == "Cyrl");
  REQUIRE(tag.parse("qzz"));
  CHECK(canonical_language(tag) == "qzz");
}

}  // namespace
}  // namespace dragoman::text
