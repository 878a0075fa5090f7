// Meaning of the tensor directory: each entry by itself, then names and ranges among each other.
// Neighbours: runs after verify_header.cc; ModelView hands out tensors relying on it, ops/ checks shapes per operator.
#include <algorithm>
#include <bit>
#include <bitset>
#include <cmath>
#include <memory>
#include <new>
#include <string_view>

#include "base/tensor_view.h"
#include "model/graph_view.h"
#include "model/verify.h"
#include "schema/model_generated.h"

namespace dragoman::model {

namespace {

using Tensors = flatbuffers::Vector<flatbuffers::Offset<schema::Tensor>>;
using ull = unsigned long long;

uint64_t last_dimension(const schema::Tensor& t) { return t.shape()->Get(t.shape()->size() - 1); }

// Product of all dimensions but the last; overflow was excluded by verify_shape.
uint64_t num_rows(const schema::Tensor& t) {
  uint64_t rows = 1;
  for (flatbuffers::uoffset_t d = 0; d + 1 < t.shape()->size(); ++d) rows *= t.shape()->Get(d);
  return rows;
}

// Checks dimensions and the size in bytes that follows from them.
Status verify_shape(const schema::Tensor& t) {
  const char* name = t.name()->c_str();
  const auto& shape = *t.shape();
  if (shape.size() < 1 || shape.size() > 4) {
    return Status::error(Code::kDamaged, "tensor '%s': found %u dimensions, expected 1 to 4", name, shape.size());
  }
  // Elements of a row share bytes only in I4, whose rows start on whole bytes.
  const size_t element = element_bytes(static_cast<ElementType>(t.type()));
  const uint64_t columns = last_dimension(t);
  uint64_t bytes = 0;
  bool overflow = __builtin_mul_overflow(columns, element == 0 ? 1 : element, &bytes);
  if (element == 0) bytes = columns / 2 + columns % 2;
  for (flatbuffers::uoffset_t d = 0; d + 1 < shape.size(); ++d) {
    overflow |= __builtin_mul_overflow(bytes, shape.Get(d), &bytes);
  }
  // Only a list may be empty: a zero among several dimensions would hide any size of the others.
  if (bytes == 0 && shape.size() > 1) {
    return Status::error(Code::kDamaged, "tensor '%s': found a dimension of 0 (or an overflow)", name);
  }
  if (overflow || bytes != t.bytes()) {
    return Status::error(Code::kDamaged, "tensor '%s': found %llu bytes, its shape needs %s%llu", name, ull{t.bytes()},
                         overflow ? "more than " : "", overflow ? ull{UINT64_MAX} : ull{bytes});
  }
  return {};
}

Status verify_range(const schema::Tensor& t, const FileHeader& header) {
  const char* name = t.name()->c_str();
  if (t.offset() % kFileAlignment != 0) {
    return Status::error(Code::kDamaged, "tensor '%s': found offset %llu, expected a multiple of 64", name,
                         ull{t.offset()});
  }
  const uint64_t end = header.payload_offset + header.payload_bytes;
  if (t.offset() < header.payload_offset || t.offset() > end || t.bytes() > end - t.offset()) {
    return Status::error(Code::kDamaged, "tensor '%s': found %llu bytes at %llu, outside the payload (%llu to %llu)",
                         name, ull{t.bytes()}, ull{t.offset()}, ull{header.payload_offset}, ull{end});
  }
  return {};
}

Status verify_entry(const schema::Tensor& t, size_t index, const FileHeader& header) {
  DRAGOMAN_RETURN_IF_ERROR(verify_name("tensor", index, t.name()));
  if (t.type() > schema::TensorType::MAX) {
    return Status::error(Code::kUnsupported, "tensor '%s': element type %u is unknown", t.name()->c_str(),
                         static_cast<unsigned>(t.type()));
  }
  DRAGOMAN_RETURN_IF_ERROR(verify_shape(t));
  return verify_range(t, header);
}

// `what` is "scales" or "row sums": a list of `type` with one number a row of `t`.
Status verify_companion(const Tensors& all, const schema::Tensor& t, int32_t index, schema::TensorType type) {
  const char* name = t.name()->c_str();
  const char* what = type == schema::TensorType::F32 ? "scales" : "row sums";
  if (index < -1 || (index >= 0 && static_cast<uint32_t>(index) >= all.size())) {
    return Status::error(Code::kDamaged, "tensor '%s': its %s are tensor %d of %u", name, what, index, all.size());
  }
  if (index == -1) return {};
  if (t.type() != schema::TensorType::I8 && t.type() != schema::TensorType::U8 && t.type() != schema::TensorType::I4) {
    return Status::error(Code::kDamaged, "tensor '%s': it has %s, but its elements are of type %s", name, what,
                         schema::EnumNameTensorType(t.type()));
  }
  const schema::Tensor& c = *all.Get(static_cast<uint32_t>(index));
  if (c.type() != type || c.shape()->size() != 1 || c.shape()->Get(0) != num_rows(t)) {
    return Status::error(Code::kDamaged,
                         "tensor '%s': its %s '%s' have type %s and %llu elements, expected %s and %llu", name, what,
                         c.name()->c_str(), schema::EnumNameTensorType(c.type()), ull{last_dimension(c)},
                         schema::EnumNameTensorType(type), ull{num_rows(t)});
  }
  return {};
}

// Blocks of columns with a scale each: I4 only, and only as the kernels take them.
Status verify_blocks(const Tensors& all, const schema::Tensor& t) {
  if (t.block() == 0) return {};
  const char* name = t.name()->c_str();
  if (t.type() != schema::TensorType::I4 || t.block() != kI4Block || last_dimension(t) % kI4Block != 0) {
    return Status::error(Code::kDamaged,
                         "tensor '%s': found blocks of %u in %llu columns of type %s, expected %u in I4", name,
                         t.block(), ull{last_dimension(t)}, schema::EnumNameTensorType(t.type()), kI4Block);
  }
  const uint64_t blocks = num_rows(t) * (last_dimension(t) / kI4Block);
  if (t.scales() < 0 || static_cast<uint32_t>(t.scales()) >= all.size() || t.row_sums() != -1) {
    return Status::error(Code::kDamaged, "tensor '%s': expected scales of its blocks and no row sums", name);
  }
  const schema::Tensor& scales = *all.Get(static_cast<uint32_t>(t.scales()));
  if (scales.type() != schema::TensorType::BF16 || scales.shape()->size() != 1 || scales.shape()->Get(0) != blocks) {
    return Status::error(
        Code::kDamaged, "tensor '%s': its scales '%s' have type %s and %llu elements, expected BF16, %llu", name,
        scales.name()->c_str(), schema::EnumNameTensorType(scales.type()), ull{last_dimension(scales)}, ull{blocks});
  }
  return {};
}

// Every block's scale is a normal number above zero.
Status verify_block_scales(const VerifiedFile& file, const schema::Tensor& scales) {
  const auto* values = reinterpret_cast<const uint16_t*>(file.bytes.data() + scales.offset());
  const size_t count = static_cast<size_t>(scales.bytes() / sizeof(uint16_t));
  for (size_t i = 0; i < count; ++i) {
    const float value = std::bit_cast<float>(uint32_t{values[i]} << 16);
    if (!(value > 0.0f) || !std::isnormal(value)) {
      return Status::error(Code::kDamaged, "tensor '%s': found scale %g at block %zu, expected a normal number above 0",
                           scales.name()->c_str(), static_cast<double>(value), i);
    }
  }
  return {};
}

// Every scale is a finite number above zero.
Status verify_scales(const VerifiedFile& file, const schema::Tensor& scales) {
  const auto* values = reinterpret_cast<const float*>(file.bytes.data() + scales.offset());
  const size_t count = static_cast<size_t>(scales.bytes() / sizeof(float));
  for (size_t i = 0; i < count; ++i) {
    if (!(values[i] > 0.0f) || !std::isfinite(values[i])) {
      return Status::error(Code::kDamaged, "tensor '%s': found scale %g at row %zu, expected a finite number above 0",
                           scales.name()->c_str(), static_cast<double>(values[i]), i);
    }
  }
  return {};
}

Status verify_companions(const VerifiedFile& file, const Tensors& all) {
  std::bitset<kMaxTensors> seen;
  uint64_t read = 0;
  for (const schema::Tensor* t : all) {
    DRAGOMAN_RETURN_IF_ERROR(verify_blocks(all, *t));
    if (t->block() == 0) DRAGOMAN_RETURN_IF_ERROR(verify_companion(all, *t, t->scales(), schema::TensorType::F32));
    DRAGOMAN_RETURN_IF_ERROR(verify_companion(all, *t, t->row_sums(), schema::TensorType::I32));
    if (t->scales() < 0 || seen[static_cast<size_t>(t->scales())]) continue;
    seen.set(static_cast<size_t>(t->scales()));
    const schema::Tensor& scales = *all.Get(static_cast<uint32_t>(t->scales()));
    // Many names for one range must not make this slower than reading the file once.
    read += scales.bytes();
    if (read > file.bytes.size()) {
      return Status::error(Code::kDamaged, "tensor '%s': scales add up to more bytes than the file has",
                           scales.name()->c_str());
    }
    DRAGOMAN_RETURN_IF_ERROR(t->block() == 0 ? verify_scales(file, scales) : verify_block_scales(file, scales));
  }
  return {};
}

Status verify_unique_names(const Tensors& all, std::span<uint32_t> order) {
  const auto name = [&](uint32_t i) {
    const flatbuffers::String* s = all.Get(i)->name();
    return std::string_view(s->c_str(), s->size());
  };
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return name(a) < name(b); });
  for (size_t i = 1; i < order.size(); ++i) {
    if (name(order[i - 1]) == name(order[i])) {
      return Status::error(Code::kDamaged, "tensor '%s': the name stands twice (tensors %u and %u)",
                           all.Get(order[i])->name()->c_str(), order[i - 1], order[i]);
    }
  }
  return {};
}

