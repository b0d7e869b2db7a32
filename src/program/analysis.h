// Facts about a program for transformations, the verifier, the interpreter and code generation:
// which elements a block touches and under which conditions, where a local lives, which loops feed
// which iterators, and how far apart in memory the iterations of a loop are.
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
    Update,  // the read of the target before it is combined, where the body has no init
  };
  Kind kind;
  const Buffer* buffer;
  std::span<const Expr> indices;  // over the iterators
  Scalar scalar;                  // the Load or Gather of a Read
  std::vector<Expr> guards;       // predicates over the iterators that hold wherever it happens
};

// The write first, then an Update, then reads in the order of the text (those of init last).
std::vector<Access> accesses_of(Context& cx, const Body& body);

// Appends the conjuncts of p: of `a && b` both, of `!(a || b)` both negations.
void add_conjuncts(Context& cx, Expr p, std::vector<Expr>& conjuncts);

bool touches(const Body& body, const Buffer* buffer);  // reads or writes it
bool uses(Expr e, Expr axis);
std::vector<Expr> axes_of(Expr e);  // each once, in the order of the text

// Expressions over the iterators of a block as expressions over the loops around it.
Expr over_loops(Context& cx, const Block& block, Expr e);
std::vector<Expr> over_loops(Context& cx, const Block& block, std::span<const Expr> all);

// What a loop does for a block: which of its iterators move with it.
struct Feeds {
  bool spatial = false;
  bool reduce = false;
};
Feeds feeds_of(const Loop& loop, const Block& block);

// Where a Local lives: it begins without values in every iteration of this loop (nullptr: once per
// call). It is the innermost loop around all blocks that use the buffer such that neither it nor a
// loop around it feeds a reduce iterator of a block that writes the buffer. A buffer that is used
// by one block only lives once per call, as do parameters.
const Loop* home_of(std::span<const Site> sites, const Buffer* buffer);

// Elements between neighbours along an axis when an access is at `indices` (which may be over
// iterators or over loops); nothing when the distance is not the same everywhere.
std::optional<std::int64_t> stride_of(const Buffer& buffer, std::span<const Expr> indices,
                                      Expr axis);

// The blocks (positions in `sites`) that write a buffer, and those that read it.
std::vector<std::size_t> writers_of(std::span<const Site> sites, const Buffer* buffer);
std::vector<std::size_t> readers_of(std::span<const Site> sites, const Buffer* buffer);

}  // namespace cambium::program
