// The file as bytes: layout, alignment, padding, sameness, and that no half-written file takes the final name.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>

#include "converter/formats/unnamed_file.h"
#include "converter/output_file.h"
#include "converter/writer.h"
#include "model/checksum.h"
#include "model/file_header.h"
#include "tests/unit/converter/converter_support.h"

namespace dragoman::test {
namespace {

using converter::OutputFile;

Status convert_in(const TemporaryFolder& folder) {
  converter::ConvertOptions options;
  options.input = folder.path();
  options.output = folder.path("out.drg");
  return converter::convert(options).status();
}

TEST_CASE("MF-05 every tensor starts on 64 bytes and all padding is zero", "[writer]") {
  const TemporaryFolder folder;
  MarianModelOptions made;
  made.width = 20;
  made.num_heads = 5;
  made.ffn_width = 36;
  made.source_vocabulary = made.target_vocabulary = 61;
  const ConvertedModel model = convert_made_up(folder, made);
  const std::span<const std::byte> file = model.file();
  model::FileHeader header;
  std::memcpy(&header, file.data(), sizeof(header));
  CHECK(std::memcmp(header.magic, "DRAGOMAN", 8) == 0);
  CHECK(header.revision == model::kRevision);
  CHECK(header.payload_offset % 64 == 0);
  CHECK(header.file_bytes == file.size());
  CHECK(header.payload_offset + header.payload_bytes == header.file_bytes);
  std::vector<bool> used(file.size(), false);
  std::fill_n(used.begin(), header.model_offset + header.model_bytes, true);
  for (const auto& tensor : model.description().tensors) {
    CHECK(tensor->offset % 64 == 0);
    CHECK(tensor->offset >= header.payload_offset);
    for (uint64_t i = 0; i < tensor->bytes; ++i) {
      if (used[tensor->offset + i]) FAIL("two things lie at " << tensor->offset + i);
      used[tensor->offset + i] = true;
    }
    CHECK(tensor->checksum == model::fnv1a(file.subspan(tensor->offset, tensor->bytes)));
  }
  size_t dirty = 0;
  for (size_t i = 0; i < file.size(); ++i) dirty += !used[i] && file[i] != std::byte{0} ? 1 : 0;
  CHECK(dirty == 0);
}

TEST_CASE("MF-09 the same sources give the same bytes", "[writer]") {
  const TemporaryFolder first, second;
  MarianModelOptions made;
  made.weights = MarianWeights::kFloat;
  convert_made_up(first, made);
  convert_made_up(second, made);
  CHECK(read_bytes(first.path("out.drg")) == read_bytes(second.path("out.drg")));
}

TEST_CASE("MF-09 a full disk is an error and leaves nothing behind", "[writer]") {
  const TemporaryFolder folder;
  write_marian_folder(folder.path(), {});
  const size_t before = files_in(folder.path());
  // A limit on the size of files fails writes as a full disk does, at every place in the file.
  for (const rlim_t limit : {rlim_t{0}, rlim_t{100}, rlim_t{20000}}) {
    struct rlimit saved = {};
    REQUIRE(getrlimit(RLIMIT_FSIZE, &saved) == 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    struct rlimit tight = {limit, saved.rlim_max};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &tight) == 0);
    const Status status = convert_in(folder);
    setrlimit(RLIMIT_FSIZE, &saved);
    std::signal(SIGXFSZ, handler);
    CHECK(status.code() == Code::kIo);
    CHECK(std::string(status.message()).find("out.drg") != std::string::npos);
    CHECK(files_in(folder.path()) == before);
  }
}

TEST_CASE("MF-09 a failed conversion leaves an older file as it was", "[writer]") {
  const TemporaryFolder folder;
  convert_made_up(folder, {});
  const std::vector<std::byte> older = read_bytes(folder.path("out.drg"));
  std::vector<std::byte> model = read_bytes(folder.path("model.abcd.bin"));
  model.resize(model.size() - 1);
  write_bytes(folder.path("model.abcd.bin"), model);
  CHECK_FALSE(convert_in(folder).ok());
  CHECK(read_bytes(folder.path("out.drg")) == older);
}

void kill_a_writer(const TemporaryFolder& folder, OutputFile::Temporary kind) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    auto file = OutputFile::create(folder.path("out.drg"), kind);
    const std::vector<std::byte> much(size_t{3} << 20);
    if (file.ok() && file.value()->append(much).ok()) raise(SIGKILL);
    _exit(1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
}

TEST_CASE("MF-09 a killed writer leaves nothing under the final name", "[writer]") {
  const TemporaryFolder named;
  kill_a_writer(named, OutputFile::Temporary::kNamed);
  CHECK_FALSE(std::filesystem::exists(named.path("out.drg")));
  const TemporaryFolder nameless;
  kill_a_writer(nameless, OutputFile::Temporary::kNameless);
  if (const int file = converter::open_without_name(nameless.path("out.drg")); file >= 0) {
    close(file);
    CHECK(std::filesystem::is_empty(nameless.path()));
  } else {
    WARN("this file system makes no files without a name; what a killed writer leaves was not checked");
  }
}

TEST_CASE("an output that is no plain file is refused", "[writer]") {
  const TemporaryFolder folder;
  CHECK_FALSE(converter::OutputFile::create("/dev/null").ok());
  CHECK_FALSE(converter::OutputFile::create(folder.path()).ok());
  CHECK_FALSE(converter::OutputFile::create(folder.path("no/such/folder/out.drg")).ok());
  CHECK_FALSE(converter::OutputFile::create(folder.path(std::string(300, 'x'))).ok());
}

TEST_CASE("a finished file has the usual permissions", "[writer]") {
  const TemporaryFolder folder;
  for (const auto kind : {OutputFile::Temporary::kNamed, OutputFile::Temporary::kNameless}) {
    for (const size_t bytes : {5, 3}) {  // a new file, then one in its place
      const mode_t saved = umask(022);
      auto file = OutputFile::create(folder.path("f"), kind);
      REQUIRE(file.ok());
      REQUIRE(file.value()->append(std::vector<std::byte>(bytes)).ok());
      REQUIRE(file.value()->commit().ok());
      umask(saved);
      struct stat info = {};
      REQUIRE(stat(folder.path("f").c_str(), &info) == 0);
      CHECK((info.st_mode & 0777) == 0644);
      CHECK(info.st_size == static_cast<off_t>(bytes));
      CHECK(files_in(folder.path()) == 1);
    }
    std::filesystem::remove(folder.path("f"));
  }
}

TEST_CASE("a file that is not committed leaves nothing, and an older one as it was", "[writer]") {
  for (const auto kind : {OutputFile::Temporary::kNamed, OutputFile::Temporary::kNameless}) {
    const TemporaryFolder folder;
    write_bytes(folder.path("f"), std::vector<std::byte>(7));
    {
      auto file = OutputFile::create(folder.path("f"), kind);
      REQUIRE(file.ok());
      REQUIRE(file.value()->append(std::vector<std::byte>(9)).ok());
    }
    CHECK(files_in(folder.path()) == 1);
    CHECK(read_bytes(folder.path("f")).size() == 7);
  }
}

// Writes `bytes` zeros except the first and the last byte, in pieces.
converter::StoredTensor big_tensor(const std::string& name, uint64_t bytes) {
  converter::StoredTensor tensor;
  tensor.name = name;
  tensor.type = ElementType::kU8;
  tensor.shape = {bytes};
  tensor.bytes = bytes;
  tensor.produce = [bytes](converter::ByteSink& sink) {
    std::vector<std::byte> piece(1000);
    for (uint64_t at = 0; at < bytes; at += piece.size()) {
      piece.resize(std::min<uint64_t>(piece.size(), bytes - at));
      piece.front() = at == 0 ? std::byte{1} : std::byte{0};
      if (at + piece.size() == bytes) piece.back() = std::byte{2};
      DRAGOMAN_RETURN_IF_ERROR(sink.write(piece));
    }
    return Status();
  };
  return tensor;
}

TEST_CASE("tensors are streamed in pieces and a wrong length is caught", "[writer]") {
  const TemporaryFolder folder;
  converter::TensorStore store;
  store.add(big_tensor("big", (uint64_t{3} << 20) + 17));
  store.add(big_tensor("small", 3));
  schema::ModelT model;
  model.graph = std::make_unique<schema::GraphT>();
  model.generation = std::make_unique<schema::GenerationT>();
  const Result<converter::WrittenSizes> sizes = converter::write_model(folder.path("w.drg"), model, store);
  INFO(sizes.status().message());
  REQUIRE(sizes.ok());
  const std::vector<std::byte> file = read_bytes(folder.path("w.drg"));
  REQUIRE(file.size() == sizes.value().file_bytes);
  CHECK(file[model.tensors[0]->offset] == std::byte{1});
  CHECK(file[model.tensors[0]->offset + model.tensors[0]->bytes - 1] == std::byte{2});
  CHECK(file[model.tensors[1]->offset + 2] == std::byte{2});

  converter::StoredTensor liar = big_tensor("liar", 10);
  liar.bytes = 11;
  store.add(std::move(liar));
  const Status status = converter::write_model(folder.path("l.drg"), model, store).status();
  CHECK(status.code() == Code::kInternal);
  CHECK_FALSE(std::filesystem::exists(folder.path("l.drg")));
}

}  // namespace
}  // namespace dragoman::test
