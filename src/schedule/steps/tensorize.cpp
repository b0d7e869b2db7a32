#include "schedule/steps/tensorize.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "expr/simplify.h"
#include "program/analysis.h"
#include "schedule/steps/annotate.h"
#include "schedule/steps/loop_kinds.h"
#include "schedule/steps/place.h"

namespace cambium::schedule {
namespace {

using namespace program;

struct Size {
  std::int64_t rows, vectors;
};
// "6x4".
std::optional<Size> parse_size(std::string_view text) {
  Size size{};
  const char* end = text.data() + text.size();
  const auto rows = std::from_chars(text.data(), end, size.rows);
  if (rows.ec != std::errc() || rows.ptr == end || *rows.ptr != 'x') return std::nullopt;
  const auto vectors = std::from_chars(rows.ptr + 1, end, size.vectors);
  if (vectors.ec != std::errc() || vectors.ptr != end) return std::nullopt;
  if (size.rows < 1 || size.vectors < 1) return std::nullopt;
  return size;
}

Rejection no_contraction(std::string_view block, std::string why) {
  return Rejection(Reason::NotAContraction, std::string(block), std::move(why));
}

// The loops of the tile, and the block in them.
struct TileLoops {
  const Loop *rows, *vectors, *lanes;
  const Block* block;
};
Result<TileLoops> tile_in(const Loop& loop) {
  Stmt s = loop.body;
  const Loop* loops[3] = {};
  for (const Loop*& inner : loops) {
    inner = as_loop(s);
    if (inner == nullptr) return no_contraction(loop.name(), "it does not hold three loops");
    s = inner->body;
  }
  const Block* block = as_block(s);
  if (block == nullptr) return no_contraction(loop.name(), "it holds more than a tile");
  return TileLoops{loops[0], loops[1], loops[2], block};
}

// How far apart in memory the iterations of a loop are; nothing where that changes.
std::optional<std::int64_t> stride(Context& cx, const Block& block, const Buffer& buffer,
                                   std::span<const Expr> indices, const Loop& loop) {
  std::vector<Expr> at = over_loops(cx, block, indices);
  for (Expr& e : at) e = expr::simplify(cx.indices(), e);
  return stride_of(buffer, at, loop.axis);
}

// Whether the value is a[row, k] * b[k, column], in either order.
Status is_product(Context& cx, const TileLoops& tile) {
  const Block& block = *tile.block;
  Scalar value = block.body->value;
  const bool multiplies = value->kind == ScalarKind::Binary && value->binary() == BinaryFn::Mul &&
                          value->operands[0]->kind == ScalarKind::Load &&
                          value->operands[1]->kind == ScalarKind::Load;
  if (!multiplies) return no_contraction(block.name, "its value is not a product of two loads");
  for (const bool swapped : {false, true}) {
    Scalar a = value->operands[swapped ? 1 : 0];
    Scalar b = value->operands[swapped ? 0 : 1];
    const auto of = [&](Scalar load, const Loop* loop) {
      return stride(cx, block, *load->buffer, load->indices, *loop);
    };
    if (of(a, tile.lanes) == 0 && of(a, tile.vectors) == 0 && of(b, tile.rows) == 0 &&
        of(b, tile.lanes) == 1) {
      return Ok{};
    }
  }
  return no_contraction(block.name, "no load is one of rows alone and the other of columns alone");
}

// Whether the target is the tile and nothing else, the lanes next to each other.
Status is_tile(Context& cx, const TileLoops& tile) {
  const Block& block = *tile.block;
  const Body& body = *block.body;
  if (body.combine != Combine::Sum) return no_contraction(block.name, "it does not sum");
  if (body.target->role != Role::Local) {
    return no_contraction(block.name, "its target is a parameter, which cannot be in registers");
  }
  if (stride(cx, block, *body.target, body.indices, *tile.lanes) != 1) {
    return no_contraction(block.name, "its lanes do not lie next to each other in the target");
  }
  for (Expr e : over_loops(cx, block, body.indices)) {
    for (Expr axis : axes_of(expr::simplify(cx.indices(), e))) {
      const bool moves = expr::value_of(expr::extent_of(axis)).factor > 1;
      if (moves && axis != tile.rows->axis && axis != tile.vectors->axis &&
          axis != tile.lanes->axis) {
        return no_contraction(block.name, "its target holds more than the tile");
      }
    }
  }
  return Ok{};
}

}  // namespace

Result<Applied> Tensorize::apply(Context& cx, const Program& program) const {
  CAMBIUM_TRY(const Loop* found, loop_named(program, loop));
  const std::optional<Size> size = parse_size(kernel);
  if (!size) return Rejection(Reason::BadFactors, kernel, "a kernel is written as 6x4");
  CAMBIUM_TRY(const TileLoops tile, tile_in(*found));
  if (!feeds_of(*found, *tile.block).reduce) {
    return no_contraction(tile.block->name, "loop '" + loop + "' does not feed its reduction");
  }
  CAMBIUM_REQUIRE(is_product(cx, tile));
  CAMBIUM_REQUIRE(is_tile(cx, tile));
  if (tile.rows->extent() != size->rows || tile.vectors->extent() != size->vectors) {
    return Rejection(Reason::BadFactors, kernel,
                     "the tile is " + std::to_string(tile.rows->extent()) + "x" +
                         std::to_string(tile.vectors->extent()));
  }
  // The tile, a row of the one factor, and an element of the other.
  const std::int64_t needed = size->rows * size->vectors + size->vectors + 1;
  if (needed > registers) {
    return Rejection(Reason::TooManyRegisters, kernel, {}, needed, registers);
  }
  const std::string target(tile.block->body->target->name);
  const std::string block(tile.block->name);
  Applied applied{program, {}};
  CAMBIUM_TRY(applied, Unroll{std::string(tile.rows->name())}.apply(cx, applied.program));
  CAMBIUM_TRY(applied, Unroll{std::string(tile.vectors->name())}.apply(cx, applied.program));
  CAMBIUM_TRY(applied, Vectorize{std::string(tile.lanes->name())}.apply(cx, applied.program));
  const Annotate space{Part::Buffer, target, "space", "register", 0};
  CAMBIUM_TRY(applied, space.apply(cx, applied.program));
  const Annotate mark{Part::Block, block, "kernel", kernel, 0};
  CAMBIUM_TRY(applied, mark.apply(cx, applied.program));
  return Applied{applied.program, {}};
}

}  // namespace cambium::schedule
