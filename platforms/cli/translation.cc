// The sink of dragoman_translate for the command line.
#include "translation.h"

#include <functional>

namespace dragoman::cli {
namespace {

void append_segment(const Segment& segment, Translation* out) {
  out->text.append(segment.gap_before, segment.gap_before_bytes);
  SentenceRange range;
  range.source_begin = segment.source_begin;
  range.source_end = segment.source_end;
  range.target_begin = out->text.size();
  range.ids_begin = out->ids.size();
  out->text.append(segment.text, segment.text_bytes);
  out->ids.insert(out->ids.end(), segment.ids, segment.ids + segment.num_ids);
  range.target_end = out->text.size();
  range.ids_end = out->ids.size();
  out->ranges.push_back(range);
}

void append_end(const InputEnd& end, Translation* out) {
  out->text.append(end.gap_after, end.gap_after_bytes);
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

std::string status_text(const Translation& translation) {
  if (!translation.error.empty()) return "error";
  std::string text;
  const auto add = [&text](const std::string& word) { text += (text.empty() ? "" : ",") + word; };
  if (translation.flags & DRAGOMAN_CUT) add("cut");
  if (translation.flags & DRAGOMAN_LENGTH_LIMIT) add("length_limit");
  if (translation.num_replaced > 0) add("replaced_invalid:" + std::to_string(translation.num_replaced));
  return text.empty() ? "ok" : text;
}

Json translation_json(const Model& model, const Translation& translation) {
  Json tokens = Json::array();
  for (const int32_t id : translation.ids) {
    const Expected<std::string_view> piece = model.piece(DRAGOMAN_TARGET, id);
    tokens.push_back(piece ? std::string(*piece) : std::string());
  }
  Json ranges = Json::array();
  for (const SentenceRange& range : translation.ranges) {
    ranges.push_back({{"source", {range.source_begin, range.source_end}},
                      {"target", {range.target_begin, range.target_end}},
                      {"ids", {range.ids_begin, range.ids_end}}});
  }
  Json object = {{"text", translation.text},           {"ids", translation.ids},
                 {"tokens", std::move(tokens)},        {"score", json_float(translation.score)},
                 {"status", status_text(translation)}, {"ranges", std::move(ranges)}};
  if (!translation.error.empty()) object["error"] = translation.error;
  return object;
}

}  // namespace dragoman::cli
