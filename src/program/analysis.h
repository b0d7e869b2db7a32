// Facts about a program: which elements a block touches and under which conditions, where a local
// lives, which loops feed which iterators, and how far apart in memory the iterations of a loop
// are. Used by transformations, the verifier, the interpreter and code generation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "program/context.h"
#include "program/walk.h"

namespace cambium::program {

// One read or write of a body. A Gather has no indices: it may touch any element.
struct Access {
  enum class Kind : std::uint8_t {
    Write,
    Read,    // a Load or Gather in the value
    Update,  // the read of the target before a sum is added to it, if the body has no init
  };
  Kind kind;
  const Buffer* buffer;
  std::span<const Expr> indices;  // over the iterators
  Scalar scalar;                  // the Load or Gather of a Read
  std::vector<Expr> guards;       // predicates over the iterators that hold whenever it happens
};

// In this order: the write, an Update, the reads in the order of the text; reads of init come last.
std::vector<Access> accesses_of(Context& cx, const Body& body);

// Appends the conjuncts of p. `a && b` has two; `!(a || b)` has the two negations.
void add_conjuncts(Context& cx, Expr p, std::vector<Expr>& conjuncts);

bool touches(const Body& body, const Buffer* buffer);  // reads or writes it
bool uses(Expr e, Expr axis);
std::vector<Expr> axes_of(Expr e);  // each once, in the order of the text

// Turns expressions over the iterators of a block into expressions over the loops around it.
Expr over_loops(Context& cx, const Block& block, Expr e);
std::vector<Expr> over_loops(Context& cx, const Block& block, std::span<const Expr> all);

// The kind of a loop for a block: which iterators of the block depend on it.
struct Feeds {
  bool spatial = false;
  bool reduce = false;
};
Feeds feeds_of(const Loop& loop, const Block& block);

// The loop in which a Local lives: at the start of each iteration, the Local has no values.
// nullptr: it lives for the whole call. It is the innermost loop around all blocks that use the
// buffer such that neither it nor a loop around it feeds a reduce iterator of a block that writes
// the buffer. A buffer that only one block uses lives for the whole call, and so do parameters.
const Loop* home_of(std::span<const Site> sites, const Buffer* buffer);

// The distance in elements between neighbouring iterations of an axis, for an access at `indices`
// (over iterators or over loops). Nothing if the distance is not constant.
std::optional<std::int64_t> stride_of(const Buffer& buffer, std::span<const Expr> indices,
                                      Expr axis);

// The blocks (positions in `sites`) that write a buffer, and those that read it.
std::vector<std::size_t> writers_of(std::span<const Site> sites, const Buffer* buffer);
std::vector<std::size_t> readers_of(std::span<const Site> sites, const Buffer* buffer);

}  // namespace cambium::program
