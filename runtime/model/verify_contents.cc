// Checks that read the whole file: checksums, sums of rows, the range of int8. Only on request.
// Neighbours: runs last, after verify_text.cc; a normal load leaves weights untouched until they are used.
#include <algorithm>

#include "base/tensor_view.h"
#include "model/checksum.h"
#include "model/verify.h"
#include "schema/model_generated.h"

namespace dragoman::model {

namespace {

std::span<const std::byte> bytes_of(const VerifiedFile& file, const schema::Tensor& t) {
  return file.bytes.subspan(static_cast<size_t>(t.offset()), static_cast<size_t>(t.bytes()));
}

// Sum of `count` elements of one byte each.
template <typename Element>
int64_t byte_sum(const std::byte* row, size_t count) {
  int64_t sum = 0;
  for (size_t c = 0; c < count; ++c) sum += static_cast<Element>(std::to_integer<uint8_t>(row[c]));
  return sum;
}

// I4 holds the lower element in the lower half of a byte, two's complement.
int64_t nibble_sum(const std::byte* row, size_t count) {
  int64_t sum = 0;
  for (size_t c = 0; c < count; ++c) {
    const int nibble = (std::to_integer<int>(row[c / 2]) >> (c % 2 * 4)) & 15;
    sum += nibble >= 8 ? nibble - 16 : nibble;
  }
  return sum;
}

int64_t row_sum(schema::TensorType type, const std::byte* row, size_t columns) {
  if (type == schema::TensorType::I4) return nibble_sum(row, columns);
  return type == schema::TensorType::U8 ? byte_sum<uint8_t>(row, columns) : byte_sum<int8_t>(row, columns);
}

Status verify_row_sums(const VerifiedFile& file, const schema::Tensor& t) {
  if (t.row_sums() < 0) return {};
  const schema::Tensor& sums = *file.model->tensors()->Get(static_cast<uint32_t>(t.row_sums()));
  const auto* expected = reinterpret_cast<const int32_t*>(file.bytes.data() + sums.offset());
  const size_t rows = static_cast<size_t>(sums.bytes() / sizeof(int32_t));
  const size_t columns = static_cast<size_t>(t.shape()->Get(t.shape()->size() - 1));
  const size_t row_bytes = rows == 0 ? 0 : static_cast<size_t>(t.bytes()) / rows;
  for (size_t r = 0; r < rows; ++r) {
    const int64_t sum = row_sum(t.type(), bytes_of(file, t).data() + r * row_bytes, columns);
    if (sum == expected[r]) continue;
    return Status::error(Code::kDamaged, "tensor '%s': row %zu adds up to %lld, its row sum says %d", t.name()->c_str(),
                         r, static_cast<long long>(sum), expected[r]);
  }
  return {};
}

// int8 is symmetric: products rely on it (kernels/matmul.h).
Status verify_range(const VerifiedFile& file, const schema::Tensor& t) {
  constexpr std::byte kNeverMade{0x80};
  if (t.type() != schema::TensorType::I8) return {};
  const std::span<const std::byte> bytes = bytes_of(file, t);
  const auto at = std::find(bytes.begin(), bytes.end(), kNeverMade);
  if (at == bytes.end()) return {};
  return Status::error(Code::kDamaged, "tensor '%s': element %zu is -128, expected -127 to 127", t.name()->c_str(),
                       static_cast<size_t>(at - bytes.begin()));
}

Status verify_description(const VerifiedFile& file) {
  const auto* root = reinterpret_cast<const flatbuffers::Table*>(file.model);
  const uint8_t* field = root->GetAddressOf(schema::Model::VT_DESCRIPTION_CHECKSUM);
  if (field == nullptr && file.header.revision < 2) return {};
  if (field == nullptr) return Status::error(Code::kDamaged, "model: found no checksum of its description");
  const auto* begin = reinterpret_cast<const uint8_t*>(file.bytes.data());
  const auto bytes = static_cast<size_t>(file.header.model_offset + file.header.model_bytes);
  const uint64_t checksum = fnv1a_of_description(file.bytes.first(bytes), static_cast<size_t>(field - begin));
  if (checksum == file.model->description_checksum()) return {};
  return Status::error(Code::kDamaged, "model: found checksum %016llx of its description, expected %016llx",
                       static_cast<unsigned long long>(checksum),
                       static_cast<unsigned long long>(file.model->description_checksum()));
}

}  // namespace

Status verify_contents(const VerifiedFile& file) {
  DRAGOMAN_RETURN_IF_ERROR(verify_description(file));
  // Tensors may share a range (tied weights), but not so often that reading them would never end.
  const uint64_t most = 4 * std::min<uint64_t>(file.bytes.size(), UINT64_MAX / 4);
  uint64_t read = 0;
  for (const schema::Tensor* t : *file.model->tensors()) {
    read += t->bytes();
    if (read > most) {
      return Status::error(Code::kDamaged, "tensor '%s': the tensors add up to 4 times the file", t->name()->c_str());
    }
    const uint64_t checksum = fnv1a(bytes_of(file, *t));
    if (checksum != t->checksum()) {
      return Status::error(Code::kDamaged, "tensor '%s': found checksum %016llx, expected %016llx", t->name()->c_str(),
                           static_cast<unsigned long long>(checksum), static_cast<unsigned long long>(t->checksum()));
    }
    DRAGOMAN_RETURN_IF_ERROR(verify_range(file, *t));
    DRAGOMAN_RETURN_IF_ERROR(verify_row_sums(file, *t));
  }
  return {};
}

}  // namespace dragoman::model
