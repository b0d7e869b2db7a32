// Copies scalars, bodies and whole programs with some parts replaced. Transformations use this to
// put other indices, loads or buffers into blocks. Unchanged parts are shared with the original.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "expr/substitute.h"
#include "program/context.h"

namespace cambium::program {

// What an index expression becomes; and what a Load or Gather becomes, whose indices and operands
// have been exchanged already.
using MapIndex = std::function<Expr(Expr)>;
using MapAccess = std::function<Scalar(Scalar)>;

MapIndex keep_index();
MapAccess keep_access();
// Axes replaced and what that touched simplified.
MapIndex substituting(Context& cx, std::vector<expr::Replacement> replacements);

// A Select whose condition has become true or false is the side that it chooses.
Scalar rewrite(Context& cx, Scalar s, const MapIndex& index, const MapAccess& access);

// The same for indices, value and init of a body; iterators and target stay.
const Body* rewrite(Context& cx, const Body& body, const MapIndex& index, const MapAccess& access);

// The body with another buffer of the same shape in the place of one, read and written.
const Body* with_buffer(Context& cx, const Body& body, const Buffer* old, const Buffer* by);

// The body with a buffer in the place of one whose elements stand elsewhere in it: `moved` says
// where. Not for buffers that are gathered from.
using MapIndices = std::function<std::vector<Expr>(std::span<const Expr>)>;
const Body* with_indices(Context& cx, const Body& body, const Buffer* old, const Buffer* by,
                         const MapIndices& moved);

// The block with another body over as many iterators.
Stmt with_body(Context& cx, const Block& block, const Body* body);

// The program with each block replaced by what f makes of it (itself: no change).
Program map_blocks(Context& cx, const Program& program, const std::function<Stmt(const Block&)>& f);

// The program with one local added, removed, or replaced.
Program add_local(Context& cx, const Program& program, const Buffer* local);
Program remove_local(Context& cx, const Program& program, const Buffer* local);
Program replace_local(Context& cx, const Program& program, const Buffer* old, const Buffer* by);

}  // namespace cambium::program
