// Marian's habits of storage: which matrices lie transposed, what is a multiplier, where the options are.
// Neighbours: marian.h; facts as in Marian's expression graph and intgemm interface.
#include "converter/frontends/marian.h"

#include <algorithm>

#include "converter/formats/mapped_file.h"
#include "converter/formats/marian_bin.h"
#include "converter/formats/npy.h"
#include "converter/formats/zip_archive.h"
#include "converter/frontends/array_tensor.h"

namespace dragoman::converter {
namespace {

constexpr char kOptionsItem[] = "special:model.yml";

// Static activation multipliers serve engines that do not look at the activations; rows are quantized at run time here.
bool is_activation_multiplier(const std::string& name) { return name.ends_with("_QuantMultA"); }

Result<Options> read_options(std::span<const std::byte> bytes, bool is_text, const std::string& path) {
  const std::string name = path + ": " + kOptionsItem;
  if (!is_text) return Status::error(Code::kDamaged, "%s: expected bytes of text", name.c_str());
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const size_t end = text.find('\0');
  if (end == std::string_view::npos) {
    return Status::error(Code::kDamaged, "%s: the text is not closed by a NUL", name.c_str());
  }
  return parse_yaml_options(text.substr(0, end), name);
}

Result<SourceTensor> read_tensor(const MarianItem& item, const std::string& path) {
  SourceTensor tensor;
  tensor.name = item.name;
  tensor.shape = item.shape;
  tensor.data = item.data;
  switch (item.type) {
    case MarianType::kFloat32: tensor.type = SourceType::kF32; return tensor;
    case MarianType::kFloat16: tensor.type = SourceType::kF16; return tensor;
    case MarianType::kIntgemm8: tensor.type = SourceType::kI8; break;
    case MarianType::kIntgemm16: tensor.type = SourceType::kI16; break;
    default:
      return Status::error(Code::kUnsupported, "%s: tensor '%s' holds plain integers", path.c_str(), item.name.c_str());
  }
  if (item.shape.size() != 2) {
    return Status::error(Code::kDamaged, "%s: tensor '%s' is quantized but has shape %s, expected two dimensions",
                         path.c_str(), item.name.c_str(), tensor.shape_text().c_str());
  }
  if (item.name.ends_with("_Wt")) {
    return Status::error(Code::kUnsupported, "%s: tensor '%s' is an already transposed weight in a quantized type",
                         path.c_str(), item.name.c_str());
  }
  tensor.scale = 1.0f / item.multiplier;
  tensor.transposed = item.name.find("Wemb") == std::string::npos;
  return tensor;
}

Status missing_options(const std::string& path) {
  return Status::error(Code::kDamaged, "%s: item '%s' is missing: not a Marian model, or stripped of its options",
                       path.c_str(), kOptionsItem);
}

Status read_bin(std::span<const std::byte> file, const std::string& path, Source* source) {
  DRAGOMAN_ASSIGN_OR_RETURN(const std::vector<MarianItem> items, read_marian_bin(file, path));
  bool has_options = false;
  for (const MarianItem& item : items) {
    if (item.name == kOptionsItem) {
      DRAGOMAN_ASSIGN_OR_RETURN(source->options, read_options(item.data.first(static_cast<size_t>(item.elements)),
                                                              item.type == MarianType::kInt8, path));
      has_options = true;
    } else if (is_activation_multiplier(item.name)) {
      source->ignored.push_back(item.name);
    } else {
      DRAGOMAN_ASSIGN_OR_RETURN(SourceTensor tensor, read_tensor(item, path));
      source->tensors.push_back(std::move(tensor));
    }
  }
  std::sort(source->tensors.begin(), source->tensors.end(),
            [](const SourceTensor& a, const SourceTensor& b) { return a.name < b.name; });
  return has_options ? Status() : missing_options(path);
}

// Training files hold floats only, as NumPy arrays.
Status read_archive(std::span<const std::byte> file, const std::string& path, Source* source) {
  DRAGOMAN_ASSIGN_OR_RETURN(std::vector<StoredArray> arrays, read_npz(file, path));
  const auto options =
      std::find_if(arrays.begin(), arrays.end(), [](const StoredArray& array) { return array.name == kOptionsItem; });
  if (options == arrays.end()) return missing_options(path);
  const bool is_text = options->type == ArrayType::kI8 || options->type == ArrayType::kU8;
  DRAGOMAN_ASSIGN_OR_RETURN(source->options, read_options(options->data, is_text, path));
  arrays.erase(options);
  add_arrays(std::move(arrays), source);
  return Status();
}

}  // namespace

Result<Source> read_marian_source(const std::string& path) {
  Source source;
  source.framework = "marian";
  DRAGOMAN_ASSIGN_OR_RETURN(const std::shared_ptr<MappedFile> file, MappedFile::open(path));
  source.storage.push_back(file);
  const bool archive = looks_like_zip(file->bytes());
  DRAGOMAN_RETURN_IF_ERROR(archive ? read_archive(file->bytes(), path, &source)
                                   : read_bin(file->bytes(), path, &source));
  return source;
}

}  // namespace dragoman::converter
