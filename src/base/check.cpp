#include "base/check.h"

#include <cstdio>
#include <cstdlib>

#include "base/escape.h"

namespace cambium {

void report_bug(const char* file, int line, const char* condition, std::string_view what) {
  std::fprintf(stderr, "%s:%d: bug in Cambium: %s is false: %s\n", file, line, condition,
               terminal_lines(what).c_str());
  std::abort();
}

}  // namespace cambium
