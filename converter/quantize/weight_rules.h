// Which weight is stored in which type: a default and patterns over names.
// Neighbours: graph/weights asks for every matrix, convert.cc asks at the end for patterns that named nothing.
#pragma once

#include <string>
#include <vector>

#include "converter/converter.h"

namespace dragoman::converter {

// Whether all of `name` fits `pattern`, in which '*' stands for any characters and '?' for one.
bool matches_pattern(const std::string& pattern, const std::string& name);

class WeightRules {
 public:
  WeightRules(WeightType all, std::vector<WeightRule> rules) : all_(all), rules_(std::move(rules)) {}

  // The type chosen for the weight matrix `name`; remembers which patterns named it.
  WeightType type_of(const std::string& name);

  // One reason against each pattern that named no matrix. `tensors` are all names of the network.
  std::vector<std::string> complaints(const std::vector<std::string>& tensors) const;

 private:
  WeightType all_;
  std::vector<WeightRule> rules_;
  std::vector<std::string> matrices_;  // asked for so far
};

}  // namespace dragoman::converter
