// What a program may do around the library: small stacks, fork(), many threads, any order of ends, a model file
// that is replaced while it is open.
// Neighbours: tests/support/translation.h; tests/unit/pipeline looks at the same interface from inside one thread.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/translation.h"

namespace dragoman {
namespace {

using test::OpenModel;

constexpr unsigned kPatienceSeconds = 60;
constexpr char kText[] = "ab. c d.";

// Without a test macro, for it also runs in threads and in the child of a fork().
std::string translated(dragoman_session* session) {
  std::string out(4096, '\0');
  size_t needed = 0;
  const dragoman_code code =
      dragoman_translate_text(session, kText, sizeof(kText) - 1, nullptr, out.data(), out.size(), &needed, nullptr);
  out.resize(code == DRAGOMAN_OK ? needed : 0);
  return out;
}

dragoman_session* create(const OpenModel& model, uint32_t threads) {
  const dragoman_session_options options = test::batch_options(2, threads);
  dragoman_session* session = nullptr;
  (void)dragoman_session_create(model.get(), &options, nullptr, 0, &session, nullptr);
  return session;
}

std::string translated_once(const OpenModel& model, uint32_t threads) {
  dragoman_session* session = create(model, threads);
  std::string result = session != nullptr ? translated(session) : "no session";
  dragoman_session_destroy(session);
  return result;
}

// Runs `body` in a thread with a stack of `stack_bytes`.
void run_on_stack(size_t stack_bytes, std::function<void()> body) {
  pthread_attr_t attributes;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, stack_bytes) == 0);
  pthread_t thread;
  const auto call = [](void* context) -> void* {
    (*static_cast<std::function<void()>*>(context))();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, call, &body) == 0);
  REQUIRE(pthread_join(thread, nullptr) == 0);
  pthread_attr_destroy(&attributes);
}

// The exit code of `body` in a child of this process, or -1 when it does not end by itself.
int run_in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kPatienceSeconds);
    _exit(body());
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct TemporaryFile {
  explicit TemporaryFile(const test::AlignedBytes& content)
      : path(std::filesystem::temp_directory_path() / ("dragoman_" + std::to_string(getpid()) + ".drg")) {
    write(path, content.size(), content);
  }
  ~TemporaryFile() { std::filesystem::remove(path); }

  static void write(const std::filesystem::path& path, size_t bytes, const test::AlignedBytes& content) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(content.span().data()), static_cast<std::streamsize>(bytes));
  }
  std::filesystem::path path;
};

TEST_CASE("BD-07: opening, planning and translating need a stack of 64 kB only") {
#if defined(__SANITIZE_ADDRESS__)
  SKIP("SKIPPED: frames are larger with AddressSanitizer");
#endif
  const OpenModel model(test::tiny_model());
  const std::string expected = translated_once(model, 1);
  REQUIRE_FALSE(expected.empty());
  std::string found;
  run_on_stack(64 * 1024, [&] { found = translated_once(model, 1); });
  CHECK(found == expected);
  const TemporaryFile file(test::tiny_model());
  dragoman_code code = DRAGOMAN_INTERNAL;
  run_on_stack(64 * 1024, [&] {
    dragoman_model* opened = nullptr;
    code = dragoman_model_open(file.path.c_str(), nullptr, &opened, nullptr);
    dragoman_model_close(opened);
  });
  CHECK(code == DRAGOMAN_OK);
}

TEST_CASE("BD-07: the child of a fork goes on with a session, destroys it and creates another") {
  const OpenModel model(test::tiny_model());
  for (const uint32_t threads : {1u, 3u}) {
    CAPTURE(threads);
    dragoman_session* session = create(model, threads);
    const std::string expected = translated(session);
    CHECK(run_in_child([&] {
            const bool same = translated(session) == expected;
            dragoman_session_destroy(session);
            return same && translated_once(model, threads) == expected ? 0 : 1;
          }) == 0);
    CHECK(translated(session) == expected);
    dragoman_session_destroy(session);
  }
}

TEST_CASE("BD-07: more threads than processors end in time") {
  const OpenModel model(test::tiny_model());
  const std::string expected = translated_once(model, 1);
  CHECK(run_in_child([&] { return translated_once(model, 256) == expected ? 0 : 1; }) == 0);
}

