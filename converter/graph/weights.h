// Weights and biases as the file stores them: parts laid one below the other, scales folded, each in its chosen type.
// Neighbours: families/ name the parts, TensorStore keeps the result, stored_rows writes it, quantize/ has the rules.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "converter/converter.h"
#include "converter/graph/matrix.h"
#include "converter/graph/stored_rows.h"
#include "converter/graph/tensor_store.h"
#include "converter/quantize/weight_rules.h"

namespace dragoman::converter {

// A bias of `length` elements: the tensor's values times `factor`, or zeros when there is no tensor.
struct BiasPart {
  const SourceTensor* tensor = nullptr;  // borrowed
  uint64_t length = 0;
  double factor = 1.0;
};

// Mean square of each input of a weight, by the weight's name.
using Importance = std::map<std::string, std::vector<float>>;

// Adds weights to a store. Asking twice for one name gives the same tensor, so tied weights are stored once.
class Weights {
 public:
  // All outlive this object. `importance` may be null; a weight that it does not name is treated as without it.
  Weights(TensorStore* store, ConvertReport* report, WeightRules* rules, const Importance* importance = nullptr)
      : store_(store), report_(report), rules_(rules), importance_(importance) {}

  // [sum of the parts' rows, columns] in the type that the rules give to `name`; WeightType says what each means.
  // `with_row_sums` adds the sums that int8 rows of activations with a zero point need. Parts agree in columns.
  // kNumerical when a value is not finite, or does not fit f16.
  Result<uint32_t> matrix(const std::string& name, const MatrixParts& parts, bool with_row_sums = false);

  // F32 [sum of lengths].
  Result<uint32_t> bias(const std::string& name, const std::vector<BiasPart>& parts);

  // F32 [length].
  Result<uint32_t> vector(const std::string& name, const SourceTensor& tensor);

  TensorStore& store() { return *store_; }

 private:
  Result<uint32_t> int8_matrix(StoredTensor tensor, const MatrixParts& parts, bool with_row_sums);
  Result<uint32_t> int4_matrix(StoredTensor tensor, const MatrixParts& parts);
  Result<uint32_t> half_matrix(StoredTensor tensor, const MatrixParts& parts);
  uint32_t float_matrix(StoredTensor tensor, const MatrixParts& parts);
  std::span<const float> importance_of(const StoredTensor& tensor) const;
  WeightType chosen_type(const std::string& name, const MatrixParts& parts);
  void report(const StoredTensor& tensor, WeightType type, const RowSurvey& survey);

  TensorStore* store_;
  ConvertReport* report_;
  WeightRules* rules_;
  const Importance* importance_;
  std::map<std::string, uint32_t> added_;
};

}  // namespace dragoman::converter
