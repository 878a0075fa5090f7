// Passes the values that operators compute on to a caller's function.
// Neighbours: a session owns one; observe.h is its C face.
#pragma once

#include "dragoman/observe.h"
#include "ops/run_context.h"

namespace dragoman::pipeline {

class ValueObserver final : public ops::Observer {
 public:
  void set(const dragoman_observer& target) { target_ = target; }

  void value(const char* name, const float* data, size_t rows, size_t width, size_t stride) override {
    target_.value(target_.user, name, data, rows, width, stride);
  }
  void attention(const char*, size_t, const float*, size_t, size_t, size_t) override {}

 private:
  dragoman_observer target_ = {};
};

}  // namespace dragoman::pipeline
