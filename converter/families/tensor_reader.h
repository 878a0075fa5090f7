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
  bool has(const std::string& name) const { return source_.find(name) != nullptr; }
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
