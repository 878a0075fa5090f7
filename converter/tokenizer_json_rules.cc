// Components are followed in their order, which has to be: characters, white space, the escaping of spaces.
// Neighbours: tokenizer_json_rules.h; decoders are in tokenizer_json_decoders.cc.
#include "converter/tokenizer_json_rules.h"

#include "converter/component_reader.h"
#include "converter/formats/base64.h"
#include "converter/tokenizer_json_decoders.h"
#include "converter/unicode_rules.h"

namespace dragoman::converter {
namespace {

constexpr char kMarker[] = "\xE2\x96\x81";  // U+2581

class RulesReader {
 public:
  explicit RulesReader(Problems* problems) : problems_(problems) {}

  Status normalizer(const TokenizerComponent& component) {
    ComponentReader reader(component, problems_);
    if (component.type == "Precompiled") {
      DRAGOMAN_RETURN_IF_ERROR(precompiled(component, &reader));
    } else if (component.type == "Replace") {
      replace(&reader);
    } else if (component.type == "Strip") {
      enter(Stage::kSpaces, &reader);
      if (reader.flag("strip_left", true)) out_.options.space_rules |= kSpacesTrimStart;
      if (reader.flag("strip_right", true)) out_.options.space_rules |= kSpacesTrimEnd;
    } else if (component.type == "Prepend") {
      enter(Stage::kEscape, &reader);
      if (reader.text("prepend", "") != kMarker) reader.refuse("only U+2581 can be put before a text");
      out_.options.add_dummy_prefix = out_.prepends_always = true;
    } else if (std::optional<NormalizationRules> rules = unicode_rules(component.type)) {
      enter(Stage::kCharacters, &reader);
      DRAGOMAN_RETURN_IF_ERROR(take_charsmap());
      out_.rules.append(*rules);
    } else {
      reader.refuse("this normalizer is not supported");
      return Status();
    }
    reader.finish();
    return Status();
  }

  Status pre_tokenizer(const TokenizerComponent& component) {
    ComponentReader reader(component, problems_);
    if (component.type == "WhitespaceSplit") {
      if (stage_ == Stage::kEscape) reader.refuse("spaces are escaped before it");
      splits_words_ = true;
      out_.options.space_rules |= kSpacesSplitWords | kSpacesFold;
      DRAGOMAN_RETURN_IF_ERROR(take_charsmap());
      out_.rules.append(white_space_rules());
    } else if (component.type == "Metaspace") {
      metaspace(&reader);
    } else if (component.type == "ByteLevel") {
      byte_level(&reader);
    } else {
      reader.refuse("this pre-tokenizer is not supported");
      return Status();
    }
    reader.finish();
    return Status();
  }

  Result<TextRules> finish() {
    if (splits_words_ && !has_metaspace_) problems_->add("pre_tokenizer: WhitespaceSplit needs a Metaspace after it");
    if (doubles_marker_ && !has_metaspace_) problems_->add("normalizer: U+2581 is doubled, but no Metaspace follows");
    if (folds_to_marker_ && !out_.options.escape_whitespaces) {
      problems_->add("normalizer: spaces fold to U+2581, but a single one stays a space");
    }
    if (!out_.prepends_always && !doubles_marker_) out_.options.space_rules |= kSpacesPrefixUnlessThere;
    out_.options.space_rules |= kSpacesAsParts;
    return std::move(out_);
  }

  TextRules& rules() { return out_; }

 private:
  enum class Stage : uint8_t { kCharacters, kSpaces, kEscape };

  void enter(Stage stage, ComponentReader* reader) {
    if (stage < stage_)
      reader->refuse("it stands after a component that treats what it writes; the order is not supported");
    stage_ = std::max(stage, stage_);
  }

  static Status in_component(const TokenizerComponent& component, const Status& status) {
    if (status.ok()) return Status();
    return Status::error(status.code(), "%s: %s", component.path.c_str(), status.message());
  }

  Status precompiled(const TokenizerComponent& component, ComponentReader* reader) {
    enter(Stage::kCharacters, reader);
    const std::optional<std::string> charsmap = decode_base64(reader->text("precompiled_charsmap", ""));
    if (!charsmap) return Status::error(Code::kDamaged, "%s: its map is not base64", component.path.c_str());
    DRAGOMAN_RETURN_IF_ERROR(take_charsmap());
    if (out_.rules.empty()) {
      TokenizerData tables;
      out_.charsmap = *charsmap;
      return in_component(component, split_charsmap(*charsmap, tables));
    }
    const Result<NormalizationRules> rules = read_charsmap(*charsmap);
    if (!rules.ok()) return in_component(component, rules.status());
    out_.rules.append(rules.value());
    return Status();
  }

  // Turns a map that was to stay as it is into rules that others can join.
  Status take_charsmap() {
    if (out_.charsmap.empty()) return Status();
    DRAGOMAN_ASSIGN_OR_RETURN(out_.rules, read_charsmap(out_.charsmap));
    out_.charsmap.clear();
    return Status();
  }

