// A file that appears under its name complete or not at all.
// Neighbours: the writer fills it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace dragoman::converter {

// Writes to a temporary file in the target's folder; commit() makes it durable and gives it its name. Without commit()
// the target is as it was. A killed process leaves nothing where the system makes files without a name and names them
// later (for the moment in which one takes an older file's place, it is ".dragoman-" + process + number); else it may
// leave the temporary file (target name + ".part-" + six letters), never a partial target.
class OutputFile {
 public:
  enum class Temporary : uint8_t { kNameless, kNamed };

  // Refuses a target that exists and is not a regular file. kNameless becomes kNamed where the system cannot do it.
  static Result<std::unique_ptr<OutputFile>> create(const std::string& path, Temporary kind = Temporary::kNameless);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Appends, buffered.
  Status append(std::span<const std::byte> bytes);
  // Zeros up to `position`, which is not before the end.
  Status pad_to(uint64_t position);
  // Overwrites bytes that were appended before.
  Status overwrite(uint64_t position, std::span<const std::byte> bytes);
  uint64_t size() const { return size_; }
  // Hands everything appended so far to the operating system: temporary_path() then reads as the file will.
  Status flush();
  std::string temporary_path() const;
  Status commit();

 private:
  OutputFile(std::string path, std::string temporary, int descriptor);
  Status give_name();
  Status write_at(uint64_t position, std::span<const std::byte> bytes);
  Status error(const char* what) const;

  std::string path_;
  std::string temporary_;  // empty as long as the file has no name
  int descriptor_;
  uint64_t size_ = 0;
  std::vector<std::byte> buffer_;  // the last bytes of the file, not yet written
};

}  // namespace dragoman::converter
