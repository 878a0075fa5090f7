// Opens a changed tiny model and says what the loader answered.
// Neighbours: the test_verify_*.cc files list changes with the message each must cause.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "model/model_view.h"
#include "tests/support/model_builder.h"

namespace dragoman::test {

// A change of a valid model and a part of the message that refuses it.
struct BadModel {
  const char* what;
  std::function<void(ModelBuilder&)> change;
  const char* message;
  Code code = Code::kDamaged;
};

inline Status open_status(const AlignedBytes& file, model::OpenOptions options = {}) {
  const auto opened = model::ModelView::open(file.span(), options);
  return opened.ok() ? Status() : opened.status();
}

inline Status open_changed(const std::function<void(ModelBuilder&)>& change) {
  ModelBuilder builder = tiny_model_builder();
  change(builder);
  return open_status(builder.finish());
}

inline schema::TensorT& tensor_named(ModelBuilder& b, const std::string& name) {
  for (auto& t : b.model.tensors) {
    if (t->name == name) return *t;
  }
  return *b.model.tensors.at(b.model.tensors.size());  // throws: the test names a tensor that is not there
}

}  // namespace dragoman::test