  void replace(ComponentReader* reader) {
    const bool is_regex = reader->has("pattern.Regex");
    const std::string pattern = reader->text(is_regex ? "pattern.Regex" : "pattern.String", "");
    const std::string content = reader->text("content", "");
    if (is_regex) return replace_regex(pattern, content, reader);
    if (pattern == " " && content == kMarker) {
      enter(Stage::kEscape, reader);
      out_.options.escape_whitespaces = true;
    } else if (pattern.empty()) {
      reader->refuse("its pattern is empty");
    } else {
      enter(Stage::kCharacters, reader);
      if (!take_charsmap().ok()) return;
      NormalizationRules rule;
      rule.add(pattern, content);
      out_.rules.append(rule);
    }
  }

  // The expressions that converters of SentencePiece models write.
  void replace_regex(const std::string& pattern, const std::string& content, ComponentReader* reader) {
    if (pattern == " {2,}" && (content == " " || content == kMarker)) {
      enter(Stage::kSpaces, reader);
      out_.options.space_rules |= kSpacesFold;
      folds_to_marker_ |= content == kMarker;
    } else if (pattern == "\\A +| +\\z" && content.empty()) {
      enter(Stage::kSpaces, reader);
      out_.options.space_rules |= kSpacesTrimStart | kSpacesTrimEnd | kSpacesTrimOnlySpaces;
    } else if (pattern == "\\A" + std::string(kMarker) && content == std::string(kMarker) + kMarker) {
      doubles_marker_ = true;
    } else {
      reader->refuse("replacing '" + pattern.substr(0, 60) + "' by '" + content.substr(0, 60) + "' is not supported");
    }
  }

  void metaspace(ComponentReader* reader) {
    const bool legacy_prefix = reader->flag("add_prefix_space", true);
    const std::string scheme = reader->text("prepend_scheme", legacy_prefix ? "always" : "never");
    const bool split = reader->flag("split", true);
    reader->text("str_rep", kMarker);
    if (reader->text("replacement", kMarker) != kMarker) reader->refuse("only U+2581 can stand for a space");
    if (has_metaspace_ || out_.options.raw_bytes) reader->refuse("a second rule for spaces");
    if (scheme != "always" && scheme != "first" && scheme != "never") {
      reader->refuse("prepend_scheme '" + scheme.substr(0, 60) + "' is not known");
    }
    if (splits_words_ && (scheme != "always" || !split)) {
      reader->refuse("after WhitespaceSplit it has to put U+2581 before every word and to split");
    }
    if (scheme == "first" && (out_.options.space_rules & kSpacesTrimStart) != 0) {
      reader->refuse("prepend_scheme 'first' after trimming is not supported");
    }
    if (out_.options.add_dummy_prefix && scheme != "never") reader->refuse("a second rule puts U+2581 before a text");
    has_metaspace_ = true;
    stage_ = Stage::kEscape;
    out_.options.escape_whitespaces = true;
    if (scheme != "never") out_.options.add_dummy_prefix = true;
    if (scheme == "first") out_.options.space_rules |= kSpacesPrefixFirstOnly;
    if (split) out_.options.word_borders = WordBorders::kBeforeSpace;
  }

  void byte_level(ComponentReader* reader) {
    if (out_.options.escape_whitespaces || has_metaspace_ || splits_words_ || out_.options.raw_bytes) {
      reader->refuse("a second rule for spaces");
    }
    out_.options.raw_bytes = true;
    if (reader->flag("add_prefix_space", true)) out_.options.add_dummy_prefix = true;
    if (reader->flag("use_regex", true)) out_.options.word_borders = WordBorders::kCharacterClasses;
    reader->flag("trim_offsets", true);  // concerns offsets alone
  }

  Problems* problems_;
  TextRules out_ = initial();
  Stage stage_ = Stage::kCharacters;
  bool splits_words_ = false;
  bool has_metaspace_ = false;
  bool doubles_marker_ = false;
  bool folds_to_marker_ = false;

  static TextRules initial() {
    TextRules rules;
    rules.options.add_dummy_prefix = false;
    rules.options.remove_extra_whitespaces = false;
    rules.options.escape_whitespaces = false;
    return rules;
  }
};

}  // namespace

Result<TextRules> read_text_rules(const TokenizerJson& json, Problems* problems) {
  RulesReader reader(problems);
  for (const TokenizerComponent& component : json.normalizers) {
    DRAGOMAN_RETURN_IF_ERROR(reader.normalizer(component));
  }
  for (const TokenizerComponent& component : json.pre_tokenizers) {
    DRAGOMAN_RETURN_IF_ERROR(reader.pre_tokenizer(component));
  }
  TokenizerTables& options = reader.rules().options;
  options.leading_spaces = read_decoders(json.decoders, options.raw_bytes, problems);
  return reader.finish();
}

}  // namespace dragoman::converter
