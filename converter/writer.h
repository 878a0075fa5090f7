// Writes the .drg file: header, model description, payload streamed tensor by tensor.
// Neighbours: convert.cc hands it the finished description and the store; layout in schema/README.md.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "converter/graph/tensor_store.h"
#include "converter/output_file.h"

namespace dragoman::schema {
struct ModelT;
}

namespace dragoman::converter {

struct WrittenSizes {
  uint64_t model_bytes = 0;
  uint64_t payload_bytes = 0;
  uint64_t file_bytes = 0;
};

// Fills model.tensors from `store` and writes everything to `file`, which is new; the caller commits it. Holds the
// model description and one buffer in memory, never the payload. The same input gives the same bytes.
Result<WrittenSizes> write_model(OutputFile& file, schema::ModelT& model, const TensorStore& store);

// The same to `path`, which changes in one step or not at all.
Result<WrittenSizes> write_model(const std::string& path, schema::ModelT& model, const TensorStore& store);

}  // namespace dragoman::converter
