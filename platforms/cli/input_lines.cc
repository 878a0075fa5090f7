// Opens one source after another; a bad one costs its own lines only.
#include "input_lines.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "exit_code.h"

namespace dragoman::cli {
namespace {

bool is_standard_input(const std::string& file) { return file == "-"; }

bool is_regular(const std::string& file, struct stat* facts) {
  return !is_standard_input(file) && stat(file.c_str(), facts) == 0 && S_ISREG(facts->st_mode);
}

}  // namespace

InputLines::InputLines(std::vector<std::string> texts, std::vector<std::string> files)
    : texts_(std::move(texts)), files_(std::move(files)) {
  if (texts_.empty() && files_.empty()) files_.push_back("-");
  for (const std::string& file : files_) {
    struct stat facts;
    if (!is_regular(file, &facts)) {
      total_bytes_ = 0;
      break;
    }
    total_bytes_ += static_cast<uint64_t>(facts.st_size);
  }
}

InputLines::~InputLines() { close_current(); }

void InputLines::close_current() {
  if (reader_) closed_bytes_ += reader_->bytes_read();
  reader_.reset();
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

bool InputLines::open_next() {
  if (next_text_ < texts_.size()) {
    // An empty argument is one blank line, not no line at all.
    reader_.emplace(texts_[next_text_++] + "\n");
    return true;
  }
  while (next_file_ < files_.size()) {
    source_ = files_[next_file_++];
    number_ = 0;
    if (is_standard_input(source_)) {
      source_.clear();
      reader_.emplace(STDIN_FILENO);
      return true;
    }
    descriptor_ = open(source_.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ >= 0) {
      reader_.emplace(descriptor_);
      return true;
    }
    complain("cannot open " + source_ + ": " + std::strerror(errno));
    file_failed_ = true;
  }
  return false;
}

bool InputLines::next(Line* line) {
  for (;;) {
    if (!reader_ && !open_next()) return false;
    const LineReader::Next what = reader_->next(line);
    if (what == LineReader::Next::kLine) {
      line->source = source_;
      line->number = ++number_;
      return true;
    }
    if (what == LineReader::Next::kError) {
      const std::string name = source_.empty() ? "standard input" : source_;
      complain("cannot read " + name + ": " + std::strerror(reader_->error()));
      file_failed_ = true;
    }
    close_current();
  }
}

bool InputLines::ready() {
  if (reader_) return reader_->ready();
  if (next_text_ < texts_.size() || next_file_ == files_.size()) return true;
  struct stat facts;
  return is_regular(files_[next_file_], &facts);  // opening a pipe may wait
}

bool InputLines::reads_output(const std::string& output) const {
  struct stat wanted;
  const int missing = output.empty() ? fstat(STDOUT_FILENO, &wanted) : stat(output.c_str(), &wanted);
  if (missing != 0 || !S_ISREG(wanted.st_mode)) return false;
  for (const std::string& file : files_) {
    struct stat facts;
    const int failed = is_standard_input(file) ? fstat(STDIN_FILENO, &facts) : stat(file.c_str(), &facts);
    if (failed == 0 && facts.st_dev == wanted.st_dev && facts.st_ino == wanted.st_ino) return true;
  }
  return false;
}

bool is_same_file(const std::string& one, const std::string& other) {
  struct stat first, second;
  if (stat(one.c_str(), &first) != 0 || stat(other.c_str(), &second) != 0 || !S_ISREG(first.st_mode)) return false;
  return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

std::string line_name(const Line& line) {
  const std::string number = "line " + std::to_string(line.number) + ": ";
  return line.source.empty() ? number : line.source + ": " + number;
}

}  // namespace dragoman::cli
