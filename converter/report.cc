// The conversion's account as text.
// Neighbours: report.h, and ConvertReport in converter.h.
#include "converter/report.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace dragoman::converter {
namespace {

__attribute__((format(printf, 2, 3))) void append_line(std::string& text, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char line[1024];
  std::vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  text += line;
  text += '\n';
}

double megabytes(uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

}  // namespace

Status Problems::status(const std::string& where) const {
  if (empty()) return Status();
  std::string text = where + ": ";
  text += items_.size() == 1 ? "" : std::to_string(items_.size()) + " problems: ";
  for (const std::string& item : items_) text += (&item == &items_.front() ? "" : "; ") + item;
  return Status::error(Code::kUnsupported, "%s", text.c_str());
}

std::string ConvertReport::text() const {
  std::string text;
  append_line(text, "%s -> %s", model.c_str(), output.c_str());
  append_line(text, "family      %s: %s", family.c_str(), architecture.c_str());
  append_line(text, "tensors     %llu read, %llu without use at run time left out, %llu stored",
              static_cast<unsigned long long>(num_source_tensors), static_cast<unsigned long long>(num_ignored_tensors),
              static_cast<unsigned long long>(num_tensors));
  append_line(text, "size        %.2f MB: description %.1f kB, payload %.2f MB", megabytes(file_bytes),
              megabytes(model_bytes) * 1e3, megabytes(payload_bytes));
  append_line(text, "weights     %llu kept their int8 values, %zu quantized to int8",
              static_cast<unsigned long long>(num_kept_int8), quantized.size());
  for (const std::string& line : fused) append_line(text, "fused       %s", line.c_str());
  for (const QuantizedWeight& weight : quantized) {
    append_line(text, "quantized   %s [%llu, %llu]: signal to noise %.1f dB", weight.name.c_str(),
                static_cast<unsigned long long>(weight.rows), static_cast<unsigned long long>(weight.columns),
                weight.signal_to_noise_db);
  }
  for (const std::string& note : notes) append_line(text, "note        %s", note.c_str());
  return text;
}

}  // namespace dragoman::converter
