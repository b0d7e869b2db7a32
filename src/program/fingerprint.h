// Identifies a program independently of its names. These count: parameters by position and locals
// by first use, with type, dims, role and annotations; the tree of loops and blocks with kinds,
// extents and annotations; bindings and predicates, with loops numbered in pre-order; and what
// blocks compute. These do not count: names, the order in which locals are declared, and unused
// locals. Two programs with the same fingerprint run and schedule alike.
#pragma once

#include "base/fingerprint.h"
#include "program/program.h"
#include "program/words.h"

namespace cambium::program {

// Fast: bodies of blocks were hashed when they were made, so only loops and bindings are visited.
Fingerprint fingerprint_of(const Program& program);

// The same for many versions in a row; reuses its memory.
class Fingerprinter {
 public:
  Fingerprint operator()(const Program& program);

 private:
  void visit(Stmt s);
  void add_block(const Block& block);
  void add_buffer(const Buffer* buffer);
  void describe(const Buffer* buffer);

  Words words_;
  std::vector<const Buffer*> buffers_;  // by number
  std::vector<std::pair<Expr, std::uint64_t>>
      around_;  // the loops around the current statement, and their numbers
  std::uint64_t loops_ = 0;
};

}  // namespace cambium::program
