// What a matrix product demands of its description.
// Neighbours: kernels/matmul checks with it before anything is packed.
#pragma once

#include "base/status.h"
#include "kernels/matmul.h"

namespace dragoman::kernels {

// Shape, strides, types and range; constant time. kInvalidArgument or kUnsupported, saying what was found.
Status check_matmul_shape(const MatmulSpec& spec);

// Scales and bias, number by number; the shape must have been found good.
Status check_matmul_numbers(const MatmulSpec& spec);

}  // namespace dragoman::kernels
