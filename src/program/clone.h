// Moves a program into another context: what keeps the memory of a long search flat is to clone
// the few programs that are kept into a fresh context and to free the old one.
#pragma once

#include "program/context.h"

namespace cambium::program {

// Equal in text and fingerprint; shares nothing with the original, whose context may go. Whatever
// was shared within the program is shared in the clone.
Program clone_into(Context& to, const Program& program);

}  // namespace cambium::program
