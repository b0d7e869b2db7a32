// Copies a program into another context. A long search clones the few programs that it keeps into a
// fresh context and frees the old one, so its memory use stays flat.
#pragma once

#include <string>
#include <unordered_map>

#include "program/context.h"

namespace cambium::program {

// The clone has the same text and fingerprint. It shares nothing with the original, whose context
// may be freed. Parts that the original shares within itself are shared in the clone, too.
Program clone_into(Context& to, const Program& program);

// New names for the parts of a clone. Iterators are named by kind and position: i0, i1, k0.
struct CloneNames {
  std::string program;
  std::unordered_map<const Buffer*, std::string> buffers;
  std::unordered_map<const Block*, std::string> blocks;
  std::unordered_map<Expr, std::string> loops;  // by axis
};
// The clone has the same fingerprint. `names` must have a name for every buffer, block and loop.
Program clone_into(Context& to, const Program& program, const CloneNames& names);

}  // namespace cambium::program
