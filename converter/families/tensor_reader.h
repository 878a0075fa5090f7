// Accounted access to a source's tensors: wrong shapes and missing names are collected, unused ones found at the end.
// Neighbours: families/ read through it; its complaints go to Problems.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "converter/frontends/source.h"
#include "converter/report.h"

namespace dragoman::converter {

class TensorReader {
 public:
  // Both outlive the reader.
  TensorReader(const Source& source, Problems* problems) : source_(source), problems_(problems) {}

  // The tensor [rows, columns] as its framework writes shapes; 0 accepts any size. Null after noting the problem.
  const SourceTensor* matrix(const std::string& name, uint64_t rows, uint64_t columns);
  // A float tensor of `length` elements in one row or one dimension. Null after noting the problem.
  const SourceTensor* vector(const std::string& name, uint64_t length);
  // As matrix(), but null without a problem when there is none of that name.
  const SourceTensor* optional_matrix(const std::string& name, uint64_t rows, uint64_t columns) {
    return has(name) ? matrix(name, rows, columns) : nullptr;
  }
  const SourceTensor* optional_vector(const std::string& name, uint64_t length) {
    return has(name) ? vector(name, length) : nullptr;
  }
  bool has(const std::string& name) const { return source_.find(name) != nullptr; }
  // Its number of elements, 0 when there is none of that name.
  uint64_t size_of(const std::string& name) const { return has(name) ? source_.find(name)->size() : 0; }
  // The tensor has no part in the computation.
  void ignore(const std::string& name) { used_.insert(name); }
  // Every tensor that was never asked for becomes a problem.
  void finish();

 private:
  const SourceTensor* find(const std::string& name);

  const Source& source_;
  Problems* problems_;
  std::set<std::string> used_;
};

}  // namespace dragoman::converter
