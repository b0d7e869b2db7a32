// Copies scalars, bodies and whole programs with some parts replaced. Transformations use this to
// put other indices, loads or buffers into blocks. Unchanged parts are shared with the original.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "expr/substitute.h"
#include "program/context.h"

namespace cambium::program {

// Returns the replacement of an index expression; or of a Load or Gather, whose indices and
// operands have already been replaced.
using MapIndex = std::function<Expr(Expr)>;
using MapAccess = std::function<Scalar(Scalar)>;

MapIndex keep_index();
MapAccess keep_access();
// Replaces axes, and simplifies the changed expressions.
MapIndex substituting(Context& cx, std::vector<expr::Replacement> replacements);

// A Select whose condition became true or false is replaced by the chosen side.
Scalar rewrite(Context& cx, Scalar s, const MapIndex& index, const MapAccess& access);

// The same for indices, value and init of a body; iterators and target stay.
const Body* rewrite(Context& cx, const Body& body, const MapIndex& index, const MapAccess& access);

// The body with one buffer replaced by another of the same shape, in reads and writes.
const Body* with_buffer(Context& cx, const Body& body, const Buffer* old, const Buffer* by);

// The body with one buffer replaced by another, in which the elements have other places: `moved`
// gives their places. Not for buffers that a Gather reads.
using MapIndices = std::function<std::vector<Expr>(std::span<const Expr>)>;
const Body* with_indices(Context& cx, const Body& body, const Buffer* old, const Buffer* by,
                         const MapIndices& moved);

// The block with another body, which has as many iterators.
Stmt with_body(Context& cx, const Block& block, const Body* body);

// The program with each block replaced by the result of f. If f returns the block itself, it stays.
Program map_blocks(Context& cx, const Program& program, const std::function<Stmt(const Block&)>& f);

// The program with one local added, removed, or replaced.
Program add_local(Context& cx, const Program& program, const Buffer* local);
Program remove_local(Context& cx, const Program& program, const Buffer* local);
Program replace_local(Context& cx, const Program& program, const Buffer* old, const Buffer* by);

}  // namespace cambium::program
