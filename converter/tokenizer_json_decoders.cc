// Neighbours: tokenizer_json_decoders.h.
#include "converter/tokenizer_json_decoders.h"

#include "converter/component_reader.h"

namespace dragoman::converter {
namespace {

constexpr char kMarker[] = "\xE2\x96\x81";  // U+2581

class DecodersReader {
 public:
  explicit DecodersReader(Problems* problems) : problems_(problems) {}

  void read(const TokenizerComponent& component) {
    ComponentReader reader(component, problems_);
    if (component.type == "Metaspace") {
      metaspace(&reader);
    } else if (component.type == "Replace") {
      if (reader.text("pattern.String", "") != kMarker || reader.text("content", "") != " ") {
        reader.refuse("only U+2581 can be replaced, by a space");
      }
      restores_spaces_ = true;
    } else if (component.type == "Fuse") {
      if (has_metaspace_ || !restores_spaces_) reader.refuse("it has to follow a Replace of U+2581");
      fused_ = true;
    } else if (component.type == "Strip") {
      strip(&reader);
    } else if (component.type == "ByteLevel") {
      for (const char* key : {"add_prefix_space", "trim_offsets", "use_regex"}) reader.flag(key, true);
      bytes_ = true;
    } else if (component.type != "ByteFallback") {
      reader.refuse("this decoder is not supported");
      return;
    }
    reader.finish();
  }

  LeadingSpaces finish(bool raw_bytes) {
    if (raw_bytes != bytes_) {
      problems_->add(raw_bytes ? "decoder: ByteLevel is missing" : "decoder: ByteLevel without such a pre-tokenizer");
    } else if (!raw_bytes && !restores_spaces_) {
      problems_->add("decoder: nothing turns U+2581 into spaces");
    }
    if (bytes_ && restores_spaces_) problems_->add("decoder: ByteLevel together with another rule for spaces");
    return leading_;
  }

 private:
  void metaspace(ComponentReader* reader) {
    const bool legacy_prefix = reader->flag("add_prefix_space", true);
    const std::string scheme = reader->text("prepend_scheme", legacy_prefix ? "always" : "never");
    reader->flag("split", true);
    reader->text("str_rep", kMarker);
    if (reader->text("replacement", kMarker) != kMarker) reader->refuse("only U+2581 can stand for a space");
    if (restores_spaces_) reader->refuse("a second rule for spaces");
    restores_spaces_ = has_metaspace_ = true;
    leading_ = scheme == "never" ? LeadingSpaces::kKeep : LeadingSpaces::kDropFirstPiece;
  }

  void strip(ComponentReader* reader) {
    const std::string start = reader->text("start", "0");
    if (reader->text("content", " ") != " " || reader->text("stop", "0") != "0" || (start != "0" && start != "1")) {
      reader->refuse("only one space at the start can be dropped");
    }
    if (!fused_) reader->refuse("it has to follow Fuse");
    if (start == "1") leading_ = LeadingSpaces::kDropOne;
  }

  Problems* problems_;
  LeadingSpaces leading_ = LeadingSpaces::kKeep;
  bool restores_spaces_ = false;
  bool has_metaspace_ = false;
  bool fused_ = false;
  bool bytes_ = false;
};

}  // namespace

LeadingSpaces read_decoders(const std::vector<TokenizerComponent>& decoders, bool raw_bytes, Problems* problems) {
  DecodersReader reader(problems);
  for (const TokenizerComponent& component : decoders) reader.read(component);
  return reader.finish(raw_bytes);
}

}  // namespace dragoman::converter
