// From a chosen type to a directory entry and the passes that fill it.
// Neighbours: weights.h.
#include "converter/graph/weights.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "converter/quantize/int4_blocks.h"

namespace dragoman::converter {
namespace {

uint64_t total_rows(const MatrixParts& parts) {
  uint64_t rows = 0;
  for (const Matrix& part : parts) rows += part.rows;
  return rows;
}

bool all_of_type(const MatrixParts& parts, SourceType type) {
  return std::all_of(parts.begin(), parts.end(), [type](const Matrix& part) { return part.tensor->type == type; });
}

// The type that loses nothing of what was trained.
WeightType lossless_type(const MatrixParts& parts) {
  if (all_of_type(parts, SourceType::kI8)) return WeightType::kInt8;
  const bool unscaled = std::all_of(parts.begin(), parts.end(), [](const Matrix& part) { return part.factor == 1.0; });
  return unscaled && all_of_type(parts, SourceType::kF16) ? WeightType::kF16 : WeightType::kF32;
}

}  // namespace

WeightType Weights::chosen_type(const std::string& name, const MatrixParts& parts) {
  WeightType type = rules_->type_of(name);
  if (type == WeightType::kSource) return lossless_type(parts);
  if (type != WeightType::kInt4) return type;
  if (parts.front().columns % kInt4BlockColumns != 0) {
    report_->notes.push_back("'" + name + "' is int8: its " + std::to_string(parts.front().columns) +
                             " columns do not divide into int4's blocks of " + std::to_string(kInt4BlockColumns));
    return WeightType::kInt8;
  }
  if (all_of_type(parts, SourceType::kI8)) {
    report_->notes.push_back("'" + name + "' was int8 already: int4 adds its error to that of int8");
  }
  return WeightType::kInt4;
}

std::span<const float> Weights::importance_of(const StoredTensor& tensor) const {
  if (importance_ == nullptr) return {};
  const auto at = importance_->find(tensor.name);
  if (at == importance_->end() || at->second.size() != tensor.shape[1]) return {};
  return at->second;
}

void Weights::report(const StoredTensor& tensor, WeightType type, const RowSurvey& survey) {
  report_->quantized.push_back({tensor.name, tensor.shape[0], tensor.shape[1], survey.error.signal_to_noise_db(), type,
                                survey.error.output_signal_to_noise_db()});
}

Result<uint32_t> Weights::matrix(const std::string& name, const MatrixParts& parts, bool with_row_sums) {
  if (const auto at = added_.find(name); at != added_.end()) return at->second;
  StoredTensor tensor;
  tensor.name = name;
  tensor.shape = {total_rows(parts), parts.front().columns};
  uint32_t index = 0;
  switch (chosen_type(name, parts)) {
    case WeightType::kInt8: {
      DRAGOMAN_ASSIGN_OR_RETURN(index, int8_matrix(std::move(tensor), parts, with_row_sums));
      break;
    }
    case WeightType::kInt4: {
      DRAGOMAN_ASSIGN_OR_RETURN(index, int4_matrix(std::move(tensor), parts));
      break;
    }
    case WeightType::kF16: {
      DRAGOMAN_ASSIGN_OR_RETURN(index, half_matrix(std::move(tensor), parts));
      break;
    }
    case WeightType::kF32:
    case WeightType::kSource: index = float_matrix(std::move(tensor), parts); break;
  }
  added_[name] = index;
  return index;
}

uint32_t Weights::float_matrix(StoredTensor tensor, const MatrixParts& parts) {
  tensor.type = ElementType::kF32;
  tensor.bytes = tensor.shape[0] * tensor.shape[1] * sizeof(float);
  tensor.produce = [parts](ByteSink& sink) { return write_float(parts, sink); };
  return store_->add(std::move(tensor));
}

Result<uint32_t> Weights::half_matrix(StoredTensor tensor, const MatrixParts& parts) {
  RowSurvey survey;
  DRAGOMAN_RETURN_IF_ERROR(survey_half(parts, importance_of(tensor), &survey));
  tensor.type = ElementType::kF16;
  tensor.bytes = tensor.shape[0] * tensor.shape[1] * sizeof(uint16_t);
  tensor.produce = [parts](ByteSink& sink) { return write_half(parts, sink); };
  report(tensor, WeightType::kF16, survey);
  return store_->add(std::move(tensor));
}

// Scales are kept once: the store's copy of them would be the second.
Result<uint32_t> Weights::int8_matrix(StoredTensor tensor, const MatrixParts& parts, bool with_row_sums) {
  const auto survey = std::make_shared<RowSurvey>();
  DRAGOMAN_RETURN_IF_ERROR(survey_int8(parts, importance_of(tensor), survey.get()));
  tensor.type = ElementType::kI8;
  tensor.bytes = tensor.shape[0] * tensor.shape[1];
  tensor.scales = static_cast<int32_t>(store_->add_shared(
      tensor.name + ".scales", ElementType::kF32, std::shared_ptr<const std::vector<float>>(survey, &survey->scales)));
  if (with_row_sums) {
    tensor.row_sums =
        static_cast<int32_t>(store_->add_vector(tensor.name + ".row_sums", ElementType::kI32, survey->row_sums));
  }
  if (survey->quantized) {
    report(tensor, WeightType::kInt8, *survey);
  } else {
    ++report_->num_kept_int8;
  }
  if (survey->num_raised > 0) {
    report_->notes.push_back("'" + tensor.name + "': " + std::to_string(survey->num_raised) +
                             " elements of -128 are stored as -127, the least that int8 weights have");
  }
  tensor.produce = [parts, survey](ByteSink& sink) { return write_int8(parts, *survey, sink); };
  return store_->add(std::move(tensor));
}

Result<uint32_t> Weights::int4_matrix(StoredTensor tensor, const MatrixParts& parts) {
  const auto survey = std::make_shared<RowSurvey>();
  DRAGOMAN_RETURN_IF_ERROR(survey_int4(parts, importance_of(tensor), survey.get()));
  tensor.type = ElementType::kI4;
  tensor.block = kInt4BlockColumns;
  tensor.bytes = tensor.shape[0] * tensor.shape[1] / 2;
  tensor.scales = static_cast<int32_t>(
      store_->add_shared(tensor.name + ".scales", ElementType::kBF16,
                         std::shared_ptr<const std::vector<uint16_t>>(survey, &survey->block_scales)));
  report(tensor, WeightType::kInt4, *survey);
  tensor.produce = [parts, survey](ByteSink& sink) { return write_int4(parts, *survey, sink); };
  return store_->add(std::move(tensor));
}

Result<uint32_t> Weights::bias(const std::string& name, const std::vector<BiasPart>& parts) {
  if (const auto at = added_.find(name); at != added_.end()) return at->second;
  std::vector<float> values;
  for (const BiasPart& part : parts) {
    for (uint64_t i = 0; i < part.length; ++i) {
      const double element = part.tensor == nullptr ? 0.0 : source_element(*part.tensor, i);
      const double scale = part.tensor == nullptr ? 1.0 : static_cast<double>(part.tensor->scale);
      values.push_back(static_cast<float>(element * scale * part.factor));
      if (std::isfinite(values.back()) || part.tensor == nullptr) continue;
      return Status::error(Code::kNumerical, "tensor '%s' holds %g", part.tensor->name.c_str(),
                           static_cast<double>(values.back()));
    }
  }
  return added_[name] = store_->add_vector(name, ElementType::kF32, values);
}

Result<uint32_t> Weights::vector(const std::string& name, const SourceTensor& tensor) {
  return bias(name, {BiasPart{&tensor, tensor.size(), 1.0}});
}

}  // namespace dragoman::converter
