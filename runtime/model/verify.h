// Checks of a model file, from the outside in: header, FlatBuffer structure, then meaning.
// Neighbours: ModelView::open runs all of them in this order; each part relies on the ones before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.h"
#include "model/file_header.h"

namespace flatbuffers {
struct String;
}
namespace dragoman::schema {
struct Model;
}

namespace dragoman::model {

// A file whose header and FlatBuffer structure were accepted.
struct VerifiedFile {
  std::span<const std::byte> bytes;
  FileHeader header;
  const schema::Model* model;
};

// Header alone: kind of file, byte order, revision, features, and all sizes against `file.size()`. Constant time.
Result<FileHeader> verify_header(std::span<const std::byte> file);

// Every offset, size and alignment inside the FlatBuffer. Time bounded by a fixed number of tables.
Result<const schema::Model*> verify_structure(std::span<const std::byte> file, const FileHeader& header);

// The directory of tensors: names, types, shapes, ranges, overlap, scales. Allocates four bytes a tensor for the
// duration of the call.
Status verify_tensors(const VerifiedFile& file);

// Programs, values, nodes and states, apart from what belongs to one operator.
Status verify_graph(const VerifiedFile& file);

// Vocabularies, shortlist, generation defaults and texts.
Status verify_text(const VerifiedFile& file);

// Languages and where their tokens stand.
Status verify_languages(const VerifiedFile& file);

// Reads the whole file: checksums, sums of rows, the range of int8. Only on request.
Status verify_contents(const VerifiedFile& file);

// A name is 1 to 255 bytes without control characters, so that a message may print it. `kind` and `index` say whose.
Status verify_name(const char* kind, size_t index, const flatbuffers::String* name);

}  // namespace dragoman::model
