// Bugs, as opposed to refusals: a broken invariant prints where and what, and stops the process.
// Never used on input; input is refused with a Rejection.
#pragma once

#include <string_view>

namespace cambium {

[[noreturn]] void report_bug(const char* file, int line, const char* condition,
                             std::string_view what);

}  // namespace cambium

#define CAMBIUM_CHECK(condition, what)                 \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::cambium::report_bug(__FILE__, __LINE__, #condition, what))
