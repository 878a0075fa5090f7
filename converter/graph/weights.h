// Weights and biases as the file stores them: parts laid one below the other, scales folded, floats quantized.
// Neighbours: families/ name the parts, TensorStore keeps the result, quantize/ makes integers of floats.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "converter/converter.h"
#include "converter/graph/matrix.h"
#include "converter/graph/tensor_store.h"

namespace dragoman::converter {

// A bias of `length` elements: the tensor's values times `factor`, or zeros when there is no tensor.
struct BiasPart {
  const SourceTensor* tensor = nullptr;  // borrowed
  uint64_t length = 0;
  double factor = 1.0;
};

// Adds weights to a store. Asking twice for one name gives the same tensor, so tied weights are stored once.
class Weights {
 public:
  // All outlive this object.
  Weights(TensorStore* store, ConvertReport* report, bool keep_float)
      : store_(store), report_(report), keep_float_(keep_float) {}

  // [sum of the parts' rows, columns] int8 with one scale a row; f32 when floats are kept and a part is not int8.
  // Int8 parts keep their integers. `with_row_sums` adds the sums that asymmetric activations need. Parts agree in
  // columns. kNumerical when a value is not finite.
  Result<uint32_t> matrix(const std::string& name, const std::vector<Matrix>& parts, bool with_row_sums = false);

  // F32 [sum of lengths].
  Result<uint32_t> bias(const std::string& name, const std::vector<BiasPart>& parts);

  // F32 [length].
  Result<uint32_t> vector(const std::string& name, const SourceTensor& tensor);

  TensorStore& store() { return *store_; }

 private:
  Result<uint32_t> float_matrix(const std::string& name, const std::vector<Matrix>& parts);
  Result<uint32_t> int8_matrix(const std::string& name, const std::vector<Matrix>& parts, bool with_row_sums);

  TensorStore* store_;
  ConvertReport* report_;
  bool keep_float_;
  std::map<std::string, uint32_t> added_;
};

}  // namespace dragoman::converter
