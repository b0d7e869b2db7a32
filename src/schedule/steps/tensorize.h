// Tensorize: computes a tile of a contraction with a register micro-kernel. `loop` feeds the
// reduction of one block. Below it there must be exactly the loops of the tile: rows, vectors and
// lanes (t[r, n] += a[r, k] * b[k, n], with lanes unit-stride in b and in t, and absent from a).
// Rows and vectors are unrolled, lanes vectorized, the target goes to registers (hint `space`), and
// the block gets the hint `kernel`. `kernel` is written "6x4": rows and vectors. Makes nothing.
// Refuses UnknownName, BadFactors (the text, or a tile of another size), NotAContraction, and
// TooManyRegisters if the tile does not fit `registers`.
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct Tensorize {
  static constexpr const char* kName = "tensorize";
  std::string loop;
  std::string kernel;
  std::int64_t registers = 32;
  CAMBIUM_FIELDS(f("loop", s.loop), f("kernel", s.kernel), f("registers", s.registers))
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule
