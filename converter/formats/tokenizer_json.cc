// Neighbours: tokenizer_json.h; the model's vocabulary is read in tokenizer_json_model.cc.
#include "converter/formats/tokenizer_json.h"

#include <nlohmann/json.hpp>

#include "converter/formats/tokenizer_json_reader.h"

namespace dragoman::converter {
namespace {

using nlohmann::json;

constexpr size_t kMaxBytes = size_t{512} << 20;
constexpr int kMaxDepth = 32;
constexpr size_t kMaxComponents = 64;

// The parser recurses into values when they are destroyed, so depth is limited before it sees the text.
Status check_depth(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (in_string) {
      if (text[i] == '\\')
        ++i;
      else if (text[i] == '"')
        in_string = false;
      continue;
    }
    if (text[i] == '"') in_string = true;
    if (text[i] == '{' || text[i] == '[') ++depth;
    if (text[i] == '}' || text[i] == ']') --depth;
    if (depth > kMaxDepth) return Status::error(Code::kDamaged, "nested deeper than %d levels", kMaxDepth);
  }
  return Status();
}

std::string scalar_text(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Adds a component, or the members of a sequence, in order.
Status add_components(const json& value, const std::string& path, std::vector<TokenizerComponent>* out) {
  if (value.is_null()) return Status();
  const json* type = value.is_object() && value.contains("type") ? &value["type"] : nullptr;
  if (type == nullptr || !type->is_string()) {
    return Status::error(Code::kDamaged, "%s: not an object with a 'type'", path.c_str());
  }
  if (*type == "Sequence") {
    for (const auto& [key, members] : value.items()) {
      if (key == "type") continue;
      if (!members.is_array()) return Status::error(Code::kDamaged, "%s.%s: not a list", path.c_str(), key.c_str());
      for (size_t i = 0; i < members.size(); ++i) {
        const std::string place = path + "." + key + "[" + std::to_string(i) + "]";
        DRAGOMAN_RETURN_IF_ERROR(add_components(members[i], place, out));
      }
    }
    return Status();
  }
  if (out->size() == kMaxComponents) return Status::error(Code::kLimit, "%s: too many components", path.c_str());
  TokenizerComponent component{type->get<std::string>(), path, {}};
  for (const auto& [key, field] : value.items()) {
    if (key == "type" || field.is_null()) continue;
    if (field.is_object()) {
      for (const auto& [name, inner] : field.items()) {
        component.fields[key + "." + name] = {inner.is_string(), scalar_text(inner)};
      }
    } else {
      component.fields[key] = {field.is_string(), scalar_text(field)};
    }
  }
  out->push_back(std::move(component));
  return Status();
}

Status read_added_tokens(const JsonPlace& root, TokenizerJson* out) {
  const JsonPlace list = root.at("added_tokens");
  if (list.missing()) return Status();
  if (!list.value().is_array()) return list.wrong("a list");
  for (size_t i = 0; i < list.value().size(); ++i) {
    const JsonPlace entry = list.at(i);
    if (!entry.value().is_object()) return entry.wrong("an object");
    AddedTokenEntry token;
    DRAGOMAN_ASSIGN_OR_RETURN(token.id, entry.at("id").id());
    DRAGOMAN_ASSIGN_OR_RETURN(token.content, entry.at("content").text());
    DRAGOMAN_ASSIGN_OR_RETURN(token.special, entry.at("special").flag(false));
    DRAGOMAN_ASSIGN_OR_RETURN(token.takes_spaces_before, entry.at("lstrip").flag(false));
    DRAGOMAN_ASSIGN_OR_RETURN(token.takes_spaces_after, entry.at("rstrip").flag(false));
    DRAGOMAN_ASSIGN_OR_RETURN(token.single_word, entry.at("single_word").flag(false));
    DRAGOMAN_ASSIGN_OR_RETURN(token.normalized, entry.at("normalized").flag(!token.special));
    if (token.content.empty()) return entry.wrong("a token that is not empty");
    out->added_tokens.push_back(std::move(token));
  }
  return Status();
}

// [["</s>", 2] of BertProcessing and RobertaProcessing.
Result<int32_t> token_pair_id(const JsonPlace& place) {
  if (!place.value().is_array() || place.value().size() != 2) return place.wrong("a token and its id");
  DRAGOMAN_ASSIGN_OR_RETURN(const uint32_t id, place.at(1).id());
  return static_cast<int32_t>(id);
}

Status add_template_token(const JsonPlace& processor, const std::string& name, std::vector<int32_t>* ids) {
  const JsonPlace list = processor.at("special_tokens").at(name).at("ids");
  if (!list.value().is_array()) return list.wrong("a list of ids");
  for (size_t i = 0; i < list.value().size(); ++i) {
    DRAGOMAN_ASSIGN_OR_RETURN(const uint32_t id, list.at(i).id());
    ids->push_back(static_cast<int32_t>(id));
  }
  return Status();
}

Status read_template(const JsonPlace& processor, TokenizerJson* out) {
  const JsonPlace single = processor.at("single");
  if (!single.value().is_array()) return single.wrong("a list");
  bool after_text = false;
  for (size_t i = 0; i < single.value().size(); ++i) {
    const JsonPlace item = single.at(i);
    if (!item.at("Sequence").missing()) {
      if (after_text) return item.wrong("one text only");
      after_text = true;
      continue;
    }
    DRAGOMAN_ASSIGN_OR_RETURN(const std::string name, item.at("SpecialToken").at("id").text());
    DRAGOMAN_RETURN_IF_ERROR(add_template_token(processor, name, after_text ? &out->suffix_ids : &out->prefix_ids));
  }
  return after_text ? Status() : single.wrong("a place for the text");
}

Status read_post_processor(const JsonPlace& processor, TokenizerJson* out) {
  if (processor.missing()) return Status();
  DRAGOMAN_ASSIGN_OR_RETURN(const std::string type, processor.at("type").text());
  if (type == "Sequence") {
    const JsonPlace list = processor.at("processors");
    if (!list.value().is_array()) return list.wrong("a list");
    for (size_t i = 0; i < list.value().size(); ++i) DRAGOMAN_RETURN_IF_ERROR(read_post_processor(list.at(i), out));
    return Status();
  }
  if (type == "ByteLevel") return Status();  // concerns offsets alone
  if (type == "TemplateProcessing") return read_template(processor, out);
  if (type != "BertProcessing" && type != "RobertaProcessing") {
    return Status::error(Code::kUnsupported, "%s: post-processor '%.60s' is not supported", processor.path().c_str(),
                         type.c_str());
  }
  DRAGOMAN_ASSIGN_OR_RETURN(const int32_t first, token_pair_id(processor.at("cls")));
  DRAGOMAN_ASSIGN_OR_RETURN(const int32_t last, token_pair_id(processor.at("sep")));
  out->prefix_ids.push_back(first);
  out->suffix_ids.push_back(last);
  return Status();
}

Status check_ids(const std::vector<int32_t>& ids, size_t num_ids) {
  for (const int32_t id : ids) {
    if (static_cast<size_t>(id) < num_ids) continue;
    return Status::error(Code::kDamaged, "post_processor: id %d, but there are %zu tokens", id, num_ids);
  }
  return Status();
}

}  // namespace

Result<TokenizerJson> read_tokenizer_json(std::span<const std::byte> file) {
  if (file.size() > kMaxBytes) return Status::error(Code::kLimit, "more than 512 MB");
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  DRAGOMAN_RETURN_IF_ERROR(check_depth(text));
  const json document = json::parse(text.begin(), text.end(), nullptr, false);
  if (!document.is_object() || !document.contains("model")) {
    return Status::error(Code::kDamaged, "not a JSON object with a 'model'");
  }
  const JsonPlace root(document, "");
  TokenizerJson out;
  DRAGOMAN_RETURN_IF_ERROR(read_added_tokens(root, &out));
  DRAGOMAN_RETURN_IF_ERROR(read_tokenizer_model(root.at("model"), &out));
  DRAGOMAN_RETURN_IF_ERROR(add_components(root.at("normalizer").value(), "normalizer", &out.normalizers));
  DRAGOMAN_RETURN_IF_ERROR(add_components(root.at("pre_tokenizer").value(), "pre_tokenizer", &out.pre_tokenizers));
  DRAGOMAN_RETURN_IF_ERROR(add_components(root.at("decoder").value(), "decoder", &out.decoders));
  DRAGOMAN_RETURN_IF_ERROR(read_post_processor(root.at("post_processor"), &out));
  DRAGOMAN_RETURN_IF_ERROR(check_ids(out.prefix_ids, out.tokens.size()));
  DRAGOMAN_RETURN_IF_ERROR(check_ids(out.suffix_ids, out.tokens.size()));
  return out;
}

}  // namespace dragoman::converter
