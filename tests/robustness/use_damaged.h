// What damaged files that open are used for: a session within bounded memory, and whatever a test does with it.
// Neighbours: damage.h makes the variants; tests of damaged translations count here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "dragoman/dragoman.h"
#include "tests/robustness/damage.h"

namespace dragoman::test {

// What the variants did beyond opening.
struct Uses {
  size_t sessions = 0;
  size_t refused_sessions = 0;
  size_t too_big = 0;
  size_t translated = 0;
  size_t failed = 0;
  size_t wrong = 0;  // results that break a promise of the interface

  void count(dragoman_code code) { ++(code == DRAGOMAN_OK ? translated : failed); }
};

using UseSession = std::function<void(const dragoman_model* model, dragoman_session* session)>;

// Opens a file and uses a session of it, unless that takes more than `max_session_bytes`, as a host with little memory
// would decide. True when the file was accepted.
bool open_and_use(std::span<const std::byte> file, const dragoman_session_options& options, uint64_t max_session_bytes,
                  Uses* uses, const UseSession& use);

// What a test of many variants expects: enough of them were accepted and used to mean something, no use broke a promise
// or took long.
void check_uses(const DamageReport& report, const Uses& uses);

}  // namespace dragoman::test