TEST_CASE("BD-03: sessions of one model work in parallel and end in any order") {
  const OpenModel model(test::tiny_model());
  const std::string expected = translated_once(model, 1);
  constexpr size_t kSessions = 8;
  std::vector<dragoman_session*> sessions;
  for (size_t i = 0; i < kSessions; ++i) sessions.push_back(create(model, 1 + i % 2));
  std::vector<std::string> found(kSessions);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kSessions; ++i) {
    threads.emplace_back([&, i] {
      found[i] = translated(sessions[i]);
      dragoman_session_destroy(sessions[i]);  // in the thread that used it
    });
  }
  for (size_t i = kSessions; i-- > 0;) threads[i].join();
  for (const std::string& text : found) CHECK(text == expected);
}

TEST_CASE("a model file that is replaced by rename leaves the open model as it was") {
  const test::AlignedBytes content = test::tiny_model();
  const TemporaryFile file(content);
  const OpenModel model(file.path.string());
  const std::string expected = translated_once(model, 1);
  const std::string part = file.path.string() + ".part";
  TemporaryFile::write(part, content.size() / 2, content);
  REQUIRE(std::rename(part.c_str(), file.path.c_str()) == 0);
  CHECK(translated_once(model, 1) == expected);
  dragoman_model* damaged = const_cast<dragoman_model*>(model.get());
  CHECK(dragoman_model_open(file.path.c_str(), nullptr, &damaged, nullptr) == DRAGOMAN_DAMAGED);
  CHECK(damaged == nullptr);
}

// Sum over the mappings of `file` of one figure of /proc/self/smaps, in kB, and the number of mappings.
std::pair<size_t, size_t> mapped_kilobytes(const std::string& file, const std::string& figure) {
  std::ifstream smaps("/proc/self/smaps");
  std::pair<size_t, size_t> result;
  bool inside = false;
  for (std::string line; std::getline(smaps, line);) {
    if (line.find('-') < line.find(':')) {  // a mapping's first line begins with its address range
      inside = line.ends_with(file);
      result.second += inside ? 1 : 0;
    } else if (inside && line.starts_with(figure + ":")) {
      result.first += std::stoul(line.substr(figure.size() + 1));
    }
  }
  return result;
}

TEST_CASE("RT-12: two models of one file share it, and nothing of it is copied") {
  const TemporaryFile file(test::tiny_model());
  const OpenModel one(file.path.string()), two(file.path.string());
  CHECK(translated_once(one, 1) == translated_once(two, 1));
  const auto [dirty_kilobytes, mappings] = mapped_kilobytes(file.path.string(), "Private_Dirty");
  CHECK(mappings == 2);
  CHECK(dirty_kilobytes == 0);
}

TEST_CASE("null handles and buffers where only a message or nothing can come back") {
  const OpenModel model(test::tiny_model());
  dragoman_model_info info = {};
  dragoman_model_get_info(nullptr, &info);
  for (const char* text : {info.name, info.family, info.licence, info.source_language, info.target_language}) {
    REQUIRE(text != nullptr);
    CHECK(std::string(text).empty());
  }
  dragoman_model_get_info(model.get(), nullptr);
  dragoman_memory memory = {1, 2, 3};
  dragoman_session_get_memory(nullptr, &memory);
  CHECK(memory.session_block == 0);
  CHECK(dragoman_describe(nullptr, "graph", nullptr, nullptr, 0) == 0);
  CHECK(dragoman_describe(model.get(), nullptr, nullptr, nullptr, 0) == 0);
  CHECK(dragoman_describe(model.get(), "graph", nullptr, nullptr, 10) > 0);
  const int32_t id = 1;
  size_t count = 0;
  CHECK(dragoman_tokenize(model.get(), DRAGOMAN_SOURCE, "ab", 2, nullptr, 9, &count, nullptr) ==
        DRAGOMAN_INVALID_ARGUMENT);
  CHECK(dragoman_detokenize(model.get(), DRAGOMAN_SOURCE, &id, 1, nullptr, 9, &count, nullptr) ==
        DRAGOMAN_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace dragoman
