// Neighbours: converter_support.h.
#include "tests/unit/converter/converter_support.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "kernels/half.h"
#include "kernels/int4.h"

namespace dragoman::test {

size_t files_in(const std::string& folder) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) count += entry.is_regular_file() ? 1 : 0;
  return count;
}

ConvertedModel::ConvertedModel(const std::string& path) {
  Result<model::MappedFile> file = model::MappedFile::map(path.c_str());
  INFO(file.status().message());
  REQUIRE(file.ok());
  file_ = std::make_unique<model::MappedFile>(std::move(file.value()));
  model::OpenOptions options;
  options.check_contents = true;
  const Result<model::ModelView> view = model::ModelView::open(file_->bytes(), options);
  INFO(view.status().message());
  REQUIRE(view.ok());
  view_ = std::make_unique<model::ModelView>(view.value());
  schema::GetModel(file_->bytes().data() + 64)->UnPackTo(&description_);
}

bool ConvertedModel::has(const std::string& name) const {
  for (size_t i = 0; i < view_->num_tensors(); ++i) {
    if (name == view_->tensor(i).name) return true;
  }
  return false;
}

TensorView ConvertedModel::tensor(const std::string& name) const {
  for (size_t i = 0; i < view_->num_tensors(); ++i) {
    if (name == view_->tensor(i).name) return view_->tensor(i);
  }
  FAIL("no tensor " << name);
  return {};
}

std::vector<float> ConvertedModel::values(const TensorView& tensor) const {
  std::vector<float> result(tensor.size());
  for (size_t i = 0; i < result.size(); ++i) {
    const size_t row = i / tensor.columns, column = i % tensor.columns;
    switch (tensor.type) {
      case ElementType::kI8: result[i] = static_cast<float>(tensor.i8()[i]) * tensor.scales[row]; break;
      case ElementType::kF16: result[i] = kernels::float_from_half(tensor.f16()[i]); break;
      case ElementType::kI4:
        result[i] = kernels::Int4Table{tensor.i4(), tensor.block_scales}.row(row, tensor.columns).value(column);
        break;
      default: result[i] = tensor.f32()[i]; break;
    }
  }
  return result;
}

std::vector<float> ConvertedModel::values(const std::string& name) const { return values(tensor(name)); }

std::vector<std::string> ConvertedModel::value_names(const schema::ProgramT& program) {
  std::vector<std::string> names;
  for (const auto& value : program.values) names.push_back(value->name);
  return names;
}

ConvertedModel convert_made_up(const TemporaryFolder& folder, const MarianModelOptions& made,
                               converter::ConvertOptions options, converter::ConvertReport* report) {
  write_marian_folder(folder.path(), made);
  options.input = folder.path();
  options.output = folder.path("out.drg");
  Result<converter::ConvertReport> result = converter::convert(options);
  INFO(result.status().message());
  REQUIRE(result.ok());
  if (report != nullptr) *report = result.value();
  return ConvertedModel(options.output);
}

ConvertedModel model_of(HuggingFaceFolder& folder, converter::ConvertReport* report) {
  Result<converter::ConvertReport> result = folder.convert();
  INFO(result.status().message());
  REQUIRE(result.ok());
  if (report != nullptr) *report = std::move(result.value());
  return ConvertedModel(folder.path("out.drg"));
}

bool notes_name(const converter::ConvertReport& report, const std::string& part) {
  return std::any_of(report.notes.begin(), report.notes.end(),
                     [&part](const std::string& note) { return note.find(part) != std::string::npos; });
}

}  // namespace dragoman::test
