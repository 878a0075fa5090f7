// Abbreviations and sentence starters of Portuguese, Spanish, French and Italian.
// Neighbours: abbreviations.h says what each list means.
#include "text/abbreviations.h"

namespace dragoman::text {

namespace {
constexpr std::string_view kPortugueseAlways[] = {
    "Alm", "Arq", "Cap", "Cel",  "Dep",  "Dr",   "Dra",  "Dras", "Drs", "Eng", "Exma", "Exmo",
    "Fr",  "Gen", "Gov", "Ilma", "Ilmo", "Maj",  "Mr",   "Mrs",  "Ms",  "Pe",  "Prof", "Profa",
    "Rev", "Sen", "Sgt", "Sr",   "Sra",  "Sras", "Srs",  "Srta", "St",  "Sto", "Ten",  "aprox",
    "ca",  "cf",  "dr",  "dra",  "e.g",  "i.e",  "p.ex", "prof", "sr",  "sra"};
constexpr std::string_view kPortugueseBeforeNumber[] = {
    "Art", "Arts", "Cap", "Dec", "Fig",  "Figs", "No",   "Nos", "Pág", "Res",  "Sec", "Séc", "Tab", "Tel",
    "Vol", "abr",  "ago", "art", "arts", "cap",  "caps", "fev", "fig", "figs", "jan", "jul", "jun", "n",
    "nov", "nr",   "p",   "par", "pp",   "pág",  "págs", "sec", "séc", "tab",  "tel", "vol", "vols"};
constexpr std::string_view kPortugueseMaybe[] = {"Av",  "Cia", "Inc", "Jr",  "Lda", "Ltda", "R",
                                                 "S.A", "a.C", "d.C", "etc", "ex",  "obs",  "séc"};
constexpr std::string_view kPortugueseStarters[] = {
    "A",     "Agora",  "Ainda",   "Ali",    "Antes", "Ao",     "Aos",   "Apesar", "Aquela",  "Aquele", "Aqui",
    "As",    "Assim",  "Até",     "Cada",   "Com",   "Como",   "Da",    "Das",    "De",      "Depois", "Desde",
    "Do",    "Dos",    "Durante", "E",      "Ela",   "Elas",   "Ele",   "Eles",   "Em",      "Embora", "Enquanto",
    "Entre", "Então",  "Era",     "Essa",   "Essas", "Esse",   "Esses", "Esta",   "Estas",   "Este",   "Estes",
    "Eu",    "Foi",    "Hoje",    "Há",     "Isso",  "Isto",   "Já",    "Lá",     "Mas",     "Meu",    "Minha",
    "Muito", "Muitos", "Na",      "Nas",    "No",    "Nos",    "Não",   "Nós",    "O",       "Onde",   "Ontem",
    "Os",    "Para",   "Por",     "Porque", "Porém", "Quando", "Quem",  "Se",     "Segundo", "Sem",    "Seu",
    "Seus",  "Sim",    "Sobre",   "Sua",    "Suas",  "Também", "Todas", "Todos",  "Tudo",    "Um",     "Uma",
    "Umas",  "Uns",    "Você",    "Vocês",  "À",     "Às",     "É"};
static_assert(is_sorted_list(kPortugueseAlways));
static_assert(is_sorted_list(kPortugueseBeforeNumber));
static_assert(is_sorted_list(kPortugueseMaybe));
static_assert(is_sorted_list(kPortugueseStarters));
}  // namespace

constinit const LanguageRules kPortugueseRules = {kPortugueseAlways, kPortugueseBeforeNumber, kPortugueseMaybe,
                                                  kPortugueseStarters, false};

namespace {
constexpr std::string_view kSpanishAlways[] = {
    "Alm",  "Arq",  "Cap",  "Col",  "Dr",  "Dra", "Dres", "Dña",   "Excma", "Excmo", "Fr",   "Gral", "Ilma",
    "Ilmo", "Ing",  "Lic",  "Mons", "Mr",  "Mrs", "Ms",   "Prof",  "Profa", "Rev",   "Sgto", "Sr",   "Sra",
    "Sras", "Sres", "Srta", "St",   "Sta", "Sto", "Tte",  "aprox", "cf",    "ej",    "i.e",  "p.ej"};
constexpr std::string_view kSpanishBeforeNumber[] = {
    "Art",  "Cap", "Fig", "No",  "Núm",  "Pág", "Sec", "Tel",  "Vol", "abr", "ago", "apdo", "art",
    "arts", "ca",  "cap", "dic", "ene",  "feb", "fig", "jul",  "jun", "n",   "nov", "núm",  "núms",
    "oct",  "p",   "pp",  "pág", "págs", "s",   "sec", "sept", "ss",  "tel", "vol"};
constexpr std::string_view kSpanishMaybe[] = {"Av", "Avda", "Cía", "EE", "Inc", "Jr",  "Ltda", "S.A", "S.L",
                                              "UU", "Ud",   "Uds", "Vd", "Vds", "a.C", "d.C",  "etc"};
constexpr std::string_view kSpanishStarters[] = {
    "A",        "Además",  "Ahora",  "Al",    "Allí",     "Ante",   "Antes", "Aquel", "Aquí",     "Así",    "Aunque",
    "Ayer",     "Aún",     "Cada",   "Como",  "Con",      "Cuando", "Cómo",  "De",    "Del",      "Desde",  "Después",
    "Donde",    "Durante", "Dónde",  "El",    "Ella",     "Ellas",  "Ellos", "En",    "Entonces", "Entre",  "Era",
    "Es",       "Esa",     "Esas",   "Ese",   "Eso",      "Esos",   "Esta",  "Estas", "Este",     "Esto",   "Estos",
    "Fue",      "Hasta",   "Hay",    "Hoy",   "La",       "Las",    "Le",    "Lo",    "Los",      "Luego",  "Mi",
    "Mientras", "Mis",     "Muchos", "No",    "Nosotros", "O",      "Para",  "Pero",  "Por",      "Porque", "Que",
    "Quien",    "Quién",   "Qué",    "Se",    "Según",    "Si",     "Sin",   "Sobre", "Su",       "Sus",    "Sí",
    "También",  "Todas",   "Todo",   "Todos", "Tras",     "Un",     "Una",   "Unas",  "Unos",     "Usted",  "Ustedes",
    "Y",        "Ya",      "Yo",     "Él"};
static_assert(is_sorted_list(kSpanishAlways));
static_assert(is_sorted_list(kSpanishBeforeNumber));
static_assert(is_sorted_list(kSpanishMaybe));
static_assert(is_sorted_list(kSpanishStarters));
}  // namespace

constinit const LanguageRules kSpanishRules = {kSpanishAlways, kSpanishBeforeNumber, kSpanishMaybe, kSpanishStarters,
                                               false};

namespace {
constexpr std::string_view kFrenchAlways[] = {"Dr",    "Drs", "Gal",  "M",  "MM",  "Me",  "Mgr",  "Mlle",
                                              "Mlles", "Mme", "Mmes", "Mr", "Mrs", "Ms",  "Pr",   "Prof",
                                              "St",    "Ste", "Sts",  "cf", "env", "i.e", "p.ex", "vs"};
constexpr std::string_view kFrenchBeforeNumber[] = {
    "Art",  "Chap", "Fig", "No",  "Tél", "Vol", "al", "art", "avr",  "chap", "déc", "fig", "févr", "janv",
    "juil", "n",    "no",  "nov", "nᵒ",  "oct", "p",  "pp",  "sect", "sept", "t",   "tab", "tél",  "vol"};
constexpr std::string_view kFrenchMaybe[] = {"Bd", "Cie", "Inc",  "Jr",  "S.A", "Sté", "apr",
                                             "av", "bd",  "boul", "etc", "ex",  "éd"};
constexpr std::string_view kFrenchStarters[] = {
    "Ainsi",   "Alors",   "Après",  "Au",      "Aujourd",  "Aussi", "Aux",   "Avant",  "Avec",  "Bien",    "C",
    "Car",     "Ce",      "Ceci",   "Cela",    "Ces",      "Cet",   "Cette", "Chaque", "Comme", "Comment", "D",
    "Dans",    "De",      "Depuis", "Des",     "Donc",     "Du",    "Déjà",  "Elle",   "Elles", "En",      "Enfin",
    "Ensuite", "Et",      "Ici",    "Il",      "Ils",      "J",     "Je",    "L",      "La",    "Le",      "Les",
    "Leur",    "Leurs",   "Lors",   "Lorsque", "Là",       "Ma",    "Mais",  "Malgré", "Mes",   "Mon",     "N",
    "Ne",      "Non",     "Nos",    "Notre",   "Nous",     "On",    "Or",    "Ou",     "Oui",   "Où",      "Par",
    "Parce",   "Pendant", "Plus",   "Pour",    "Pourquoi", "Puis",  "Qu",    "Quand",  "Que",   "Qui",     "Quoi",
    "S",       "Sa",      "Sans",   "Selon",   "Ses",      "Si",    "Son",   "Sous",   "Sur",   "Tous",    "Tout",
    "Toutes",  "Très",    "Tu",     "Un",      "Une",      "Voici", "Voilà", "Votre",  "Vous",  "À",       "Ça"};
static_assert(is_sorted_list(kFrenchAlways));
static_assert(is_sorted_list(kFrenchBeforeNumber));
static_assert(is_sorted_list(kFrenchMaybe));
static_assert(is_sorted_list(kFrenchStarters));
}  // namespace

constinit const LanguageRules kFrenchRules = {kFrenchAlways, kFrenchBeforeNumber, kFrenchMaybe, kFrenchStarters, false};

namespace {
constexpr std::string_view kItalianAlways[] = {
    "Arch", "Avv", "Cap", "Col", "Dott", "Dott.ssa", "Dr",  "Gen",  "Geom", "Ill",    "Ing",    "Mons",
    "Mr",   "Mrs", "Ms",  "On",  "Prof", "Prof.ssa", "Rag", "Sen",  "Sig",  "Sig.na", "Sig.ra", "Sigg",
    "St",   "Ten", "ca",  "cfr", "dott", "es",       "i.e", "p.es", "prof", "sig"};
constexpr std::string_view kItalianBeforeNumber[] = {
    "Art", "Cap", "Fig", "Pag", "Tel", "Vol", "ago", "apr", "art",  "artt", "cap", "co",   "dic", "feb", "fig", "gen",
    "giu", "lug", "n",   "nov", "nr",  "ott", "p",   "pag", "pagg", "pp",   "sec", "sett", "tab", "tel", "vol", "voll"};
constexpr std::string_view kItalianMaybe[] = {"F.lli", "Inc", "Jr", "S.p.A", "S.r.l", "a.C", "d.C", "ecc", "etc"};
constexpr std::string_view kItalianStarters[] = {
    "Ai",    "Al",     "Alla",    "Alle",   "Allora", "Anche",   "Ancora", "C",      "Che",    "Chi",   "Come",
    "Con",   "Cosa",   "Così",    "Da",     "Dal",    "Dalla",   "Dei",    "Del",    "Della",  "Delle", "Di",
    "Dopo",  "Dove",   "Durante", "E",      "Ed",     "Egli",    "Ella",   "Era",    "Fra",    "Fu",    "Già",
    "Gli",   "I",      "Ieri",    "Il",     "In",     "Inoltre", "Io",     "L",      "La",     "Le",    "Lei",
    "Lo",    "Loro",   "Lui",     "Ma",     "Mentre", "Mia",     "Mio",    "Molti",  "Nei",    "Nel",   "Nella",
    "Nelle", "Noi",    "Non",     "O",      "Oggi",   "Ogni",    "Ora",    "Per",    "Perché", "Però",  "Poi",
    "Prima", "Quando", "Quella",  "Quello", "Questa", "Queste",  "Questi", "Questo", "Qui",    "Se",    "Secondo",
    "Senza", "Si",     "Su",      "Sua",    "Sue",    "Sul",     "Sulla",  "Suo",    "Suoi",   "Sì",    "Tra",
    "Tu",    "Tutte",  "Tutti",   "Tutto",  "Un",     "Una",     "Uno",    "Voi",    "È"};
static_assert(is_sorted_list(kItalianAlways));
static_assert(is_sorted_list(kItalianBeforeNumber));
static_assert(is_sorted_list(kItalianMaybe));
static_assert(is_sorted_list(kItalianStarters));
}  // namespace

constinit const LanguageRules kItalianRules = {kItalianAlways, kItalianBeforeNumber, kItalianMaybe, kItalianStarters,
                                               false};

}  // namespace dragoman::text
