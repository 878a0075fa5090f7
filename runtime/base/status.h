// Errors as values: every fallible function of the library returns a Status or a Result<T>.
// Neighbours: used by every room; the C ABI turns a Status into a code and a message.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <new>
#include <utility>

namespace dragoman {

// What kind of thing went wrong. The numbers are those of dragoman_code in dragoman.h.
enum class Code : int32_t {
  kOk = 0,
  kInvalidArgument = 1,  // the caller's option, shape or text
  kNotFound = 2,         // a file, a tensor, a language
  kIo = 3,               // the operating system refused to read or write
  kDamaged = 4,          // a file contradicts itself or its format
  kUnsupported = 5,      // well formed, but not something this build can do
  kNewerRevision = 6,    // written for a later revision of the format
  kOutOfMemory = 7,      // a block is too small or an allocation failed
  kLimit = 8,            // a limit fixed at session creation was reached
  kCancelled = 9,
  kNumerical = 10,  // NaN or infinity where a number was needed
  kInternal = 11,
};

// A code and a message that names the thing: "tensor 'x': found 3 columns, expected 4".
// Holds its message inside; copying never allocates.
class [[nodiscard]] Status {
 public:
  static constexpr int kMessageBytes = 232;

  Status() = default;
  bool ok() const { return code_ == Code::kOk; }
  Code code() const { return code_; }
  const char* message() const { return message_; }

  // printf-style; a longer message is cut at kMessageBytes - 1 bytes.
  static Status error(Code code, const char* format, ...) __attribute__((format(printf, 2, 3)));
  static Status error_va(Code code, const char* format, va_list args);

 private:
  Code code_ = Code::kOk;
  char message_[kMessageBytes] = {};
};

// A value or the Status that explains its absence. T must be movable.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : has_value_(true) { new (&value_) T(std::move(value)); }
  Result(Status status) : status_(status) {}
  Result(Result&& other) noexcept : status_(other.status_), has_value_(other.has_value_) {
    if (has_value_) new (&value_) T(std::move(other.value_));
  }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  Result& operator=(Result&&) = delete;
  ~Result() {
    if (has_value_) value_.~T();
  }

  bool ok() const { return has_value_; }
  const Status& status() const { return status_; }
  // Precondition: ok().
  T& value() { return value_; }
  const T& value() const { return value_; }

 private:
  Status status_;
  bool has_value_ = false;
  union {
    T value_;
  };
};

#define DRAGOMAN_CONCAT_INNER(a, b) a##b
#define DRAGOMAN_CONCAT(a, b) DRAGOMAN_CONCAT_INNER(a, b)

// Returns from the enclosing function when `expression` (a Status) is an error.
#define DRAGOMAN_RETURN_IF_ERROR(expression)                       \
  do {                                                             \
    ::dragoman::Status dragoman_status_local = (expression);       \
    if (!dragoman_status_local.ok()) return dragoman_status_local; \
  } while (false)

// DRAGOMAN_ASSIGN_OR_RETURN(auto x, f()) declares x from a Result or returns its Status.
#define DRAGOMAN_ASSIGN_OR_RETURN(declaration, expression) \
  DRAGOMAN_ASSIGN_OR_RETURN_INNER(DRAGOMAN_CONCAT(dragoman_result_, __LINE__), declaration, expression)
#define DRAGOMAN_ASSIGN_OR_RETURN_INNER(result, declaration, expression) \
  auto result = (expression);                                            \
  if (!result.ok()) return result.status();                              \
  declaration = std::move(result.value())

}  // namespace dragoman
