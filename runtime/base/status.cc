#include "base/status.h"

#include <cstdio>

namespace dragoman {

Status Status::error_va(Code code, const char* format, va_list args) {
  Status status;
  status.code_ = code;
  std::vsnprintf(status.message_, sizeof(status.message_), format, args);
  return status;
}

Status Status::error(Code code, const char* format, ...) {
  va_list args;
  va_start(args, format);
  Status status = error_va(code, format, args);
  va_end(args);
  return status;
}

}  // namespace dragoman
