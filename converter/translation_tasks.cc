// Neighbours: translation_tasks.h.
#include "converter/translation_tasks.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "converter/families/hugging_face_options.h"
#include "schema/model_generated.h"

namespace dragoman::converter {
namespace {

using nlohmann::json;

constexpr size_t kMaxLayoutIds = 32;  // the schema's limit
constexpr std::string_view kTask = "translation_";
constexpr std::string_view kTo = "_to_";
constexpr std::string_view kSpace = "\xE2\x96\x81";

struct Task {
  std::string source, target;  // names
  std::string words;
};

std::vector<Task> read_tasks(const Source& source) {
  std::vector<Task> tasks;
  const auto at = source.options.find("task_specific_params");
  if (at == source.options.end()) return tasks;
  const json root = json::parse(at->second.text(), nullptr, false);
  if (!root.is_object()) return tasks;
  for (const auto& [key, value] : root.items()) {
    const size_t to = key.find(kTo, kTask.size());
    if (!key.starts_with(kTask) || to == std::string::npos || !value.is_object()) continue;
    const auto words = value.find("prefix");
    if (words == value.end() || !words->is_string()) continue;
    tasks.push_back(
        {key.substr(kTask.size(), to - kTask.size()), key.substr(to + kTo.size()), words->template get<std::string>()});
  }
  return tasks;
}

// Whether a text's pieces are the same with other words before it: no piece reaches over a space.
bool words_stand_alone(const TokenizerData& data) {
  if (!data.options.remove_extra_whitespaces || !data.options.add_dummy_prefix) return false;
  for (size_t id = 0; id + 1 < data.piece_offsets.size(); ++id) {
    std::string_view piece(data.piece_bytes);
    piece = piece.substr(data.piece_offsets[id], data.piece_offsets[id + 1] - data.piece_offsets[id]);
    while (piece.starts_with(kSpace)) piece.remove_prefix(kSpace.size());
    if (piece.find(kSpace) != std::string_view::npos) return false;
  }
  return true;
}

// The words' ids; empty when they cannot be had.
std::vector<int32_t> ids_of(const TokenizerData& data, const std::string& words) {
  if (!words.ends_with(' ')) return {};
  Result<std::vector<int32_t>> ids = encode_text(data, words);
  if (!ids.ok() || ids.value().size() > kMaxLayoutIds) return {};
  return std::move(ids.value());
}

// The index of the language, which is added when it is new.
uint32_t index_of(const std::string& name, std::vector<std::unique_ptr<schema::LanguageT>>* languages) {
  const std::string code = language_tag(name);
  for (size_t i = 0; i < languages->size(); ++i) {
    if ((*languages)[i]->code == code) return static_cast<uint32_t>(i);
  }
  languages->push_back(std::make_unique<schema::LanguageT>());
  languages->back()->code = code;
  return static_cast<uint32_t>(languages->size() - 1);
}

}  // namespace

Status add_translation_tasks(const LanguageRequest& request, schema::ModelT* model, ConvertReport* report) {
  if (!is_model_type(request.source, "t5") && !is_model_type(request.source, "mt5")) return Status();
  const std::vector<Task> tasks = read_tasks(request.source);
  if (tasks.empty()) return Status();
  if (!words_stand_alone(request.vocabulary.source)) {
    report->notes.push_back("translation tasks are left out: the vocabulary has pieces that reach over a space");
    return Status();
  }
  auto layout = std::make_unique<schema::LanguageLayoutT>();
  layout->source_suffix = {model->generation->end_id};
  for (const Task& task : tasks) {
    const std::vector<int32_t> ids = ids_of(request.vocabulary.source, task.words);
    if (ids.empty()) {
      report->notes.push_back("task '" + task.words + "' is left out: its words are no ids before a text");
      continue;
    }
    auto pair = std::make_unique<schema::LanguagePairT>();
    pair->source = index_of(task.source, &model->source_languages);
    pair->target = index_of(task.target, &model->target_languages);
    pair->source_prefix = ids;
    layout->pairs.push_back(std::move(pair));
  }
  if (layout->pairs.empty()) return Status();
  report->notes.push_back("T5: " + std::to_string(layout->pairs.size()) +
                          " translation tasks, chosen by their languages; without any a text is taken as it is");
  model->language_layout = std::move(layout);
  return Status();
}

}  // namespace dragoman::converter
