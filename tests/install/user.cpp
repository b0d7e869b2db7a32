// Uses an installed Cambium: exit code 0 if what was linked answers as it should.
#include <cstdio>
#include <vector>

#include "base/features.h"
#include "base/random.h"
#include "base/text.h"

int main() {
  std::printf("Cambium %.*s\n", static_cast<int>(cambium::version().size()),
              cambium::version().data());
  cambium::Rng rng(1);
  const bool same_numbers = rng.next_u64() == 13521585773706572465u;
  const cambium::Result<std::int64_t> refused = cambium::parse_int("12x");
  std::printf("refused: %s\n", refused.rejection().message().c_str());
  return same_numbers && !refused.ok() ? 0 : 1;
}
