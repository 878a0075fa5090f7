// Fusion of parallel Linears.
// Neighbours: fusion.h.
#include "converter/graph/fusion.h"

namespace dragoman::converter {
namespace {

void report_fusion(ConvertReport& report, const std::string& name, const std::vector<LinearPart>& parts,
                   uint64_t outputs, uint64_t inputs) {
  std::string line = name + ": ";
  for (const LinearPart& part : parts) line += (&part == &parts.front() ? "" : ", ") + part.weight->name;
  line += " -> [" + std::to_string(outputs) + ", " + std::to_string(inputs) + "]";
  for (const std::string& known : report.fused) {
    if (known == line) return;  // a tied layer, stored once
  }
  report.fused.push_back(std::move(line));
}

}  // namespace

Result<LinearTensors> fuse_linear(Weights& weights, ConvertReport& report, const std::string& name,
                                  const std::vector<LinearPart>& parts) {
  std::vector<Matrix> matrices;
  std::vector<BiasPart> biases;
  LinearTensors tensors;
  bool has_bias = false;
  for (const LinearPart& part : parts) {
    matrices.push_back(part.outputs_first ? table_matrix(*part.weight, part.factor)
                                          : linear_matrix(*part.weight, part.factor));
    biases.push_back({part.bias, matrices.back().rows, part.factor});
    tensors.outputs += static_cast<uint32_t>(matrices.back().rows);
    has_bias |= part.bias != nullptr;
  }
  DRAGOMAN_ASSIGN_OR_RETURN(tensors.weight, weights.matrix(name + ".weight", matrices));
  if (has_bias) {
    DRAGOMAN_ASSIGN_OR_RETURN(const uint32_t bias, weights.bias(name + ".bias", biases));
    tensors.bias = static_cast<int32_t>(bias);
  }
  if (parts.size() > 1) report_fusion(report, name, parts, tensors.outputs, matrices.front().columns);
  return tensors;
}

}  // namespace dragoman::converter
