// Meaning of the languages: names, and that every token which the layout asks for is there.
// Neighbours: runs after verify_text.cc; pipeline/languages relies on what it accepts.
#include <algorithm>

#include "model/graph_view.h"
#include "model/model_view.h"
#include "model/verify.h"
#include "schema/model_generated.h"

namespace dragoman::model {

namespace {

using Languages = flatbuffers::Vector<flatbuffers::Offset<schema::Language>>;
using Ids = flatbuffers::Vector<int32_t>;

constexpr uint32_t kMaxLanguages = 4096;
constexpr uint32_t kMaxPairs = 65536;

uint32_t count(const Languages* languages) { return languages == nullptr ? 0 : languages->size(); }

Status verify_names(const char* kind, const Languages* languages) {
  if (count(languages) > kMaxLanguages) {
    return Status::error(Code::kUnsupported, "found %u languages (%s), at most %u are supported", count(languages),
                         kind, kMaxLanguages);
  }
  for (uint32_t i = 0; i < count(languages); ++i) {
    const schema::Language& language = *languages->Get(i);
    DRAGOMAN_RETURN_IF_ERROR(verify_name(kind, i, language.code()));
    if (language.name() != nullptr && language.name()->size() > 0) {
      DRAGOMAN_RETURN_IF_ERROR(verify_name(kind, i, language.name()));
    }
    if (language.token() < -1 || language.token() >= static_cast<int64_t>(kMaxVocabulary)) {
      return Status::error(Code::kDamaged, "%s %u: found token %d, expected an id or -1", kind, i, language.token());
    }
  }
  return {};
}

// There are `languages`, and their tokens are ids below `limit`.
Status verify_tokens(const char* kind, const Languages* languages, uint32_t limit) {
  if (count(languages) == 0) {
    return Status::error(Code::kDamaged, "languages: the layout asks for the token of a %s, but none is listed", kind);
  }
  for (uint32_t i = 0; i < count(languages); ++i) {
    const int32_t token = languages->Get(i)->token();
    if (token >= 0 && static_cast<uint32_t>(token) < limit) continue;
    return Status::error(Code::kDamaged, "%s %u: found token %d, expected an id below %u", kind, i, token, limit);
  }
  return {};
}

// What the lists of a layout ask for.
class LayoutCheck {
 public:
  explicit LayoutCheck(const schema::Model& model) : model_(model) {}

  // Ids of a vocabulary of `limit`, and tokens of languages that have one there when `tokens`.
  Status list(const char* what, const Ids* ids, uint32_t limit, bool tokens) const {
    const uint32_t size = ids == nullptr ? 0 : ids->size();
    if (size > kMaxLayoutIds) {
      return Status::error(Code::kUnsupported, "languages: found %u ids (%s), at most %zu are supported", size, what,
                           kMaxLayoutIds);
    }
    for (uint32_t i = 0; i < size; ++i) {
      const int32_t id = ids->Get(i);
      if (tokens && id == kSourceLanguageToken) {
        DRAGOMAN_RETURN_IF_ERROR(verify_tokens("source language", model_.source_languages(), limit));
      } else if (tokens && id == kTargetLanguageToken) {
        DRAGOMAN_RETURN_IF_ERROR(verify_tokens("target language", model_.target_languages(), limit));
      } else if (id < 0 || static_cast<uint32_t>(id) >= limit) {
        return Status::error(Code::kDamaged, "languages: found id %d (%s), expected one below %u", id, what, limit);
      }
    }
    return {};
  }

  // An index of `languages`, or -1.
  static Status default_index(const char* what, int32_t index, const Languages* languages) {
    if (index >= -1 && index < static_cast<int64_t>(count(languages))) return {};
    return Status::error(Code::kDamaged, "languages: found %s %d of %u", what, index, count(languages));
  }

  Status pair(const schema::LanguagePair& pair, uint32_t limit) const {
    if (pair.source() >= count(model_.source_languages()) || pair.target() >= count(model_.target_languages())) {
      return Status::error(Code::kDamaged, "languages: found a pair of %u and %u of %u and %u", pair.source(),
                           pair.target(), count(model_.source_languages()), count(model_.target_languages()));
    }
    return list("pair's source_prefix", pair.source_prefix(), limit, false);
  }

 private:
  const schema::Model& model_;
};

// Each text may bring a target of its own, but how the output begins is the same for all texts of a call.
Status verify_target_in_text(const schema::LanguageLayout& layout) {
  if (!layout.target_in_text()) return {};
  const Ids* forced = layout.forced_ids();
  const bool in_output =
      forced != nullptr && std::find(forced->begin(), forced->end(), kTargetLanguageToken) != forced->end();
  if (!layout.start_is_target() && !in_output && (layout.pairs() == nullptr || layout.pairs()->size() == 0)) return {};
  return Status::error(Code::kDamaged,
                       "languages: target_in_text, but the target is more than ids beside the source text");
}

Status verify_layout(const schema::Model& model) {
  const schema::LanguageLayout* layout = model.language_layout();
  if (layout == nullptr) return {};
  const uint32_t source = model.graph()->source_vocabulary();
  const uint32_t target = model.graph()->target_vocabulary();
  const LayoutCheck check(model);
  DRAGOMAN_RETURN_IF_ERROR(check.list("source_prefix", layout->source_prefix(), source, true));
  DRAGOMAN_RETURN_IF_ERROR(check.list("source_suffix", layout->source_suffix(), source, true));
  DRAGOMAN_RETURN_IF_ERROR(check.list("forced_ids", layout->forced_ids(), target, true));
  if (layout->start_is_target()) {
    DRAGOMAN_RETURN_IF_ERROR(verify_tokens("target language", model.target_languages(), target));
  }
  DRAGOMAN_RETURN_IF_ERROR(verify_target_in_text(*layout));
  DRAGOMAN_RETURN_IF_ERROR(
      LayoutCheck::default_index("default_source", layout->default_source(), model.source_languages()));
  DRAGOMAN_RETURN_IF_ERROR(
      LayoutCheck::default_index("default_target", layout->default_target(), model.target_languages()));
  const uint32_t num_pairs = layout->pairs() == nullptr ? 0 : layout->pairs()->size();
  if (num_pairs > kMaxPairs) return Status::error(Code::kUnsupported, "found %u pairs of languages", num_pairs);
  for (uint32_t i = 0; i < num_pairs; ++i) DRAGOMAN_RETURN_IF_ERROR(check.pair(*layout->pairs()->Get(i), source));
  return {};
}

}  // namespace

Status verify_languages(const VerifiedFile& file) {
  DRAGOMAN_RETURN_IF_ERROR(verify_names("source language", file.model->source_languages()));
  DRAGOMAN_RETURN_IF_ERROR(verify_names("target language", file.model->target_languages()));
  return verify_layout(*file.model);
}

}  // namespace dragoman::model
