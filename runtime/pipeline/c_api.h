// Shared by the files that implement dragoman.h: handles and errors.
#pragma once

#include "base/status.h"
#include "dragoman/dragoman.h"
#include "pipeline/model.h"
#include "pipeline/session.h"

namespace dragoman::pipeline {

// Handles are the objects themselves.
inline const Model& from_handle(const dragoman_model* model) { return *reinterpret_cast<const Model*>(model); }
inline Session* from_handle(dragoman_session* session) { return reinterpret_cast<Session*>(session); }
inline const Session& from_handle(const dragoman_session* session) {
  return *reinterpret_cast<const Session*>(session);
}

// Copies a Status to the caller.
dragoman_code report(const Status& status, dragoman_error* error);

// The error of a null argument.
dragoman_code report_null(const char* name, dragoman_error* error);

// `options` may be null: the defaults.
SessionOptions session_options(const dragoman_session_options* options);

}  // namespace dragoman::pipeline
