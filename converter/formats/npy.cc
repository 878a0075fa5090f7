// The header is a Python dictionary literal of three known keys; only that much of Python is read.
// Neighbours: npy.h.
#include "converter/formats/npy.h"

#include <cctype>
#include <charconv>
#include <cstring>
#include <map>
#include <string_view>

#include "converter/formats/zip_archive.h"

namespace dragoman::converter {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxDimensions = 8;

struct Header {
  std::string type;
  bool column_major = false;
  std::vector<uint64_t> shape;
};

// Walks a literal like {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  bool parse(Header* header) {
    bool has_type = false, has_order = false, has_shape = false;
    if (!eat('{')) return false;
    while (!eat('}')) {
      std::string key;
      if (!quoted(&key) || !eat(':')) return false;
      bool ok = false;
      if (key == "descr" && !has_type) ok = has_type = quoted(&header->type);
      if (key == "fortran_order" && !has_order) ok = has_order = boolean(&header->column_major);
      if (key == "shape" && !has_shape) ok = has_shape = tuple(&header->shape);
      if (!ok) return false;
      if (!eat(',') && !(at_ < text_.size() && text_[at_] == '}')) return false;
    }
    skip_space();
    return has_type && has_order && has_shape && at_ == text_.size();
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool eat(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    skip_space();
    return true;
  }
  bool quoted(std::string* out) {
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') return false;
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return false;
    *out = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    skip_space();
    return true;
  }
  bool boolean(bool* out) {
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_).starts_with(word)) {
        *out = value;
        at_ += word.size();
        return true;
      }
    }
    return false;
  }
  bool tuple(std::vector<uint64_t>* out) {
    if (!eat('(')) return false;
    while (!eat(')')) {
      uint64_t number = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
      if (error != std::errc() || out->size() == kMaxDimensions) return false;
      at_ = static_cast<size_t>(end - text_.data());
      out->push_back(number);
      if (!eat(',') && !(at_ < text_.size() && text_[at_] == ')')) return false;
    }
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
};

bool type_of(const std::string& text, ArrayType* type) {
  static const std::map<std::string, ArrayType> kTypes = {
      {"<f4", ArrayType::kF32}, {"<f2", ArrayType::kF16}, {"<f8", ArrayType::kF64}, {"|i1", ArrayType::kI8},
      {"<i1", ArrayType::kI8},  {"|u1", ArrayType::kU8},  {"<i2", ArrayType::kI16}, {"<i4", ArrayType::kI32},
      {"<i8", ArrayType::kI64}, {"|b1", ArrayType::kBool}};
  const auto at = kTypes.find(text);
  if (at != kTypes.end()) *type = at->second;
  return at != kTypes.end();
}

// The header's text, and where the data begin.
bool split(std::span<const std::byte> file, std::string_view* header, size_t* data) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (file.size() < 12 || !text.starts_with(kMagic)) return false;
  const int version = std::to_integer<int>(file[6]);
  const size_t prefix = version == 1 ? 10 : 12;
  uint32_t length = 0;
  if (version < 1 || version > 3) return false;
  std::memcpy(&length, file.data() + 8, version == 1 ? 2 : 4);
  if (length > file.size() - prefix) return false;
  *header = text.substr(prefix, length);
  *data = prefix + length;
  return true;
}

}  // namespace

Result<StoredArray> read_npy(std::span<const std::byte> file, const std::string& name) {
  std::string_view text;
  size_t data = 0;
  Header header;
  if (!split(file, &text, &data) || !HeaderParser(text).parse(&header)) {
    return Status::error(Code::kDamaged, "%s: not a NumPy array file, or its header is damaged", name.c_str());
  }
  StoredArray array;
  array.shape = header.shape;
  if (!type_of(header.type, &array.type)) {
    return Status::error(Code::kUnsupported, "%s: element type '%.40s' is not supported", name.c_str(),
                         header.type.c_str());
  }
  uint64_t elements = 0;
  if (!checked_elements(array.shape, &elements)) {
    return Status::error(Code::kDamaged, "%s: shape has more elements than any file can hold", name.c_str());
  }
  const uint64_t bytes = elements * array_element_bytes(array.type);
  if (bytes != file.size() - data) {
    return Status::error(Code::kDamaged, "%s: %zu bytes of data, its shape and type need %llu", name.c_str(),
                         file.size() - data, static_cast<unsigned long long>(bytes));
  }
  if (header.column_major && array.shape.size() > 1) {
    uint64_t stride = 1;
    for (const uint64_t dimension : array.shape) {
      array.strides.push_back(stride);
      stride *= dimension;
    }
  }
  array.data = file.subspan(data);
  return array;
}

Result<std::vector<StoredArray>> read_npz(std::span<const std::byte> file, const std::string& path) {
  DRAGOMAN_ASSIGN_OR_RETURN(const ZipArchive archive, ZipArchive::open(file, path));
  std::vector<StoredArray> arrays;
  for (const ZipEntry& entry : archive.entries()) {
    if (!entry.name.ends_with(".npy")) {
      return Status::error(Code::kUnsupported, "%s: '%.80s' is not a NumPy array", path.c_str(), entry.name.c_str());
    }
    DRAGOMAN_ASSIGN_OR_RETURN(const ZipContents contents, archive.read(entry));
    const std::string name = entry.name.substr(0, entry.name.size() - 4);
    DRAGOMAN_ASSIGN_OR_RETURN(StoredArray array, read_npy(contents.bytes, path + ": item '" + name + "'"));
    array.name = name;
    array.owner = contents.owner;
    arrays.push_back(std::move(array));
  }
  return arrays;
}

}  // namespace dragoman::converter
