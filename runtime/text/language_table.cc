// Neighbours: language_table.h. Sources: ISO 639-3 code tables (SIL), ISO 639-2/B, IANA's language subtag registry
// (deprecated codes, Suppress-Script), CLDR's likely subtags for scripts. The codes of FLORES-200 name one member of a
// macrolanguage (swh, khk, npi ...); they are aliases here because models offer no other member beside it.
#include "text/language_table.h"

namespace dragoman::text {

namespace {

constexpr LanguageRow kRows[] = {
    {"aa", "Latn", "aar"},         {"ab", "Cyrl", "abk"},         {"acm", "Arab", ""},
    {"acq", "Arab", ""},           {"ady", "Cyrl", ""},           {"ae", "Avst", "ave"},
    {"aeb", "Arab", ""},           {"af", "Latn", "afr"},         {"ajp", "Arab", ""},
    {"ak", "Latn", "aka"},         {"alt", "Cyrl", ""},           {"am", "Ethi", "amh"},
    {"an", "Latn", "arg"},         {"apc", "Arab", ""},           {"ar", "Arab", "ara arb"},
    {"arc", "Syrc", ""},           {"ars", "Arab", ""},           {"ary", "Arab", ""},
    {"arz", "Arab", ""},           {"as", "Beng", "asm"},         {"av", "Cyrl", "ava"},
    {"awa", "Deva", ""},           {"ay", "Latn", "aym ayr"},     {"az", "Latn", "aze azj"},
    {"azb", "Arab", ""},           {"ba", "Cyrl", "bak"},         {"be", "Cyrl", "bel"},
    {"bg", "Cyrl", "bul"},         {"bho", "Deva", ""},           {"bi", "Latn", "bis"},
    {"bm", "Latn", "bam"},         {"bn", "Beng", "ben"},         {"bo", "Tibt", "bod tib"},
    {"br", "Latn", "bre"},         {"brx", "Deva", ""},           {"bs", "Latn", "bos"},
    {"bua", "Cyrl", "bxr"},        {"ca", "Latn", "cat"},         {"ce", "Cyrl", "che"},
    {"ch", "Latn", "cha"},         {"chm", "Cyrl", "mhr"},        {"chr", "Cher", ""},
    {"ckb", "Arab", ""},           {"co", "Latn", "cos"},         {"cop", "Copt", ""},
    {"cr", "Cans", "cre"},         {"cs", "Latn", "ces cze"},     {"cu", "Cyrl", "chu"},
    {"cv", "Cyrl", "chv"},         {"cy", "Latn", "cym wel"},     {"da", "Latn", "dan"},
    {"de", "Latn", "deu ger"},     {"din", "Latn", "dik"},        {"dng", "Cyrl", ""},
    {"doi", "Deva", ""},           {"dv", "Thaa", "div"},         {"dz", "Tibt", "dzo"},
    {"ee", "Latn", "ewe"},         {"el", "Grek", "ell gre"},     {"en", "Latn", "eng"},
    {"eo", "Latn", "epo"},         {"es", "Latn", "spa"},         {"et", "Latn", "est ekk"},
    {"eu", "Latn", "eus baq"},     {"fa", "Arab", "fas per pes"}, {"ff", "Latn", "ful fuv"},
    {"fi", "Latn", "fin"},         {"fj", "Latn", "fij"},         {"fo", "Latn", "fao"},
    {"fr", "Latn", "fra fre"},     {"fy", "Latn", "fry"},         {"ga", "Latn", "gle"},
    {"gd", "Latn", "gla"},         {"gl", "Latn", "glg"},         {"gn", "Latn", "grn gug"},
    {"gom", "Deva", ""},           {"got", "Goth", ""},           {"grc", "Grek", ""},
    {"gu", "Gujr", "guj"},         {"gv", "Latn", "glv"},         {"ha", "Latn", "hau"},
    {"he", "Hebr", "heb iw"},      {"hi", "Deva", "hin"},         {"hne", "Deva", ""},
    {"ho", "Latn", "hmo"},         {"hr", "Latn", "hrv scr"},     {"ht", "Latn", "hat"},
    {"hu", "Latn", "hun"},         {"hy", "Armn", "hye arm"},     {"hyw", "Armn", ""},
    {"hz", "Latn", "her"},         {"ia", "Latn", "ina"},         {"id", "Latn", "ind in"},
    {"ie", "Latn", "ile"},         {"ig", "Latn", "ibo"},         {"ii", "Yiii", "iii"},
    {"ik", "Latn", "ipk"},         {"inh", "Cyrl", ""},           {"io", "Latn", "ido"},
    {"is", "Latn", "isl ice"},     {"it", "Latn", "ita"},         {"iu", "Cans", "iku"},
    {"ja", "Jpan", "jpn"},         {"jv", "Latn", "jav jw"},      {"ka", "Geor", "kat geo"},
    {"kbd", "Cyrl", ""},           {"kg", "Latn", "kon"},         {"ki", "Latn", "kik"},
    {"kj", "Latn", "kua"},         {"kjh", "Cyrl", ""},           {"kk", "Cyrl", "kaz"},
    {"kl", "Latn", "kal"},         {"km", "Khmr", "khm"},         {"kn", "Knda", "kan"},
    {"ko", "Kore", "kor"},         {"kr", "Latn", "kau knc"},     {"krc", "Cyrl", ""},
    {"ks", "Arab", "kas"},         {"ku", "Latn", "kur kmr"},     {"kv", "Cyrl", "kom kpv"},
    {"kw", "Latn", "cor"},         {"ky", "Cyrl", "kir"},         {"la", "Latn", "lat"},
    {"lb", "Latn", "ltz"},         {"lez", "Cyrl", ""},           {"lg", "Latn", "lug"},
    {"li", "Latn", "lim"},         {"ln", "Latn", "lin"},         {"lo", "Laoo", "lao"},
    {"lrc", "Arab", ""},           {"lt", "Latn", "lit"},         {"lu", "Latn", "lub"},
    {"lv", "Latn", "lav lvs"},     {"lzh", "Hans", ""},           {"mag", "Deva", ""},
    {"mai", "Deva", ""},           {"mdf", "Cyrl", ""},           {"mg", "Latn", "mlg plt"},
    {"mh", "Latn", "mah"},         {"mi", "Latn", "mri mao"},     {"mk", "Cyrl", "mkd mac"},
    {"ml", "Mlym", "mal"},         {"mn", "Cyrl", "mon khk"},     {"mni", "Beng", ""},
    {"mr", "Deva", "mar"},         {"mrj", "Cyrl", ""},           {"ms", "Latn", "msa may zsm"},
    {"mt", "Latn", "mlt"},         {"my", "Mymr", "mya bur"},     {"myv", "Cyrl", ""},
    {"mzn", "Arab", ""},           {"na", "Latn", "nau"},         {"nb", "Latn", "nob no nor"},
    {"nd", "Latn", "nde"},         {"ne", "Deva", "nep npi"},     {"new", "Deva", ""},
    {"ng", "Latn", "ndo"},         {"nl", "Latn", "nld dut"},     {"nn", "Latn", "nno"},
    {"nog", "Cyrl", ""},           {"nqo", "Nkoo", ""},           {"nr", "Latn", "nbl"},
    {"nso", "Latn", "ns"},         {"nv", "Latn", "nav"},         {"ny", "Latn", "nya"},
    {"oc", "Latn", "oci"},         {"oj", "Cans", "oji"},         {"om", "Latn", "orm gaz"},
    {"or", "Orya", "ori ory"},     {"os", "Cyrl", "oss"},         {"ota", "Arab", ""},
    {"pa", "Guru", "pan"},         {"pi", "Deva", "pli"},         {"pl", "Latn", "pol"},
    {"pnb", "Arab", ""},           {"prs", "Arab", ""},           {"ps", "Arab", "pus pbt"},
    {"pt", "Latn", "por"},         {"qu", "Latn", "que quy"},     {"raj", "Deva", ""},
    {"rm", "Latn", "roh"},         {"rn", "Latn", "run"},         {"ro", "Latn", "ron rum mo mol"},
    {"ru", "Cyrl", "rus"},         {"rue", "Cyrl", ""},           {"rw", "Latn", "kin"},
    {"sa", "Deva", "san"},         {"sah", "Cyrl", ""},           {"sat", "Olck", ""},
    {"sc", "Latn", "srd"},         {"sd", "Arab", "snd"},         {"se", "Latn", "sme"},
    {"sg", "Latn", "sag"},         {"shn", "Mymr", ""},           {"si", "Sinh", "sin"},
    {"sk", "Latn", "slk slo"},     {"skr", "Arab", ""},           {"sl", "Latn", "slv"},
    {"sm", "Latn", "smo"},         {"sn", "Latn", "sna"},         {"so", "Latn", "som"},
    {"sq", "Latn", "sqi alb als"}, {"sr", "Cyrl", "srp scc"},     {"ss", "Latn", "ssw"},
    {"st", "Latn", "sot"},         {"su", "Latn", "sun"},         {"sv", "Latn", "swe"},
    {"sw", "Latn", "swa swh"},     {"syr", "Syrc", ""},           {"ta", "Taml", "tam"},
    {"te", "Telu", "tel"},         {"tg", "Cyrl", "tgk"},         {"th", "Thai", "tha"},
    {"ti", "Ethi", "tir"},         {"tk", "Latn", "tuk"},         {"tl", "Latn", "tgl fil"},
    {"tn", "Latn", "tsn"},         {"to", "Latn", "ton"},         {"tr", "Latn", "tur"},
    {"ts", "Latn", "tso"},         {"tt", "Cyrl", "tat"},         {"tw", "Latn", "twi"},
    {"ty", "Latn", "tah"},         {"tyv", "Cyrl", ""},           {"tzm", "Tfng", ""},
    {"udm", "Cyrl", ""},           {"ug", "Arab", "uig"},         {"uk", "Cyrl", "ukr"},
    {"ur", "Arab", "urd"},         {"uz", "Latn", "uzb uzn"},     {"ve", "Latn", "ven"},
    {"vi", "Latn", "vie"},         {"vo", "Latn", "vol"},         {"wa", "Latn", "wln"},
    {"wo", "Latn", "wol"},         {"wuu", "Hans", ""},           {"xal", "Cyrl", ""},
    {"xh", "Latn", "xho"},         {"yi", "Hebr", "yid ydd ji"},  {"yo", "Latn", "yor"},
    {"yue", "Hant", ""},           {"za", "Latn", "zha"},         {"zgh", "Tfng", ""},
    {"zh", "Hans", "zho chi cmn"}, {"zu", "Latn", "zul"},
};

constexpr RegionScript kRegionScripts[] = {
    {"az", "IR", "Arab"}, {"az", "RU", "Cyrl"}, {"kk", "CN", "Arab"},  {"ku", "IQ", "Arab"}, {"ku", "IR", "Arab"},
    {"ky", "CN", "Arab"}, {"mn", "CN", "Mong"}, {"pa", "PK", "Arab"},  {"sd", "IN", "Deva"}, {"sr", "ME", "Latn"},
    {"tg", "PK", "Arab"}, {"uz", "AF", "Arab"}, {"yue", "CN", "Hans"}, {"zh", "CN", "Hans"}, {"zh", "HK", "Hant"},
    {"zh", "MO", "Hant"}, {"zh", "MY", "Hans"}, {"zh", "SG", "Hans"},  {"zh", "TW", "Hant"},
};

// FLORES-200 writes Korean as Hang.
constexpr ScriptAlias kScriptAliases[] = {{"Hang", "Kore"}, {"Hrkt", "Jpan"}};

}  // namespace

std::span<const LanguageRow> language_rows() { return kRows; }
std::span<const RegionScript> region_scripts() { return kRegionScripts; }
std::span<const ScriptAlias> script_aliases() { return kScriptAliases; }

}  // namespace dragoman::text
