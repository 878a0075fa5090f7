// Lays the file out, streams the payload, and puts the description in front once the checksums are known.
// Neighbours: writer.h.
#include "converter/writer.h"

#include <cstring>

#include "model/checksum.h"
#include "model/file_header.h"
#include "schema/model_generated.h"

namespace dragoman::converter {
namespace {

using model::kFileAlignment;

uint64_t aligned(uint64_t position) { return (position + kFileAlignment - 1) / kFileAlignment * kFileAlignment; }

// Appends to the file and keeps the running checksum and count of one tensor.
class TensorSink final : public ByteSink {
 public:
  explicit TensorSink(OutputFile& file) : file_(file) {}

  Status write(std::span<const std::byte> bytes) override {
    checksum_ = model::fnv1a(bytes, checksum_);
    bytes_ += bytes.size();
    return file_.append(bytes);
  }

  uint64_t checksum() const { return checksum_; }
  uint64_t bytes() const { return bytes_; }

 private:
  OutputFile& file_;
  uint64_t checksum_ = model::kFnvOffsetBasis;
  uint64_t bytes_ = 0;
};

void describe_tensors(schema::ModelT& model, const TensorStore& store) {
  model.tensors.clear();
  for (const StoredTensor& stored : store.tensors()) {
    auto tensor = std::make_unique<schema::TensorT>();
    tensor->name = stored.name;
    tensor->type = static_cast<schema::TensorType>(stored.type);
    tensor->shape = stored.shape;
    tensor->bytes = stored.bytes;
    tensor->scales = stored.scales;
    tensor->row_sums = stored.row_sums;
    tensor->block = stored.block;
    model.tensors.push_back(std::move(tensor));
  }
}

// Every scalar is written, defaults too, so the size does not depend on offsets and checksums still to come.
void serialize(const schema::ModelT& model, flatbuffers::FlatBufferBuilder& builder) {
  builder.Clear();
  builder.ForceDefaults(true);
  schema::FinishModelBuffer(builder, schema::Model::Pack(builder, &model));
}

std::span<const std::byte> bytes_of(const flatbuffers::FlatBufferBuilder& builder) {
  return std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
}

Status write_payload(OutputFile& file, schema::ModelT& model, const TensorStore& store) {
  for (size_t i = 0; i < store.tensors().size(); ++i) {
    const StoredTensor& stored = store.tensors()[i];
    DRAGOMAN_RETURN_IF_ERROR(file.pad_to(aligned(file.size())));
    model.tensors[i]->offset = file.size();
    TensorSink sink(file);
    DRAGOMAN_RETURN_IF_ERROR(stored.produce(sink));
    if (sink.bytes() != stored.bytes) {
      return Status::error(Code::kInternal, "tensor '%s': %llu bytes produced, %llu announced", stored.name.c_str(),
                           static_cast<unsigned long long>(sink.bytes()),
                           static_cast<unsigned long long>(stored.bytes));
    }
    model.tensors[i]->checksum = sink.checksum();
  }
  return file.pad_to(aligned(file.size()));
}

bool needs_revision_2(const schema::ProgramT* program) {
  if (program == nullptr) return false;
  for (const auto& node : program->nodes) {
    switch (node->op.type) {
      case schema::Op::CachedSelfAttention:
      case schema::Op::RmsNorm:
      case schema::Op::GatedLinearUnit:
      case schema::Op::Mul: return true;
      case schema::Op::SelfAttention:
        if (node->op.AsSelfAttention()->relative_bias >= 0) return true;
        break;
      default: break;
    }
  }
  return false;
}

bool needs_revision_2(const schema::TokenizerT* tokenizer) {
  return tokenizer != nullptr &&
         (tokenizer->kind == schema::TokenizerKind::RankedBpe || tokenizer->space_rules != 0 ||
          tokenizer->added_tokens >= 0 || tokenizer->leading_spaces != schema::LeadingSpaces::AsEncoded);
}

// The oldest reader that computes the same: schema/README.md lists what each revision added.
uint32_t minimum_reader(const schema::ModelT& model) {
  const schema::GraphT& graph = *model.graph;
  bool newer = model.language_layout != nullptr || needs_revision_2(graph.encode.get()) ||
               needs_revision_2(graph.begin.get()) || needs_revision_2(graph.step.get());
  newer |= needs_revision_2(model.source_tokenizer.get()) || needs_revision_2(model.target_tokenizer.get());
  for (const auto& state : graph.states) newer |= state->kind != schema::StateKind::Rows;
  for (const auto& tensor : model.tensors) newer |= tensor->type == schema::TensorType::F16 || tensor->block != 0;
  return newer ? 2 : 1;
}

model::FileHeader make_header(uint64_t model_bytes, uint64_t payload_offset, uint64_t file_bytes) {
  model::FileHeader header = {};
  std::memcpy(header.magic, model::kMagic, sizeof(header.magic));
  header.byte_order = model::kByteOrder;
  header.revision = model::kRevision;
  header.required_features = 0;
  header.model_offset = sizeof(header);
  header.model_bytes = model_bytes;
  header.payload_offset = payload_offset;
  header.payload_bytes = file_bytes - payload_offset;
  header.file_bytes = file_bytes;
  return header;
}

}  // namespace

Result<WrittenSizes> write_model(OutputFile& file, schema::ModelT& model, const TensorStore& store) {
  describe_tensors(model, store);
  flatbuffers::FlatBufferBuilder builder;
  serialize(model, builder);
  const uint64_t model_bytes = builder.GetSize();
  const uint64_t payload_offset = aligned(sizeof(model::FileHeader) + model_bytes);

  DRAGOMAN_RETURN_IF_ERROR(file.pad_to(payload_offset));
  DRAGOMAN_RETURN_IF_ERROR(write_payload(file, model, store));
  model::FileHeader header = make_header(model_bytes, payload_offset, file.size());
  header.minimum_reader = minimum_reader(model);
  model.description_checksum = 0;
  serialize(model, builder);
  const auto header_bytes = std::as_bytes(std::span(&header, 1));
  model.description_checksum = model::fnv1a(bytes_of(builder), model::fnv1a(header_bytes));
  serialize(model, builder);
  if (builder.GetSize() != model_bytes) {
    return Status::error(Code::kInternal, "the model description changed its size while writing");
  }
  DRAGOMAN_RETURN_IF_ERROR(file.overwrite(0, header_bytes));
  DRAGOMAN_RETURN_IF_ERROR(file.overwrite(sizeof(header), bytes_of(builder)));
  return WrittenSizes{model_bytes, header.payload_bytes, header.file_bytes};
}

Result<WrittenSizes> write_model(const std::string& path, schema::ModelT& model, const TensorStore& store) {
  DRAGOMAN_ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::create(path));
  DRAGOMAN_ASSIGN_OR_RETURN(const WrittenSizes sizes, write_model(*file, model, store));
  DRAGOMAN_RETURN_IF_ERROR(file->commit());
  return sizes;
}

}  // namespace dragoman::converter
