// Renames a program so that all names follow from its structure alone. A trace refers to names.
// With canonical names it fits every program with the same fingerprint, and a schedule that was
// tuned for one network serves another.
#pragma once

#include "program/context.h"

namespace cambium::program {

// The program is called `kernel`; inputs x0, x1 .., constants w0 .., outputs y0 .., locals t0 .. in
// the order of first use, blocks b0 .. and loops l0 .. in the order of the text, iterators i0 ..
// (spatial) and k0 .. (reduce) within each block. Unused locals are left out. The fingerprint stays
// the same. Programs with equal fingerprints get equal texts. Expects a well-formed program.
Program canonical(Context& cx, const Program& program);

}  // namespace cambium::program
