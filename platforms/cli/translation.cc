// The sink of dragoman_translate for the command line.
#include "translation.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "alignment_pairs.h"

namespace dragoman::cli {
namespace {

SentenceHypothesis hypothesis_of(const Segment& segment) {
  SentenceHypothesis hypothesis;
  hypothesis.text.assign(segment.text, segment.text_bytes);
  hypothesis.ids.assign(segment.ids, segment.ids + segment.num_ids);
  hypothesis.log_probs.assign(segment.log_probs, segment.log_probs + segment.num_ids);
  hypothesis.score = segment.score;
  hypothesis.rank_score = segment.rank_score;
  if (segment.alignment != nullptr) {
    hypothesis.alignment.assign(segment.alignment, segment.alignment + segment.num_ids);
    hypothesis.attention.assign(segment.attention, segment.attention + segment.num_ids * segment.num_source_ids);
  }
  return hypothesis;
}

// The best hypothesis of a sentence comes first and makes the text.
void append_segment(const Segment& segment, Translation* out) {
  if (segment.hypothesis > 0) {
    out->ranges.back().hypotheses.push_back(hypothesis_of(segment));
    return;
  }
  out->text.append(segment.gap_before, segment.gap_before_bytes);
  out->source_language = segment.source_language;
  out->target_language = segment.target_language;
  SentenceRange range;
  range.source_begin = segment.source_begin;
  range.source_end = segment.source_end;
  range.target_begin = out->text.size();
  range.ids_begin = out->ids.size();
  out->text.append(segment.text, segment.text_bytes);
  out->ids.insert(out->ids.end(), segment.ids, segment.ids + segment.num_ids);
  out->log_probs.insert(out->log_probs.end(), segment.log_probs, segment.log_probs + segment.num_ids);
  range.target_end = out->text.size();
  range.ids_end = out->ids.size();
  range.gap_before.assign(segment.gap_before, segment.gap_before_bytes);
  if (segment.alignment != nullptr) {
    range.source_ids.assign(segment.source_ids, segment.source_ids + segment.num_source_ids);
    range.alignment.assign(segment.alignment, segment.alignment + segment.num_ids);
    range.attention.assign(segment.attention, segment.attention + segment.num_ids * segment.num_source_ids);
  }
  if (segment.num_hypotheses > 1) range.hypotheses.push_back(hypothesis_of(segment));
  out->ranges.push_back(std::move(range));
}

void append_end(const InputEnd& end, Translation* out) {
  out->text.append(end.gap_after, end.gap_after_bytes);
  out->gap_after.assign(end.gap_after, end.gap_after_bytes);
  out->score = end.score;
  out->flags = end.flags;
  out->num_replaced = end.num_replaced;
  out->done = true;
}

// Translates inputs [begin, begin + out.size()) into `out`.
using Run = std::function<Error(size_t begin, size_t count, Translation* out)>;

std::vector<Translation> translate_all(size_t count, const Run& run) {
  std::vector<Translation> out(count);
  if (count == 0 || run(0, count, out.data()).ok()) return out;
  for (size_t i = 0; i < count; ++i) {
    if (out[i].done) continue;
    out[i] = Translation();
    const Error error = run(i, 1, &out[i]);
    if (error.ok()) continue;
    out[i] = Translation();
    out[i].error = error.message();
  }
  return out;
}

}  // namespace

std::vector<Translation> translate_texts(Session* session, const std::vector<std::string_view>& inputs,
                                         const TranslateOptions& options) {
  std::vector<dragoman_text> texts;
  texts.reserve(inputs.size());
  for (const std::string_view input : inputs) texts.push_back({input.data(), input.size()});
  return translate_all(inputs.size(), [&](size_t begin, size_t count, Translation* out) {
    return session->translate(
        texts.data() + begin, count, options,
        [out](const Segment& segment) {
          append_segment(segment, &out[segment.input]);
          return true;
        },
        [out](const InputEnd& end) {
          append_end(end, &out[end.input]);
          return true;
        });
  });
}

std::vector<Translation> translate_id_lines(Session* session, const std::vector<std::vector<int32_t>>& inputs,
                                            const TranslateOptions& options) {
  std::vector<dragoman_ids> rows;
  rows.reserve(inputs.size());
  for (const std::vector<int32_t>& input : inputs) rows.push_back({input.data(), input.size()});
  return translate_all(inputs.size(), [&](size_t begin, size_t count, Translation* out) {
    return session->translate_ids(
        rows.data() + begin, count, options,
        [out](const Segment& segment) {
          append_segment(segment, &out[segment.input]);
          return true;
        },
        [out](const InputEnd& end) {
          append_end(end, &out[end.input]);
          return true;
        });
  });
}

Error check_options(Session* session, const TranslateOptions& options) {
  return session->translate(
      nullptr, 0, options, [](const Segment&) { return true; }, [](const InputEnd&) { return true; });
}

Error check_id_options(Session* session, const TranslateOptions& options) {
  return session->translate_ids(
      nullptr, 0, options, [](const Segment&) { return true; }, [](const InputEnd&) { return true; });
}

size_t num_ranks(const Translation& translation) {
  size_t ranks = 1;
  for (const SentenceRange& range : translation.ranges) ranks = std::max(ranks, range.hypotheses.size());
  return ranks;
}

RankedTranslation ranked(const Translation& translation, size_t rank, int32_t end_id) {
  RankedTranslation out;
  AlignmentPairs pairs(end_id);
  for (const SentenceRange& range : translation.ranges) {
    out.text += range.gap_before;
    if (range.hypotheses.empty()) {
      out.text += translation.text.substr(range.target_begin, range.target_end - range.target_begin);
      const std::vector<int32_t> ids(translation.ids.begin() + static_cast<ptrdiff_t>(range.ids_begin),
                                     translation.ids.begin() + static_cast<ptrdiff_t>(range.ids_end));
      out.ids.insert(out.ids.end(), ids.begin(), ids.end());
      pairs.add(range.source_ids, ids, range.alignment);
      continue;
    }
    const SentenceHypothesis& hypothesis = range.hypotheses[std::min(rank, range.hypotheses.size() - 1)];
    out.text += hypothesis.text;
    out.ids.insert(out.ids.end(), hypothesis.ids.begin(), hypothesis.ids.end());
    out.score += hypothesis.rank_score;
    pairs.add(range.source_ids, hypothesis.ids, hypothesis.alignment);
  }
  out.text += translation.gap_after;
  out.alignments = pairs.text();
  return out;
}

std::string status_text(const Translation& translation) {
  if (!translation.error.empty()) return "error";
  std::string text;
  const auto add = [&text](const std::string& word) { text += (text.empty() ? "" : ",") + word; };
  if (translation.flags & DRAGOMAN_CUT) add("cut");
  if (translation.flags & DRAGOMAN_LENGTH_LIMIT) add("length_limit");
  if (translation.num_replaced > 0) add("replaced_invalid:" + std::to_string(translation.num_replaced));
  return text.empty() ? "ok" : text;
}

namespace {

Json pieces_json(const Model& model, const std::vector<int32_t>& ids) {
  Json pieces = Json::array();
  for (const int32_t id : ids) {
    const Expected<std::string_view> piece = model.piece(DRAGOMAN_TARGET, id);
    pieces.push_back(piece ? std::string(*piece) : std::string());
  }
  return pieces;
}

Json range_json(const SentenceRange& range, bool attention) {
  Json object = {{"source", {range.source_begin, range.source_end}},
                 {"target", {range.target_begin, range.target_end}},
                 {"ids", {range.ids_begin, range.ids_end}}};
  if (!range.source_ids.empty()) {
    object["source_ids"] = range.source_ids;
    object["alignment"] = range.alignment;
  }
  if (attention) object["attention"] = json_matrix(range.attention, range.source_ids.size());
  if (range.hypotheses.size() < 2) return object;
  Json hypotheses = Json::array();
  for (const SentenceHypothesis& hypothesis : range.hypotheses) {
    hypotheses.push_back({{"text", hypothesis.text},
                          {"ids", hypothesis.ids},
                          {"score", json_float(hypothesis.score)},
                          {"rank_score", json_float(hypothesis.rank_score)},
                          {"log_probs", json_floats(hypothesis.log_probs)}});
    if (!range.source_ids.empty()) hypotheses.back()["alignment"] = hypothesis.alignment;
    if (attention) hypotheses.back()["attention"] = json_matrix(hypothesis.attention, range.source_ids.size());
  }
  object["hypotheses"] = std::move(hypotheses);
  return object;
}

}  // namespace

Json translation_json(const Model& model, const Translation& translation, bool attention) {
  Json ranges = Json::array();
  for (const SentenceRange& range : translation.ranges) ranges.push_back(range_json(range, attention));
  Json object = {{"text", translation.text},
                 {"ids", translation.ids},
                 {"tokens", pieces_json(model, translation.ids)},
                 {"score", json_float(translation.score)},
                 {"log_probs", json_floats(translation.log_probs)},
                 {"status", status_text(translation)}};
  if (!translation.source_language.empty()) object["source_language"] = translation.source_language;
  if (!translation.target_language.empty()) object["target_language"] = translation.target_language;
  object["ranges"] = std::move(ranges);
  if (!translation.error.empty()) object["error"] = translation.error;
  return object;
}

}  // namespace dragoman::cli
