// Neighbours: language_errors.h.
#include "pipeline/language_errors.h"

#include <cstring>

#include "pipeline/text_writer.h"

namespace dragoman::pipeline {

namespace {

constexpr size_t kListBytes = 140;  // of a message
constexpr int kShownName = 40;

const char* side_name(Side side) { return side == Side::kSource ? "source" : "target"; }

// As the model's users know it.
const char* shown(const model::LanguageInfo& info) { return info.name[0] != '\0' ? info.name : info.code; }

// Items with spaces between them; when not all fit, dots and how many there are.
class List {
 public:
  void add(const char* first, const char* arrow, const char* second) {
    ++count_;
    char item[128];
    TextWriter writer(item);
    writer.print(" %s%s%s", first, arrow, second);
    if (left_out_ || size_ + writer.size() >= kListBytes || writer.size() >= sizeof(item)) {
      left_out_ = true;
      return;
    }
    std::memcpy(text_ + size_, item, writer.size() + 1);
    size_ += writer.size();
  }

  const char* text() {
    if (left_out_) {
      TextWriter({text_ + size_, sizeof(text_) - size_}).print(" ... (%zu in all)", count_);
      left_out_ = false;
    }
    return text_;
  }

 private:
  char text_[kListBytes + 32] = {};
  size_t size_ = 0;
  size_t count_ = 0;
  bool left_out_ = false;
};

List languages(const model::ModelView& view, Side side) {
  List list;
  for (size_t i = 0; i < num_languages(view, side); ++i) list.add(shown(language(view, side, i)), "", "");
  return list;
}

// A piece of text that may be printed: as it is, but for control characters and its length.
void copy_shown(std::string_view name, char (&to)[kShownName + 1]) {
  size_t size = 0;
  for (const char c : name.substr(0, kShownName)) to[size++] = static_cast<unsigned char>(c) < ' ' ? '?' : c;
  to[size] = '\0';
}

}  // namespace

Status unknown_language(const model::ModelView& view, Side side, std::string_view name, const char* why) {
  char shown_name[kShownName + 1];
  copy_shown(name, shown_name);
  if (num_languages(view, side) == 0) {
    return Status::error(Code::kNotFound, "%s language '%s': the model does not say which languages it has",
                         side_name(side), shown_name);
  }
  return Status::error(Code::kNotFound, "%s language '%s' %s:%s", side_name(side), shown_name, why,
                       languages(view, side).text());
}

Status ambiguous_language(std::string_view name, const model::LanguageInfo& one, const model::LanguageInfo& other) {
  char shown_name[kShownName + 1];
  copy_shown(name, shown_name);
  return Status::error(Code::kNotFound, "language '%s' could be %.40s or %.40s", shown_name, shown(one), shown(other));
}

Status unnamed_language(const model::ModelView& view, Side side) {
  return Status::error(Code::kInvalidArgument, "the %s language has to be named, one of:%s", side_name(side),
                       languages(view, side).text());
}

Status unknown_pair(const model::ModelView& view, int32_t source, int32_t target) {
  List list;
  for (size_t i = 0; i < view.language_layout().num_pairs; ++i) {
    const model::LanguagePairInfo pair = view.language_pair(i);
    list.add(shown(view.source_language(pair.source)), "-", shown(view.target_language(pair.target)));
  }
  const char* from = source < 0 ? "?" : shown(view.source_language(static_cast<size_t>(source)));
  const char* to = target < 0 ? "?" : shown(view.target_language(static_cast<size_t>(target)));
  return Status::error(Code::kNotFound, "the model does not translate %.20s-%.20s, but:%s", from, to, list.text());
}

}  // namespace dragoman::pipeline
