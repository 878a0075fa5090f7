// Abbreviations and sentence starters of English, German and Dutch.
// Neighbours: abbreviations.h says what each list means.
#include "text/abbreviations.h"

namespace dragoman::text {

namespace {
constexpr std::string_view kEnglishAlways[] = {
    "Adm", "Amb",  "Br",     "Brig", "Capt", "Cllr", "Cmdr", "Col",    "Cpl",  "Det", "Dr",   "Drs",
    "Fr",  "Gen",  "Gov",    "Hon",  "Insp", "Lt",   "Maj",  "Messrs", "Mlle", "Mme", "Mmes", "Mr",
    "Mrs", "Ms",   "Mt",     "Mx",   "Pres", "Prof", "Pvt",  "Rep",    "Reps", "Rev", "Sen",  "Sens",
    "Sgt", "Supt", "approx", "ca",   "cf",   "e.g",  "esp",  "i.e",    "incl", "viz", "vs"};
constexpr std::string_view kEnglishBeforeNumber[] = {
    "Apr",  "Art",  "Arts", "Aug",  "Ch",  "Chap", "Dec",  "Eq",   "Eqs",  "Ex",  "Feb",  "Fig",
    "Figs", "Jan",  "Jul",  "Jun",  "Mar", "No",   "Nos",  "Nov",  "Nr",   "Oct", "Op",   "Pt",
    "Sec",  "Sect", "Sep",  "Sept", "Tab", "Vol",  "Vols", "art",  "arts", "ch",  "chap", "ed",
    "eq",   "fig",  "figs", "ft",   "no",  "nos",  "p",    "para", "pp",   "sec", "vol",  "vols"};
constexpr std::string_view kEnglishMaybe[] = {"Apr",  "Ariz", "Assn", "Aug",  "Ave",  "Blvd", "Bros", "Calif", "Co",
                                              "Colo", "Conn", "Corp", "Dec",  "Dept", "Esq",  "Feb",  "Fla",   "Inc",
                                              "Jan",  "Jr",   "Ltd",  "Mass", "Mich", "Minn", "Nov",  "Oct",   "Okla",
                                              "Penn", "Ph.D", "Rd",   "Sept", "Sr",   "St",   "Tenn", "Tex",   "Univ",
                                              "Wash", "Wis",  "a.m",  "al",   "dept", "est",  "etc",  "p.m"};
constexpr std::string_view kEnglishStarters[] = {
    "After", "Also",    "Although", "An",    "And",   "Another",   "As",    "At",    "Because", "Before", "But",
    "By",    "During",  "Each",     "Even",  "Every", "For",       "From",  "He",    "Her",     "Here",   "His",
    "How",   "However", "I",        "If",    "In",    "Is",        "It",    "Its",   "Let",     "My",     "Nor",
    "Not",   "Now",     "On",       "Once",  "Or",    "Our",       "She",   "Since", "So",      "Some",   "Such",
    "That",  "The",     "Their",    "Then",  "There", "Therefore", "These", "They",  "This",    "Those",  "Though",
    "Thus",  "To",      "Today",    "Until", "We",    "What",      "When",  "Where", "Whether", "Which",  "While",
    "Who",   "Why",     "With",     "Yes",   "Yet",   "You",       "Your"};
static_assert(is_sorted_list(kEnglishAlways));
static_assert(is_sorted_list(kEnglishBeforeNumber));
static_assert(is_sorted_list(kEnglishMaybe));
static_assert(is_sorted_list(kEnglishStarters));
}  // namespace

constinit const LanguageRules kEnglishRules = {kEnglishAlways, kEnglishBeforeNumber, kEnglishMaybe, kEnglishStarters,
                                               false};

namespace {
constexpr std::string_view kGermanAlways[] = {
    "Dipl", "Dir",  "Dr",  "Fa",  "Fr",    "Frl",  "Hr",   "Hrn",    "Ing",  "Mag", "Mr",   "Mrs",
    "Ms",   "Prof", "Skt", "St",  "bspw",  "bzgl", "bzw",  "ca",     "d.h",  "d.i", "evtl", "exkl",
    "geb",  "gem",  "ggf", "hl",  "i.d.R", "inkl", "insb", "insbes", "kath", "m.E", "max",  "min",
    "o.g",  "röm",  "s.o", "s.u", "sog",   "v.a",  "vgl",  "z.B",    "z.T",  "z.Z", "zzgl"};
constexpr std::string_view kGermanBeforeNumber[] = {
    "Abb", "Abs", "Anm", "Apr", "Art", "Aug", "Bd",   "Bde", "Dez", "Feb", "Fn",   "Hs",  "Jan", "Jul",
    "Jun", "Kap", "Nov", "Nr",  "Nrn", "Okt", "Rdnr", "Rn",  "S",   "Sep", "Sept", "Tab", "Tel", "Ziff"};
constexpr std::string_view kGermanMaybe[] = {"Aufl", "Chr",  "Co",    "Hrsg", "Inc", "Jh",  "Jhd", "Jr",  "Mio",
                                             "Mrd",  "Sek",  "Std",   "Str",  "Tsd", "a.M", "bes", "etc", "f",
                                             "ff",   "gest", "n.Chr", "o.ä",  "u.a", "u.ä", "usf", "usw", "v.Chr"};
constexpr std::string_view kGermanStarters[] = {
    "Aber",    "Als",     "Am",    "An",     "Auch",   "Auf",    "Aus",  "Bei",  "Beim",  "Bis",   "Da",   "Dabei",
    "Dafür",   "Daher",   "Damit", "Danach", "Dann",   "Darauf", "Das",  "Dass", "Dem",   "Den",   "Denn", "Der",
    "Deshalb", "Die",     "Dies",  "Diese",  "Dieser", "Dieses", "Doch", "Dort", "Du",    "Durch", "Ein",  "Eine",
    "Einen",   "Einer",   "Er",    "Es",     "Für",    "Hier",   "Ich",  "Ihr",  "Ihre",  "Im",    "In",   "Ist",
    "Ja",      "Jede",    "Jetzt", "Man",    "Mit",    "Nach",   "Nein", "Noch", "Nun",   "Nur",   "Ob",   "Obwohl",
    "Oder",    "Ohne",    "Schon", "Sein",   "Seine",  "Seit",   "Sie",  "So",   "Trotz", "Um",    "Und",  "Unter",
    "Viele",   "Vom",     "Von",   "Vor",    "War",    "Warum",  "Was",  "Weil", "Wenn",  "Wer",   "Wie",  "Wir",
    "Wo",      "Während", "Zu",    "Zum",    "Zur",    "Zwar"};
static_assert(is_sorted_list(kGermanAlways));
static_assert(is_sorted_list(kGermanBeforeNumber));
static_assert(is_sorted_list(kGermanMaybe));
static_assert(is_sorted_list(kGermanStarters));
}  // namespace

constinit const LanguageRules kGermanRules = {kGermanAlways, kGermanBeforeNumber, kGermanMaybe, kGermanStarters, true};

namespace {
constexpr std::string_view kDutchAlways[] = {
    "Dr",  "Drs",  "Ir",  "Mr",   "Mrs",  "Ms",    "Prof",  "St",    "bijv", "ca", "d.w.z", "dhr",
    "dr",  "drs",  "ds",  "excl", "gebr", "i.p.v", "i.v.m", "incl",  "ing",  "ir", "jhr",   "m.b.t",
    "max", "mevr", "min", "mr",   "mw",   "prof",  "resp",  "t.a.v", "vgl",  "zgn"};
constexpr std::string_view kDutchBeforeNumber[] = {"Art", "Nr",   "afb", "apr", "art",  "aug", "blz", "dec", "feb",
                                                   "fig", "hfst", "jan", "jul", "jun",  "mrt", "nov", "nr",  "okt",
                                                   "p",   "pag",  "pp",  "sep", "sept", "tab", "tel", "vol"};
constexpr std::string_view kDutchMaybe[] = {"B.V", "Inc", "N.V", "a.u.b", "e.d", "enz", "etc", "o.a", "s.v.p", "v.Chr"};
constexpr std::string_view kDutchStarters[] = {
    "Als",    "Bij",   "Daar",    "Daarna", "Daarom", "Dat",  "De",   "Deze", "Die",  "Dit",     "Door", "Dus",
    "Een",    "En",    "Er",      "Haar",   "Het",    "Hier", "Hij",  "Hoe",  "Hun",  "Ik",      "In",   "Je",
    "Jij",    "Maar",  "Met",     "Mijn",   "Na",     "Naar", "Niet", "Nu",   "Om",   "Omdat",   "Onze", "Ook",
    "Op",     "Sinds", "Tijdens", "Toch",   "Toen",   "Tot",  "U",    "Uit",  "Van",  "Volgens", "Voor", "Waar",
    "Waarom", "Want",  "Wat",     "We",     "Wie",    "Wij",  "Ze",   "Zij",  "Zijn", "Zo"};
static_assert(is_sorted_list(kDutchAlways));
static_assert(is_sorted_list(kDutchBeforeNumber));
static_assert(is_sorted_list(kDutchMaybe));
static_assert(is_sorted_list(kDutchStarters));
}  // namespace

constinit const LanguageRules kDutchRules = {kDutchAlways, kDutchBeforeNumber, kDutchMaybe, kDutchStarters, false};

}  // namespace dragoman::text
