// Copies a program into another context. A long search clones the few programs that it keeps into a
// fresh context and frees the old one, which keeps its memory flat.
#pragma once

#include <string>
#include <unordered_map>

#include "program/context.h"

namespace cambium::program {

// Equal in text and fingerprint; shares nothing with the original, whose context may go. Whatever
// was shared within the program is shared in the clone.
Program clone_into(Context& to, const Program& program);

// Other names for the parts of a clone. Iterators are called by kind and position: i0, i1, k0.
struct CloneNames {
  std::string program;
  std::unordered_map<const Buffer*, std::string> buffers;
  std::unordered_map<const Block*, std::string> blocks;
  std::unordered_map<Expr, std::string> loops;  // by axis
};
// Equal in fingerprint. All buffers, blocks and loops have names in `names`.
Program clone_into(Context& to, const Program& program, const CloneNames& names);

}  // namespace cambium::program
