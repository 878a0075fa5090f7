// The schema's activations as the kernels know them.
// Neighbours: ops/activate and ops/linear.
#pragma once

#include "kernels/activation.h"
#include "schema/ops_generated.h"

namespace dragoman::ops {

inline bool known_activation(schema::Activation activation) { return activation <= schema::Activation::Tanh; }

// Precondition: known and not None.
inline kernels::Activation kernel_activation(schema::Activation activation) {
  switch (activation) {
    case schema::Activation::Swish: return kernels::Activation::kSwish;
    case schema::Activation::GeluSigmoid: return kernels::Activation::kGeluSigmoid;
    case schema::Activation::GeluErf: return kernels::Activation::kGeluErf;
    case schema::Activation::GeluTanh: return kernels::Activation::kGeluTanh;
    case schema::Activation::Sigmoid: return kernels::Activation::kSigmoid;
    case schema::Activation::Tanh: return kernels::Activation::kTanh;
    case schema::Activation::None:
    case schema::Activation::Relu: break;
  }
  return kernels::Activation::kRelu;
}

}  // namespace dragoman::ops
