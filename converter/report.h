// What a conversion did, gathered on the way and printed at its end; and what it refuses, gathered before it refuses.
// Neighbours: graph/ and quantize/ add lines, convert.cc returns the report, the CLI prints it.
#pragma once

#include <string>
#include <vector>

#include "converter/converter.h"

namespace dragoman::converter {

// Reasons against a conversion. All are collected before any is reported, so that one run shows them all.
class Problems {
 public:
  void add(std::string problem) { items_.push_back(std::move(problem)); }
  bool empty() const { return items_.empty(); }
  const std::vector<std::string>& items() const { return items_; }

  // Ok when there are none; else kUnsupported with their number and as many of them as the message holds.
  Status status(const std::string& where) const;

 private:
  std::vector<std::string> items_;
};

}  // namespace dragoman::converter
