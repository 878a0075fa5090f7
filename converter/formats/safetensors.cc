// The header is read event by event, so that nothing is built before it is known to be well-formed.
// Neighbours: safetensors.h.
#include "converter/formats/safetensors.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace dragoman::converter {
namespace {

using nlohmann::json;

constexpr uint64_t kMaxHeaderBytes = 100'000'000;  // the specification's own bound
constexpr size_t kMaxDimensions = 8;
constexpr size_t kMaxNameBytes = 4096;

struct Entry {
  std::string name;
  std::string type;
  std::vector<uint64_t> shape;
  std::vector<uint64_t> offsets;
  bool has_type = false, has_shape = false, has_offsets = false;
};

// Receives the parser's events. The header has one shape only: an object of tensors, each an object of three fields,
// and "__metadata__", an object of strings. Whatever else comes stops the parser at once.
class HeaderEvents final : public nlohmann::json_sax<json> {
 public:
  std::vector<Entry> take() { return std::move(entries_); }
  const std::string& problem() const { return problem_; }

  bool null() override { return refuse("null"); }
  bool boolean(bool) override { return refuse("true or false"); }
  bool number_integer(number_integer_t) override { return refuse("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { return refuse("a number that is not whole"); }
  bool binary(binary_t&) override { return refuse("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (where_ != Where::kList) return refuse("a number");
    std::vector<uint64_t>& list = field_ == "shape" ? entries_.back().shape : entries_.back().offsets;
    const size_t limit = field_ == "shape" ? kMaxDimensions : 2;
    if (list.size() == limit) return refuse("too many numbers");
    list.push_back(value);
    return true;
  }

  bool string(string_t& value) override {
    if (where_ == Where::kMetadata) return true;
    if (where_ != Where::kTensor || field_ != "dtype") return refuse("a string");
    entries_.back().type = value;
    return true;
  }

  bool start_object(size_t) override {
    if (where_ == Where::kStart) {
      where_ = Where::kTop;
    } else if (where_ == Where::kTop) {
      where_ = name_ == "__metadata__" ? Where::kMetadata : Where::kTensor;
      if (where_ == Where::kTensor) {
        entries_.emplace_back();
        entries_.back().name = name_;
      }
    } else {
      return refuse("an object");
    }
    return true;
  }

  bool key(string_t& value) override {
    if (where_ == Where::kTop) {
      name_ = value;
      field_.clear();
      if (value.size() > kMaxNameBytes) return refuse("a name of more than 4096 bytes");
      return names_.insert(value).second || refuse("the name a second time");
    }
    if (where_ == Where::kMetadata) {
      field_ = value;
      return metadata_.insert(value).second || refuse("the key a second time");
    }
    field_ = value;
    Entry& entry = entries_.back();
    bool* seen = value == "dtype"          ? &entry.has_type
                 : value == "shape"        ? &entry.has_shape
                 : value == "data_offsets" ? &entry.has_offsets
                                           : nullptr;
    if (seen == nullptr) return refuse("an unknown field");
    if (*seen) return refuse("the field a second time");
    *seen = true;
    return true;
  }

  bool end_object() override {
    where_ = where_ == Where::kTop ? Where::kEnd : Where::kTop;
    return true;
  }

  bool start_array(size_t) override {
    if (where_ != Where::kTensor || field_ == "dtype") return refuse("a list");
    where_ = Where::kList;
    return true;
  }

  bool end_array() override {
    where_ = Where::kTensor;
    return true;
  }

  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    if (problem_.empty()) problem_ = "header: not JSON at byte " + std::to_string(position) + ": " + error.what();
    return false;
  }

 private:
  enum class Where : uint8_t { kStart, kTop, kTensor, kList, kMetadata, kEnd };

  bool refuse(const char* found) {
    problem_ = "header: ";
    if (!name_.empty()) problem_ += "tensor '" + name_.substr(0, 80) + "': ";
    if (!field_.empty()) problem_ += "field '" + field_.substr(0, 80) + "': ";
    problem_ += std::string("found ") + found;
    return false;
  }

  Where where_ = Where::kStart;
  std::string name_, field_;
  std::set<std::string> names_, metadata_;
  std::vector<Entry> entries_;
  std::string problem_;
};

Result<ArrayType> type_of(const std::string& text) {
  static const std::map<std::string, ArrayType> kTypes = {
      {"F32", ArrayType::kF32}, {"F16", ArrayType::kF16},  {"BF16", ArrayType::kBF16}, {"F64", ArrayType::kF64},
      {"I8", ArrayType::kI8},   {"U8", ArrayType::kU8},    {"I16", ArrayType::kI16},   {"I32", ArrayType::kI32},
      {"I64", ArrayType::kI64}, {"BOOL", ArrayType::kBool}};
  const auto at = kTypes.find(text);
  if (at != kTypes.end()) return at->second;
  return Status::error(Code::kUnsupported, "dtype '%.40s' is not supported", text.c_str());
}

// One entry against the data section of `data_bytes` bytes.
Result<StoredArray> check_entry(const Entry& entry, std::span<const std::byte> data) {
  const char* missing = !entry.has_type ? "dtype" : !entry.has_shape ? "shape" : "data_offsets";
  if (!entry.has_type || !entry.has_shape || !entry.has_offsets) {
    return Status::error(Code::kDamaged, "field '%s' is missing", missing);
  }
  if (entry.offsets.size() != 2) {
    return Status::error(Code::kDamaged, "data_offsets holds %zu numbers, expected 2", entry.offsets.size());
  }
  const unsigned long long begin = entry.offsets[0], end = entry.offsets[1];
  if (begin > end || end > data.size()) {
    return Status::error(Code::kDamaged, "data_offsets are %llu to %llu of %zu bytes", begin, end, data.size());
  }
  StoredArray array;
  array.name = entry.name;
  array.shape = entry.shape;
  DRAGOMAN_ASSIGN_OR_RETURN(array.type, type_of(entry.type));
  uint64_t elements = 0;
  if (!checked_elements(entry.shape, &elements)) {
    return Status::error(Code::kDamaged, "shape has more elements than any file can hold");
  }
  const unsigned long long expected = elements * array_element_bytes(array.type);
  if (end - begin != expected) {
    return Status::error(Code::kDamaged, "data_offsets span %llu bytes, shape and dtype %s need %llu", end - begin,
                         entry.type.c_str(), expected);
  }
  array.data = data.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  return array;
}

// The arrays lie one after another and fill the data section.
Status check_layout(const std::vector<StoredArray>& arrays, std::span<const std::byte> data, const std::string& path) {
  std::vector<const StoredArray*> order;
  order.reserve(arrays.size());
  for (const StoredArray& array : arrays) order.push_back(&array);
  std::sort(order.begin(), order.end(), [](const StoredArray* a, const StoredArray* b) {
    if (a->data.data() != b->data.data()) return a->data.data() < b->data.data();
    return a->data.size() < b->data.size();
  });
  const std::byte* at = data.data();
  for (const StoredArray* array : order) {
    if (array->data.data() != at) {
      return Status::error(Code::kDamaged, "%s: tensor '%.80s': data_offsets %s", path.c_str(), array->name.c_str(),
                           array->data.data() < at ? "overlap another tensor's" : "leave a gap before them");
    }
    at += array->data.size();
  }
  if (at == data.data() + data.size()) return Status();
  return Status::error(Code::kDamaged, "%s: %td bytes after the last tensor belong to none", path.c_str(),
                       data.data() + data.size() - at);
}

}  // namespace

Result<std::vector<StoredArray>> read_safetensors(std::span<const std::byte> file, const std::string& path) {
  uint64_t header_bytes = 0;
  if (file.size() < sizeof(header_bytes)) {
    return Status::error(Code::kDamaged, "%s: not a safetensors file: only %zu bytes", path.c_str(), file.size());
  }
  std::memcpy(&header_bytes, file.data(), sizeof(header_bytes));
  if (header_bytes < 2 || header_bytes > kMaxHeaderBytes || header_bytes > file.size() - sizeof(header_bytes)) {
    return Status::error(Code::kDamaged, "%s: header length %llu in a file of %zu bytes", path.c_str(),
                         static_cast<unsigned long long>(header_bytes), file.size());
  }
  const char* header = reinterpret_cast<const char*>(file.data()) + sizeof(header_bytes);
  HeaderEvents events;
  if (!json::sax_parse(header, header + header_bytes, &events)) {
    return Status::error(Code::kDamaged, "%s: %s", path.c_str(), events.problem().c_str());
  }
  const std::span<const std::byte> data = file.subspan(sizeof(header_bytes) + static_cast<size_t>(header_bytes));
  std::vector<StoredArray> arrays;
  for (const Entry& entry : events.take()) {
    Result<StoredArray> array = check_entry(entry, data);
    if (!array.ok()) {
      return Status::error(array.status().code(), "%s: tensor '%.80s': %s", path.c_str(), entry.name.c_str(),
                           array.status().message());
    }
    arrays.push_back(std::move(array.value()));
  }
  DRAGOMAN_RETURN_IF_ERROR(check_layout(arrays, data, path));
  std::sort(arrays.begin(), arrays.end(), [](const StoredArray& a, const StoredArray& b) { return a.name < b.name; });
  return arrays;
}

}  // namespace dragoman::converter
