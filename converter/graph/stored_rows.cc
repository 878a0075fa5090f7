// Passes over rows.
// Neighbours: stored_rows.h.
#include "converter/graph/stored_rows.h"

#include <algorithm>
#include <cmath>

#include "converter/quantize/float_types.h"
#include "converter/quantize/int4_blocks.h"
#include "converter/quantize/int8_rows.h"

namespace dragoman::converter {
namespace {

Status check_finite(std::span<const float> values, const SourceTensor& tensor) {
  for (const float value : values) {
    if (!std::isfinite(value)) {
      return Status::error(Code::kNumerical, "tensor '%s' holds %g", tensor.name.c_str(), static_cast<double>(value));
    }
  }
  return Status();
}

// Calls visit(row as floats, part) for every row of every part, in order, until it fails.
template <typename Visit>
Status for_each_row(const MatrixParts& parts, const Visit& visit) {
  std::vector<float> row;
  for (const Matrix& part : parts) {
    row.resize(static_cast<size_t>(part.columns));
    for (uint64_t r = 0; r < part.rows; ++r) {
      part.read_float(r, row);
      DRAGOMAN_RETURN_IF_ERROR(check_finite(row, *part.tensor));
      DRAGOMAN_RETURN_IF_ERROR(visit(std::span<const float>(row), part));
    }
  }
  return Status();
}

// A row of integers as it is stored; returns how many elements of -128 there were.
uint64_t read_stored_int8(const Matrix& part, uint64_t row, std::span<int8_t> out) {
  constexpr int8_t kNeverMade = -128, kLeast = -127;  // symmetric quantization has no use for the first
  part.read_int8(row, out);
  const auto count = std::count(out.begin(), out.end(), kNeverMade);
  if (count > 0) std::replace(out.begin(), out.end(), kNeverMade, kLeast);
  return static_cast<uint64_t>(count);
}

void to_halves(std::span<const float> row, std::span<uint16_t> out) {
  std::transform(row.begin(), row.end(), out.begin(), half_from_float);
}

}  // namespace

Status survey_int8(const MatrixParts& parts, std::span<const float> importance, RowSurvey* survey) {
  std::vector<float> floats(static_cast<size_t>(parts.front().columns)), stored(floats.size());
  std::vector<int8_t> integers(floats.size());
  for (const Matrix& part : parts) {
    for (uint64_t row = 0; row < part.rows; ++row) {
      float scale = 0;
      if (part.is_int8()) {
        survey->num_raised += read_stored_int8(part, row, integers);
        scale = part.int8_scale(row);
      } else {
        part.read_float(row, floats);
        DRAGOMAN_RETURN_IF_ERROR(check_finite(floats, *part.tensor));
        scale = importance.empty() ? int8_row_scale(floats) : int8_clipped_scale(floats, importance);
        quantize_int8_row(floats, scale, integers);
        restore_int8_row(integers, scale, stored);
        survey->error.add(floats, stored, importance);
        survey->quantized = true;
      }
      int32_t sum = 0;
      for (const int8_t element : integers) sum += element;
      survey->scales.push_back(scale);
      survey->row_sums.push_back(sum);
    }
  }
  return Status();
}

Status survey_int4(const MatrixParts& parts, std::span<const float> importance, RowSurvey* survey) {
  const size_t columns = static_cast<size_t>(parts.front().columns);
  std::vector<uint8_t> elements(columns / 2);
  std::vector<uint16_t> scales(columns / kInt4BlockColumns);
  std::vector<float> stored(columns);
  survey->quantized = true;
  return for_each_row(parts, [&](std::span<const float> row, const Matrix&) {
    int4_block_scales(row, importance, scales);
    quantize_int4_row(row, scales, elements);
    restore_int4_row(elements, scales, stored);
    survey->error.add(row, stored, importance);
    survey->block_scales.insert(survey->block_scales.end(), scales.begin(), scales.end());
    return Status();
  });
}

Status survey_half(const MatrixParts& parts, std::span<const float> importance, RowSurvey* survey) {
  std::vector<uint16_t> halves(static_cast<size_t>(parts.front().columns));
  std::vector<float> stored(halves.size());
  survey->quantized = true;
  return for_each_row(parts, [&](std::span<const float> row, const Matrix& part) {
    for (const float value : row) {
      if (std::fabs(value) < kHalfLimit) continue;
      return Status::error(Code::kNumerical, "tensor '%s' holds %g, which f16 cannot: store it as int8 or f32",
                           part.tensor->name.c_str(), static_cast<double>(value));
    }
    to_halves(row, halves);
    std::transform(halves.begin(), halves.end(), stored.begin(), half_to_float);
    survey->error.add(row, stored, importance);
    return Status();
  });
}

Status write_int8(const MatrixParts& parts, const RowSurvey& survey, ByteSink& sink) {
  std::vector<float> floats(static_cast<size_t>(parts.front().columns));
  std::vector<int8_t> integers(floats.size());
  size_t at = 0;
  for (const Matrix& part : parts) {
    for (uint64_t row = 0; row < part.rows; ++row, ++at) {
      if (part.is_int8()) {
        read_stored_int8(part, row, integers);
      } else {
        part.read_float(row, floats);
        quantize_int8_row(floats, survey.scales[at], integers);
      }
      DRAGOMAN_RETURN_IF_ERROR(sink.write(std::as_bytes(std::span(integers))));
    }
  }
  return Status();
}

Status write_int4(const MatrixParts& parts, const RowSurvey& survey, ByteSink& sink) {
  std::vector<uint8_t> elements(static_cast<size_t>(parts.front().columns / 2));
  const size_t blocks = static_cast<size_t>(parts.front().columns) / kInt4BlockColumns;
  std::span<const uint16_t> scales = survey.block_scales;
  return for_each_row(parts, [&](std::span<const float> row, const Matrix&) {
    quantize_int4_row(row, scales.first(blocks), elements);
    scales = scales.subspan(blocks);
    return sink.write(std::as_bytes(std::span(elements)));
  });
}

Status write_half(const MatrixParts& parts, ByteSink& sink) {
  std::vector<uint16_t> halves(static_cast<size_t>(parts.front().columns));
  return for_each_row(parts, [&](std::span<const float> row, const Matrix&) {
    to_halves(row, halves);
    return sink.write(std::as_bytes(std::span(halves)));
  });
}

Status write_float(const MatrixParts& parts, ByteSink& sink) {
  return for_each_row(parts, [&](std::span<const float> row, const Matrix&) { return sink.write(std::as_bytes(row)); });
}

}  // namespace dragoman::converter
