// A program under names that follow only from its structure. A trace refers to names, so it then
// fits every program with the same fingerprint, and a schedule tuned for one network serves
// another.
#pragma once

#include "program/context.h"

namespace cambium::program {

// The program is called `kernel`; inputs x0, x1 .., constants w0 .., outputs y0 .., locals t0 .. in
// the order of first use, blocks b0 .. and loops l0 .. in the order of the text, iterators i0 ..
// (spatial) and k0 .. (reduce) within each block. Locals that nothing uses are left out. Keeps the
// fingerprint; programs of one fingerprint become one text. For programs that are well formed.
Program canonical(Context& cx, const Program& program);

}  // namespace cambium::program
