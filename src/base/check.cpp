#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace cambium {

void report_bug(const char* file, int line, const char* condition, std::string_view what) {
  std::fprintf(stderr, "%s:%d: bug in Cambium: %s is false: %.*s\n", file, line, condition,
               static_cast<int>(what.size()), what.data());
  std::abort();
}

}  // namespace cambium
