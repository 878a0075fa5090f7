// Abbreviations and sentence starters of Polish, Czech, Russian, Greek and Hindi.
// Neighbours: abbreviations.h says what each list means.
#include "text/abbreviations.h"

namespace dragoman::text {

namespace {
constexpr std::string_view kPolishAlways[] = {"Mr",  "Mrs",  "Ms",  "St",  "abp",  "al",  "bp", "dr", "gen", "hab",
                                              "inż", "kpt",  "ks",  "lek", "m.in", "mgr", "np", "ok", "os",  "pl",
                                              "por", "prof", "płk", "tzn", "tzw",  "ul",  "ww", "śp", "św"};
constexpr std::string_view kPolishBeforeNumber[] = {"Art", "Nr", "art", "godz", "lit", "nr",  "pkt", "poz", "rozdz",
                                                    "rys", "s",  "str", "t",    "tab", "tel", "ust", "zob"};
constexpr std::string_view kPolishMaybe[] = {"etc", "godz",  "im", "itd", "itp", "jw", "mld", "mln",
                                             "n.e", "p.n.e", "r",  "sek", "tys", "w",  "zł"};
constexpr std::string_view kPolishStarters[] = {
    "A",        "Ale",   "Bo",     "Był",     "Była",      "Było",   "Choć",  "Ci",    "Co",      "Dla",
    "Dlaczego", "Do",    "Dziś",   "Gdy",     "Gdzie",     "I",      "Ich",   "Ja",    "Jak",     "Jednak",
    "Jego",     "Jej",   "Jest",   "Jeszcze", "Jeśli",     "Jeżeli", "Już",   "Każdy", "Kiedy",   "Kto",
    "Mimo",     "My",    "Mój",    "Na",      "Natomiast", "Nie",    "O",     "Od",    "On",      "Ona",
    "One",      "Oni",   "Po",     "Podczas", "Potem",     "Przed",  "Przez", "Przy",  "Również", "Ta",
    "Tak",      "Także", "Tam",    "Te",      "Ten",       "Teraz",  "To",    "Tu",    "Ty",      "W",
    "Wczoraj",  "We",    "Według", "Więc",    "Wszyscy",   "Wtedy",  "Wy",    "Z",     "Ze"};
static_assert(is_sorted_list(kPolishAlways));
static_assert(is_sorted_list(kPolishBeforeNumber));
static_assert(is_sorted_list(kPolishMaybe));
static_assert(is_sorted_list(kPolishStarters));
}  // namespace

constinit const LanguageRules kPolishRules = {kPolishAlways, kPolishBeforeNumber, kPolishMaybe, kPolishStarters, true};

namespace {
constexpr std::string_view kCzechAlways[] = {"Bc",   "Dr",   "Ing",  "JUDr", "MUDr", "Mgr", "Mr",  "Mrs",  "Ms",
                                             "PhDr", "RNDr", "St",   "doc",  "gen",  "kpt", "mj",  "např", "nám",
                                             "plk",  "popř", "prof", "resp", "sv",   "tj",  "tzv", "tř",   "ul"};
constexpr std::string_view kCzechBeforeNumber[] = {"kap", "obr", "odst", "písm", "roč", "s", "str",
                                                   "sv",  "tab", "tel",  "viz",  "č",   "čl"};
constexpr std::string_view kCzechMaybe[] = {"Sb",  "a.s", "aj", "apod",  "atd",  "hod", "mil",  "min", "mld",
                                            "n.l", "př",  "r",  "s.r.o", "spol", "st",  "stol", "tis"};
constexpr std::string_view kCzechStarters[] = {
    "A",     "Aby",   "Ale",     "Ani",  "Až",   "Bez",    "Bude",   "Byl",  "Byla", "Bylo",  "Co",     "Dnes",
    "Do",    "I",     "Jak",     "Jako", "Je",   "Jeho",   "Jejich", "Její", "Jen",  "Jenže", "Jestli", "Ještě",
    "Já",    "Každý", "Kde",     "Kdo",  "Kdy",  "Když",   "Mezi",   "My",   "Na",   "Nad",   "Ne",     "Nebo",
    "O",     "Od",    "On",      "Ona",  "Oni",  "Ono",    "Pak",    "Po",   "Pod",  "Podle", "Potom",  "Poté",
    "Pro",   "Proto", "Protože", "Proč", "Před", "Přesto", "Při",    "S",    "Se",   "Tak",   "Také",   "Tam",
    "Tato",  "Ten",   "Tento",   "Teď",  "To",   "Toto",   "Ty",     "U",    "Už",   "V",     "Ve",     "Vy",
    "Včera", "Však",  "Z",       "Za",   "Zde",  "Ze",     "Že"};
static_assert(is_sorted_list(kCzechAlways));
static_assert(is_sorted_list(kCzechBeforeNumber));
static_assert(is_sorted_list(kCzechMaybe));
static_assert(is_sorted_list(kCzechStarters));
}  // namespace

constinit const LanguageRules kCzechRules = {kCzechAlways, kCzechBeforeNumber, kCzechMaybe, kCzechStarters, true};

namespace {
constexpr std::string_view kRussianAlways[] = {"акад", "гр", "доц", "кв", "корп", "напр", "пер", "просп",
                                               "проф", "св", "см",  "ср", "т.е",  "т.к",  "т.н"};
constexpr std::string_view kRussianBeforeNumber[] = {"вып", "гл",  "кн", "п",    "пп",  "разд", "рис",
                                                     "ст",  "стр", "т",  "табл", "тел", "ч"};
constexpr std::string_view kRussianMaybe[] = {"в", "вв",  "г",   "гг",   "долл", "др",  "им", "коп",
                                              "л", "мин", "млн", "млрд", "н.э",  "обл", "пл", "пр",
                                              "р", "руб", "сек", "т.д",  "т.п",  "тыс", "ул", "чел"};
constexpr std::string_view kRussianStarters[] = {
    "А",     "Без", "Был",   "Была",  "Были",  "Было",   "В",       "Во",   "Вот", "Все",     "Всё",
    "Вчера", "Вы",  "Где",   "Да",    "Для",   "До",     "Его",     "Если", "Ещё", "Её",      "За",
    "Здесь", "И",   "Из",    "Или",   "Их",    "Как",    "Когда",   "Кто",  "Мы",  "На",      "Над",
    "Не",    "Нет", "Но",    "О",     "Об",    "Однако", "Он",      "Она",  "Они", "Оно",     "От",
    "Перед", "По",  "Под",   "После", "Потом", "Почему", "Поэтому", "При",  "С",   "Сегодня", "Сейчас",
    "Со",    "Так", "Также", "Там",   "То",    "Тогда",  "Только",  "Тут",  "Ты",  "У",       "Уже",
    "Хотя",  "Что", "Чтобы", "Эта",   "Эти",   "Это",    "Этот",    "Я"};
static_assert(is_sorted_list(kRussianAlways));
static_assert(is_sorted_list(kRussianBeforeNumber));
static_assert(is_sorted_list(kRussianMaybe));
static_assert(is_sorted_list(kRussianStarters));
}  // namespace

constinit const LanguageRules kRussianRules = {kRussianAlways, kRussianBeforeNumber, kRussianMaybe, kRussianStarters,
                                               false};

namespace {
constexpr std::string_view kGreekAlways[] = {"Δρ", "Καθ", "βλ", "δηλ", "κ", "κα", "κκ", "π.χ", "πρβλ"};
constexpr std::string_view kGreekBeforeNumber[] = {"αρ", "αριθ", "εικ", "σελ", "τηλ"};
constexpr std::string_view kGreekMaybe[] = {"Α.Ε", "κ.ά", "κ.λπ", "κλπ", "μ.Χ", "π.Χ"};
constexpr std::string_view kGreekStarters[] = {"Όταν", "Αν",  "Αυτή", "Αυτό", "Αυτός", "Για", "Δεν",  "Είναι", "Η",
                                               "Και",  "Με",  "Μετά", "Ο",    "Οι",    "Στη", "Στην", "Στο",   "Στον",
                                               "Τα",   "Την", "Της",  "Το",   "Τον",   "Του", "Των"};
static_assert(is_sorted_list(kGreekAlways));
static_assert(is_sorted_list(kGreekBeforeNumber));
static_assert(is_sorted_list(kGreekMaybe));
static_assert(is_sorted_list(kGreekStarters));
}  // namespace

constinit const LanguageRules kGreekRules = {kGreekAlways, kGreekBeforeNumber, kGreekMaybe, kGreekStarters, false};

namespace {
constexpr std::string_view kHindiAlways[] = {"डॉ", "पं", "प्रो", "मो", "श्री", "श्रीमती"};
constexpr std::string_view kHindiBeforeNumber[] = {"क्र", "पृ", "सं"};
constexpr std::string_view kHindiMaybe[] = {"ई"};
static_assert(is_sorted_list(kHindiAlways));
static_assert(is_sorted_list(kHindiBeforeNumber));
static_assert(is_sorted_list(kHindiMaybe));
}  // namespace

constinit const LanguageRules kHindiRules = {kHindiAlways, kHindiBeforeNumber, kHindiMaybe, {}, false};

}  // namespace dragoman::text
