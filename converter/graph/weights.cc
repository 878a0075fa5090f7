// Concatenation and storage of weights; one pass measures scales, sums and errors, a second one writes.
// Neighbours: weights.h.
#include "converter/graph/weights.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "converter/quantize/int8_rows.h"

namespace dragoman::converter {
namespace {

uint64_t total_rows(const std::vector<Matrix>& parts) {
  uint64_t rows = 0;
  for (const Matrix& part : parts) rows += part.rows;
  return rows;
}

bool all_int8(const std::vector<Matrix>& parts) {
  return std::all_of(parts.begin(), parts.end(), [](const Matrix& part) { return part.is_int8(); });
}

Status check_finite(std::span<const float> values, const SourceTensor& tensor) {
  for (const float value : values) {
    if (!std::isfinite(value)) {
      return Status::error(Code::kNumerical, "tensor '%s' holds %g", tensor.name.c_str(), static_cast<double>(value));
    }
  }
  return Status();
}

// What the first pass over an int8 matrix learns.
struct Int8Survey {
  std::vector<float> scales;
  std::vector<int32_t> row_sums;
  QuantizationError error;
  bool quantized = false;
};

// One row of `part` as integers; `scale` is what survey_part found for it.
void int8_row(const Matrix& part, uint64_t row, float scale, std::vector<float>& floats, std::span<int8_t> out) {
  if (part.is_int8()) return part.read_int8(row, out);
  floats.resize(static_cast<size_t>(part.columns));
  part.read_float(row, floats);
  quantize_int8_row(floats, scale, out);
}

Status survey_part(const Matrix& part, Int8Survey* survey) {
  std::vector<float> floats(static_cast<size_t>(part.columns));
  std::vector<int8_t> integers(static_cast<size_t>(part.columns));
  for (uint64_t row = 0; row < part.rows; ++row) {
    float scale = part.is_int8() ? part.int8_scale(row) : 0.0f;
    if (part.is_int8()) {
      part.read_int8(row, integers);
      if (std::find(integers.begin(), integers.end(), -128) != integers.end()) {
        return Status::error(Code::kDamaged, "tensor '%s' holds -128, which symmetric quantization never makes",
                             part.tensor->name.c_str());
      }
    } else {
      part.read_float(row, floats);
      DRAGOMAN_RETURN_IF_ERROR(check_finite(floats, *part.tensor));
      scale = int8_row_scale(floats);
      quantize_int8_row(floats, scale, integers);
      survey->error.add(floats, integers, scale);
      survey->quantized = true;
    }
    int32_t sum = 0;
    for (const int8_t element : integers) sum += element;
    survey->scales.push_back(scale);
    survey->row_sums.push_back(sum);
  }
  return Status();
}

Status write_int8(const std::vector<Matrix>& parts, const std::vector<float>& scales, ByteSink& sink) {
  std::vector<float> floats;
  std::vector<int8_t> integers;
  size_t at = 0;
  for (const Matrix& part : parts) {
    integers.resize(static_cast<size_t>(part.columns));
    for (uint64_t row = 0; row < part.rows; ++row) {
      int8_row(part, row, scales[at++], floats, integers);
      DRAGOMAN_RETURN_IF_ERROR(sink.write(std::as_bytes(std::span(integers))));
    }
  }
  return Status();
}

Status write_float(const std::vector<Matrix>& parts, ByteSink& sink) {
  std::vector<float> floats;
  for (const Matrix& part : parts) {
    floats.resize(static_cast<size_t>(part.columns));
    for (uint64_t row = 0; row < part.rows; ++row) {
      part.read_float(row, floats);
      DRAGOMAN_RETURN_IF_ERROR(check_finite(floats, *part.tensor));
      DRAGOMAN_RETURN_IF_ERROR(sink.write(std::as_bytes(std::span(floats))));
    }
  }
  return Status();
}

}  // namespace

Result<uint32_t> Weights::matrix(const std::string& name, const std::vector<Matrix>& parts, bool with_row_sums) {
  if (const auto at = added_.find(name); at != added_.end()) return at->second;
  Result<uint32_t> index =
      keep_float_ && !all_int8(parts) ? float_matrix(name, parts) : int8_matrix(name, parts, with_row_sums);
  if (index.ok()) added_[name] = index.value();
  return index;
}

Result<uint32_t> Weights::float_matrix(const std::string& name, const std::vector<Matrix>& parts) {
  StoredTensor tensor;
  tensor.name = name;
  tensor.type = ElementType::kF32;
  tensor.shape = {total_rows(parts), parts.front().columns};
  tensor.bytes = tensor.shape[0] * tensor.shape[1] * sizeof(float);
  tensor.produce = [parts](ByteSink& sink) { return write_float(parts, sink); };
  return store_->add(std::move(tensor));
}

Result<uint32_t> Weights::int8_matrix(const std::string& name, const std::vector<Matrix>& parts, bool with_row_sums) {
  Int8Survey survey;
  for (const Matrix& part : parts) DRAGOMAN_RETURN_IF_ERROR(survey_part(part, &survey));
  StoredTensor tensor;
  tensor.name = name;
  tensor.type = ElementType::kI8;
  tensor.shape = {total_rows(parts), parts.front().columns};
  tensor.bytes = tensor.shape[0] * tensor.shape[1];
  tensor.scales = static_cast<int32_t>(store_->add_vector(name + ".scales", ElementType::kF32, survey.scales));
  if (with_row_sums) {
    tensor.row_sums = static_cast<int32_t>(store_->add_vector(name + ".row_sums", ElementType::kI32, survey.row_sums));
  }
  if (survey.quantized) {
    report_->quantized.push_back({name, tensor.shape[0], tensor.shape[1], survey.error.signal_to_noise_db()});
  } else {
    ++report_->num_kept_int8;
  }
  tensor.produce = [parts, scales = std::move(survey.scales)](ByteSink& sink) {
    return write_int8(parts, scales, sink);
  };
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
    }
    if (part.tensor != nullptr) DRAGOMAN_RETURN_IF_ERROR(check_finite(values, *part.tensor));
  }
  return added_[name] = store_->add_vector(name, ElementType::kF32, values);
}

Result<uint32_t> Weights::vector(const std::string& name, const SourceTensor& tensor) {
  return bias(name, {BiasPart{&tensor, tensor.size(), 1.0}});
}

}  // namespace dragoman::converter
