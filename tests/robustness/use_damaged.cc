#include "tests/robustness/use_damaged.h"

#include <catch2/catch_test_macros.hpp>

namespace dragoman::test {

bool open_and_use(std::span<const std::byte> file, const dragoman_session_options& options, uint64_t max_session_bytes,
                  Uses* uses, const UseSession& use) {
  dragoman_model* model = nullptr;
  if (dragoman_model_open_memory(file.data(), file.size(), nullptr, &model, nullptr) != DRAGOMAN_OK) return false;
  dragoman_memory memory = {};
  dragoman_session* session = nullptr;
  const bool measured = dragoman_required_memory(model, &options, &memory, nullptr) == DRAGOMAN_OK;
  if (measured && memory.session_block > max_session_bytes) {
    ++uses->too_big;
  } else if (!measured || dragoman_session_create(model, &options, nullptr, 0, &session, nullptr) != DRAGOMAN_OK) {
    ++uses->refused_sessions;
  } else {
    ++uses->sessions;
    use(model, session);
    dragoman_session_destroy(session);
  }
  dragoman_model_close(model);
  return true;
}

void check_uses(const DamageReport& report, const Uses& uses) {
  CAPTURE(report.variants, report.accepted, uses.sessions, uses.refused_sessions, uses.too_big, uses.translated,
          uses.failed);
  CAPTURE(report.slowest.kind, report.slowest.position, report.slowest.value, report.slowest_ms);
  CHECK(report.variants >= 500);
  CHECK(report.accepted > 100);
  CHECK(uses.sessions > 100);
  CHECK(uses.translated > uses.failed);
  CHECK(uses.wrong == 0);
  CHECK(report.slowest_ms < 5000.0);
}

}  // namespace dragoman::test
