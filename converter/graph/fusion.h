// Linear layers that share an input, laid one below the other as one Linear.
// Neighbours: families/ say which, graph/weights stores the result, the report names it.
#pragma once

#include <string>
#include <vector>

#include "converter/graph/builder.h"
#include "converter/graph/weights.h"

namespace dragoman::converter {

// One y = factor (x W + b) of a fused Linear. `weight` is [inputs, outputs], or its transpose; without `bias` zeros
// stand in for it when another part has one.
struct LinearPart {
  const SourceTensor* weight = nullptr;  // borrowed
  const SourceTensor* bias = nullptr;    // borrowed, may be null
  double factor = 1.0;
  bool outputs_first = false;  // the weight lies [outputs, inputs]
};

// Stores the parts as "<name>.weight" [sum of outputs, inputs] and, when a part has a bias, "<name>.bias". Scales and
// biases carry the factors. More than one part adds a line to the report. Parts agree in inputs.
Result<LinearTensors> fuse_linear(Weights& weights, ConvertReport& report, const std::string& name,
                                  const std::vector<LinearPart>& parts);

}  // namespace dragoman::converter
