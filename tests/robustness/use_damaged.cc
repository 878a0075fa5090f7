#include "tests/robustness/use_damaged.h"

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

}  // namespace dragoman::test
