// Wrong arguments of the C interface: each gives a code and a message that names it, and changes nothing.
// Neighbours: test_memory.cc for blocks, test_ids.cc for ids.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

#include "tests/support/make_marian_model.h"
#include "tests/support/model_builder.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/translation.h"

namespace dragoman {
namespace {

using test::OpenModel;

bool mentions(const dragoman_error& error, const std::string& word) {
  return std::string(error.message).find(word) != std::string::npos;
}

struct Call {
  dragoman_error error = {};
  size_t needed = 0;
  dragoman_memory memory = {};
  dragoman_session* session = nullptr;
  dragoman_model* model = nullptr;
};

TEST_CASE("null arguments are refused by name") {
  const OpenModel model(test::tiny_model());
  const auto session = model.session(test::batch_options(1));
  test::KeepingSink keeper;
  const dragoman_sink sink = keeper.sink(), empty_sink = {};
  const dragoman_text text = {"a", 1}, null_text = {nullptr, 1};
  const dragoman_ids null_ids = {nullptr, 1};
  char out[8];
  Call c;
  const auto refused = [&c](dragoman_code code, const char* name) {
    CAPTURE(name, c.error.message);
    CHECK(code == DRAGOMAN_INVALID_ARGUMENT);
    CHECK(c.error.code == DRAGOMAN_INVALID_ARGUMENT);
    CHECK(mentions(c.error, name));
    c.error = {};
  };
  refused(dragoman_model_open(nullptr, nullptr, &c.model, &c.error), "path");
  refused(dragoman_model_open("x", nullptr, nullptr, &c.error), "model");
  refused(dragoman_model_open_memory(nullptr, 64, nullptr, &c.model, &c.error), "null");
  refused(dragoman_model_open_memory(out, 8, nullptr, nullptr, &c.error), "model");
  refused(dragoman_model_verify(nullptr, nullptr, &c.error), "path");
  refused(dragoman_required_memory(nullptr, nullptr, &c.memory, &c.error), "model");
  refused(dragoman_required_memory(model.get(), nullptr, nullptr, &c.error), "memory");
  refused(dragoman_session_create(nullptr, nullptr, nullptr, 0, &c.session, &c.error), "model");
  refused(dragoman_session_create(model.get(), nullptr, nullptr, 0, nullptr, &c.error), "session");
  refused(dragoman_translate(nullptr, &text, 1, nullptr, &sink, &c.error), "session");
  refused(dragoman_translate(session.get(), nullptr, 1, nullptr, &sink, &c.error), "inputs");
  refused(dragoman_translate(session.get(), &null_text, 1, nullptr, &sink, &c.error), "text");
  refused(dragoman_translate(session.get(), &text, 1, nullptr, nullptr, &c.error), "sink");
  refused(dragoman_translate(session.get(), &text, 1, nullptr, &empty_sink, &c.error), "sink");
  refused(dragoman_translate_ids(nullptr, &null_ids, 1, nullptr, &sink, &c.error), "session");
  refused(dragoman_translate_ids(session.get(), nullptr, 1, nullptr, &sink, &c.error), "inputs");
  refused(dragoman_translate_ids(session.get(), &null_ids, 1, nullptr, &sink, &c.error), "ids");
  refused(dragoman_translate_ids(session.get(), &null_ids, 1, nullptr, nullptr, &c.error), "sink");
  refused(dragoman_translate_text(nullptr, "a", 1, nullptr, out, 8, &c.needed, &c.error), "session");
  refused(dragoman_translate_text(session.get(), nullptr, 1, nullptr, out, 8, &c.needed, &c.error), "text");
  refused(dragoman_translate_text(session.get(), "a", 1, nullptr, nullptr, 8, &c.needed, &c.error), "out");
  refused(dragoman_translate_text(session.get(), "a", 1, nullptr, out, 8, nullptr, &c.error), "needed");
  CHECK(keeper.inputs().empty());
  // An error to fill is optional; so is everything that may be null.
  CHECK(dragoman_translate(session.get(), nullptr, 1, nullptr, &sink, nullptr) == DRAGOMAN_INVALID_ARGUMENT);
  CHECK(dragoman_translate_text(session.get(), nullptr, 0, nullptr, nullptr, 0, &c.needed, nullptr) == DRAGOMAN_OK);
  CHECK(c.needed == 0);
  dragoman_session_destroy(nullptr);
  dragoman_model_close(nullptr);
}

TEST_CASE("a successful call leaves the error as it was") {
  const OpenModel model(test::tiny_model());
  const auto session = model.session(test::batch_options(1));
  dragoman_error error = {DRAGOMAN_IO, "as it was"};
  char out[256];
  size_t needed = 0;
  CHECK(dragoman_translate_text(session.get(), "a", 1, nullptr, out, sizeof(out), &needed, &error) == DRAGOMAN_OK);
  CHECK(error.code == DRAGOMAN_IO);
  CHECK(mentions(error, "as it was"));
}

TEST_CASE("DC-04: session options out of range are refused with the range") {
  const OpenModel model(test::tiny_model());
  constexpr uint32_t kMost = std::numeric_limits<uint32_t>::max();
  struct {
    const char* name;
    uint32_t dragoman_session_options::*field;
    std::vector<uint32_t> values;
  } cases[] = {
      {"max_batch", &dragoman_session_options::max_batch, {0, 4097, kMost}},
      {"threads", &dragoman_session_options::threads, {0, 257, kMost}},
      {"max_source_tokens", &dragoman_session_options::max_source_tokens, {0, 1, 65537, kMost}},
      {"max_source_rows", &dragoman_session_options::max_source_rows, {1, 63, kMost}},
  };
  for (const auto& c : cases) {
    for (const uint32_t value : c.values) {
      CAPTURE(c.name, value);
      dragoman_session_options options = dragoman_default_session_options();
      options.*c.field = value;
      Call call;
      CHECK(dragoman_required_memory(model.get(), &options, &call.memory, &call.error) == DRAGOMAN_INVALID_ARGUMENT);
      CHECK(mentions(call.error, c.name));
      CHECK(mentions(call.error, std::to_string(value)));
      call.error = {};
      CHECK(dragoman_session_create(model.get(), &options, nullptr, 0, &call.session, &call.error) ==
            DRAGOMAN_INVALID_ARGUMENT);
      CHECK(mentions(call.error, c.name));
      CHECK(call.session == nullptr);
    }
  }
}

TEST_CASE("DC-04: the smallest and odd sizes work") {
  const OpenModel model(test::tiny_model());
  const auto expected = test::translate_one(model.session(test::batch_options(1)).get(), "ab");
  for (const uint32_t tokens : {5u, 6u, 64u, 65536u}) {
    for (const uint32_t threads : {1u, 9u}) {
      dragoman_session_options options = test::batch_options(3, threads);
      options.max_source_tokens = tokens;
      options.max_source_rows = std::min(tokens, 64u);  // the least that is allowed
      CHECK(test::translate_one(model.session(options).get(), "ab") == expected);
    }
  }
}

TEST_CASE("DC-04: a length factor that is no number from 0 to 1000 is refused") {
  const OpenModel model(test::tiny_model());
  const auto session = model.session(test::batch_options(1));
  for (const float factor : {-1.0f, -1e-30f, std::nanf(""), std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::infinity(), 1000.5f}) {
    dragoman_translate_options options = dragoman_default_translate_options();
    options.max_length_factor = factor;
    dragoman_error error = {};
    size_t needed = 0;
    CHECK(dragoman_translate_text(session.get(), "a", 1, &options, nullptr, 0, &needed, &error) ==
          DRAGOMAN_INVALID_ARGUMENT);
    CHECK(mentions(error, "max_length_factor"));
  }
  for (const float factor : {1e-30f, std::numeric_limits<float>::denorm_min(), 1000.0f}) {
    dragoman_translate_options options = dragoman_default_translate_options();
    options.max_length_factor = factor;
    const test::KeptInput result = test::translate_one(session.get(), "a", &options);
    CHECK_FALSE(result.segments[0].ids.empty());
    if (factor < 1) CHECK(result.segments[0].ids.size() == 1);
  }
}

TEST_CASE("a buffer too small gets the first bytes and the size needed") {
  const OpenModel model(test::tiny_model());
  const auto session = model.session(test::batch_options(2));
  const std::string text = " a b c. D e f.\n";
  const std::string whole = test::translate_one(session.get(), text).text();
  REQUIRE(whole.size() > 8);
  for (size_t room = 0; room <= whole.size() + 2; ++room) {
    CAPTURE(room);
    std::string out(whole.size() + 2, '#');
    size_t needed = 0;
    dragoman_error error = {};
    const dragoman_code code = dragoman_translate_text(session.get(), text.data(), text.size(), nullptr,
                                                       room > 0 ? out.data() : nullptr, room, &needed, &error);
    CHECK(code == (room < whole.size() ? DRAGOMAN_LIMIT : DRAGOMAN_OK));
    CHECK(needed == whole.size());
    const size_t written = std::min(room, whole.size());
    CHECK(out.substr(0, written) == whole.substr(0, written));
    CHECK(out.find_first_not_of('#', written) == std::string::npos);
    if (code == DRAGOMAN_LIMIT) CHECK(mentions(error, std::to_string(whole.size())));
  }
}

TEST_CASE("files that are no models are refused by name") {
  Call c;
  CHECK(dragoman_model_open("/nowhere/at/all.drg", nullptr, &c.model, &c.error) == DRAGOMAN_NOT_FOUND);
  CHECK(mentions(c.error, "/nowhere/at/all.drg"));
  const test::AlignedBytes file = test::tiny_model();
  CHECK(dragoman_model_open_memory(file.span().data(), file.size() - 1, nullptr, &c.model, &c.error) ==
        DRAGOMAN_DAMAGED);
  CHECK(dragoman_model_open_memory(file.span().data() + 1, file.size() - 1, nullptr, &c.model, &c.error) ==
        DRAGOMAN_INVALID_ARGUMENT);
  CHECK(c.model == nullptr);
}

// What both say of the same file: OK, or the same code and message.
dragoman_code verify_and_open(const std::string& path, const dragoman_model_options* options, std::string* message) {
  Call c;
  dragoman_error verified = {};
  const dragoman_code code = dragoman_model_verify(path.c_str(), options, &verified);
  CHECK(dragoman_model_open(path.c_str(), options, &c.model, &c.error) == code);
  dragoman_model_close(c.model);
  CHECK(std::string(verified.message) == c.error.message);
  *message = verified.message;
  return code;
}

TEST_CASE("verifying a file says what opening it says") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("model.drg");
  std::string message;
  CHECK(verify_and_open(path, nullptr, &message) == DRAGOMAN_NOT_FOUND);
  test::AlignedBytes file = test::tiny_model();
  test::write_bytes(path, file.span());
  CHECK(verify_and_open(path, nullptr, &message) == DRAGOMAN_OK);
  CHECK(dragoman_model_verify("/nowhere/at/all.drg", nullptr, nullptr) == DRAGOMAN_NOT_FOUND);

  file.span().back() ^= std::byte{1};  // a weight
  test::write_bytes(path, file.span());
  dragoman_model_options options = dragoman_default_model_options();
  CHECK(verify_and_open(path, &options, &message) == DRAGOMAN_OK);
  options.verify_checksums = true;
  CHECK(verify_and_open(path, &options, &message) == DRAGOMAN_DAMAGED);
  CHECK(message.find("checksum") != std::string::npos);

  test::write_bytes(path, file.span().first(file.size() / 2));
  CHECK(verify_and_open(path, nullptr, &message) == DRAGOMAN_DAMAGED);

  test::ModelBuilder builder = test::tiny_model_builder();  // what only the network's own checks refuse
  for (auto& node : builder.model.graph->encode->nodes) {
    if (node->op.type == schema::Op::SelfAttention) node->op.AsSelfAttention()->num_heads = 5;
  }
  const test::AlignedBytes misshapen = builder.finish();
  test::write_bytes(path, misshapen.span());
  CHECK(verify_and_open(path, nullptr, &message) != DRAGOMAN_OK);
  CHECK(message.find("5 heads") != std::string::npos);
}

}  // namespace
}  // namespace dragoman
