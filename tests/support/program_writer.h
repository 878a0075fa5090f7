// Appends values and nodes to one program of a made-up model.
// Neighbours: model_builder.h takes the program; tiny_model.cc and tests of the engine write some.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "schema/model_generated.h"

namespace dragoman::test {

// All values are in one row space.
class ProgramWriter {
 public:
  explicit ProgramWriter(schema::RowSpace space) : program(std::make_unique<schema::ProgramT>()), space_(space) {}

  // Returns the value's index.
  uint32_t value(const std::string& name, uint32_t width, int32_t state = -1) {
    auto v = std::make_unique<schema::ValueT>();
    v->name = name;
    v->row_space = space_;
    v->width = width;
    v->state = state;
    program->values.push_back(std::move(v));
    return static_cast<uint32_t>(program->values.size() - 1);
  }

  template <typename Options>
  void node(Options options, std::vector<uint32_t> inputs, std::vector<uint32_t> outputs) {
    auto n = std::make_unique<schema::NodeT>();
    n->op.Set(std::move(options));
    n->inputs = std::move(inputs);
    n->outputs = std::move(outputs);
    program->nodes.push_back(std::move(n));
  }

  // A node and its output, a new value of `width`, whose index it returns.
  template <typename Options>
  uint32_t add(Options options, std::vector<uint32_t> inputs, uint32_t width) {
    const uint32_t output = value("value" + std::to_string(program->values.size()), width);
    node(std::move(options), std::move(inputs), {output});
    return output;
  }

  std::unique_ptr<schema::ProgramT> program;

 private:
  schema::RowSpace space_;
};

}  // namespace dragoman::test
