// The specification of a matrix product: one row, one output, one term at a time.
// Neighbours: tests compare kernels/matmul with it; nothing else uses it.
#pragma once

#include "kernels/matmul.h"

namespace dragoman::kernels {

// Writes what Matmul::run() of the same spec has to write: bit for bit for int8 rows, for float rows within the
// rounding of another order of summation. Needs no padding behind its rows. Slow; does not allocate.
void matmul_reference(const MatmulSpec& spec, const MatmulRows& rows, float* out);

}  // namespace dragoman::kernels