// Two tensors may be the same range (a tied weight), but not overlap otherwise.
Status verify_no_overlap(const Tensors& all, std::span<uint32_t> order) {
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const schema::Tensor &x = *all.Get(a), &y = *all.Get(b);
    return x.offset() != y.offset() ? x.offset() < y.offset() : x.bytes() < y.bytes();
  });
  const schema::Tensor* last = nullptr;
  for (uint32_t i : order) {
    const schema::Tensor* t = all.Get(i);
    if (t->bytes() == 0) continue;
    const bool same = last != nullptr && last->offset() == t->offset() && last->bytes() == t->bytes();
    if (last != nullptr && !same && t->offset() < last->offset() + last->bytes()) {
      return Status::error(Code::kDamaged, "tensors '%s' and '%s' overlap", last->name()->c_str(), t->name()->c_str());
    }
    last = t;
  }
  return {};
}

}  // namespace

Status verify_tensors(const VerifiedFile& file) {
  const Tensors& all = *file.model->tensors();
  if (all.size() > kMaxTensors) {
    return Status::error(Code::kUnsupported, "found %u tensors, at most %zu are supported", all.size(), kMaxTensors);
  }
  for (uint32_t i = 0; i < all.size(); ++i) DRAGOMAN_RETURN_IF_ERROR(verify_entry(*all.Get(i), i, file.header));
  DRAGOMAN_RETURN_IF_ERROR(verify_companions(file, all));

  const std::unique_ptr<uint32_t[]> order(new (std::nothrow) uint32_t[all.size()]);
  if (order == nullptr) return Status::error(Code::kOutOfMemory, "no memory to check %u tensors", all.size());
  const std::span<uint32_t> indices(order.get(), all.size());
  for (uint32_t i = 0; i < all.size(); ++i) indices[i] = i;
  DRAGOMAN_RETURN_IF_ERROR(verify_unique_names(all, indices));
  return verify_no_overlap(all, indices);
}

}  // namespace dragoman::model
