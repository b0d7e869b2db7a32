// The schedule of a contraction, as BLIS and oneDNN do it: panels of the right operand in the order
// in which they are read, a tile of accumulators in registers through the whole reduction, the
// epilogue applied to the registers, tails as separate smaller tiles.
#include <algorithm>

#include <fmt/format.h>

#include "schedule/defaults/contraction.h"
#include "schedule/defaults/digits.h"
#include "schedule/defaults/kinds_of_work.h"
#include "schedule/defaults/panel_layout.h"
#include "schedule/defaults/register_tile.h"
#include "schedule/defaults/sites.h"
#include "schedule/defaults/tile_parts.h"

namespace cambium::schedule {

using program::Block;
using program::Body;
using program::Buffer;
using program::Expr;
using program::Loop;
using program::Role;
using program::Site;

namespace {

class Tiler {
 public:
  Tiler(Schedule& s, std::string block, const Machine& machine)
      : s_(s), block_(std::move(block)), machine_(machine) {}

  Status run() {
    CAMBIUM_TRY(epilogue_, epilogue_of(s_, block_));
    CAMBIUM_REQUIRE(separate_dimensions());
    merge_rows();
    CAMBIUM_REQUIRE(choose_tile());
    pack_right();
    CAMBIUM_REQUIRE(tile_epilogue());
    CAMBIUM_REQUIRE(move_into_tile());
    CAMBIUM_REQUIRE(to_registers());
    // The inner loop first, since cutting the outer one copies it.
    if (!row_tiles_.empty()) CAMBIUM_REQUIRE(cut_tail(s_, row_tiles_));
    return cut_tail(s_, panels_);
  }

 private:
  const Program& program() const { return s_.program(); }
  Site site() const { return site_of(program(), block_); }
  Site epilogue() const { return site_of(program(), epilogue_); }
  const Buffer* target() const { return site().block->body->target; }

  // A dimension of the target that holds several iterators becomes several.
  Status separate_dimensions() {
    const Body& body = *site().block->body;
    Names dims;
    bool changes = false;
    for (std::size_t i = 0; i < body.indices.size(); ++i) {
      const auto digits = digits_of(body.indices[i]);
      if (digits && digits->size() > 1) {
        changes = true;
        for (std::string& name : digits_apart(i, *digits)) dims.push_back(std::move(name));
      } else {
        dims.push_back(fmt::format("d{}", i));
      }
    }
    if (!changes) return Ok{};
    CAMBIUM_TRY(const Names made, s_.apply(SetLayout{std::string(target()->name), dims}));
    return Ok{};
  }

  // Rows and columns of an image become one iterator, so that a tile is full whatever the width.
  // Not everywhere possible; then the innermost of them is tiled.
  void merge_rows() {
    Schedule trial = s_;
    if (try_to_merge(trial).ok()) s_ = trial;
  }

  Status try_to_merge(Schedule& trial) {
    const Site at = site();
    const Body& body = *at.block->body;
    const auto c = contraction_of(body);
    if (!c) return Rejection(Reason::NotAContraction, block_, "no lanes");
    // The dimensions of the target that rows stand at, in memory order.
    std::vector<std::size_t> rows, where;
    for (std::size_t d = 0; d < body.indices.size(); ++d) {
      for (std::size_t row : c->rows) {
        if (body.indices[d] == body.iterators[row].axis) {
          rows.push_back(row);
          where.push_back(d);
        }
      }
    }
    if (rows.size() < 2 || rows.size() != c->rows.size()) {
      return Rejection(Reason::NotNested, block_, "rows");
    }
    // The same iterators of the epilogue.
    const Site last = epilogue();
    Names theirs, ours;
    Names their_loops, our_loops;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto position = iterator_at(*last.block, body.target, where[i]);
      if (!position) return Rejection(Reason::NotNested, epilogue_, "rows");
      theirs.emplace_back(expr::name_of(last.block->body->iterators[*position].axis));
      ours.emplace_back(expr::name_of(body.iterators[rows[i]].axis));
      for (const std::string& loop : names_of(loops_feeding(last, *position))) {
        their_loops.push_back(loop);
      }
      for (const std::string& loop : names_of(loops_feeding(at, rows[i]))) {
        our_loops.push_back(loop);
      }
    }
    CAMBIUM_REQUIRE(bring_together(trial, at, our_loops));
    CAMBIUM_REQUIRE(bring_together(trial, last, their_loops));
    CAMBIUM_REQUIRE(trial.apply(MergeIterators{block_, ours}));
    CAMBIUM_REQUIRE(trial.apply(MergeIterators{epilogue_, theirs}));
    return merge_dimensions(trial, body, where);
  }

  // Reorders so that the loops stand directly inside each other, at the place of the first.
  static Status bring_together(Schedule& trial, const Site& at, const Names& together) {
    Names order;
    bool done = false;
    for (const Loop* loop : at.loops) {
      const std::string name(loop->name());
      if (std::find(together.begin(), together.end(), name) == together.end()) {
        order.push_back(name);
      } else if (!done) {
        order.insert(order.end(), together.begin(), together.end());
        done = true;
      }
    }
    if (order == names_of(at.loops)) return Ok{};
    CAMBIUM_REQUIRE(trial.apply(Reorder{order}));
    return Ok{};
  }

  static Status merge_dimensions(Schedule& trial, const Body& before,
                                 const std::vector<std::size_t>& where) {
    Names dims;
    std::string merged;
    for (std::size_t i = 0; i < where.size(); ++i) {
      std::int64_t stride = 1;
      for (std::size_t j = i + 1; j < where.size(); ++j) stride *= before.target->dims[where[j]];
      merged += fmt::format("{}{}*d{}", i > 0 ? " + " : "", stride, where[i]);
    }
    for (std::size_t d = 0; d < before.target->dims.size(); ++d) {
      const bool is_row = std::find(where.begin(), where.end(), d) != where.end();
      if (!is_row) dims.push_back(fmt::format("d{}", d));
      if (d == where[0]) dims.push_back(merged);
    }
    CAMBIUM_REQUIRE(trial.apply(SetLayout{std::string(before.target->name), dims}));
    return Ok{};
  }

  // Which iterator of the reader stands, alone, at a dimension of t.
  static std::optional<std::size_t> iterator_at(const Block& reader, const Buffer* t,
                                                std::size_t dimension) {
    std::optional<std::size_t> found;
    program::for_each_scalar(reader.body->value, [&](program::Scalar scalar) {
      if (scalar->buffer != t) return;
      for (std::size_t i = 0; i < reader.body->iterators.size(); ++i) {
        if (scalar->indices[dimension] == reader.body->iterators[i].axis) found = i;
      }
    });
    return found;
  }

  Status choose_tile() {
    const Body& body = *site().block->body;
    const auto c = contraction_of(body);
    if (!c) return Rejection(Reason::NotAContraction, block_, "it has no lanes");
    const std::int64_t rows = c->rows.empty() ? 1 : body.iterators[c->rows.back()].extent();
    tile_ = register_tile(machine_, rows, body.iterators[c->lane].extent());
    return Ok{};
  }

  // Panels of the right operand, as wide as the tile, in the order of the reduction. A constant is
  // packed once, at load; anything else only where it is read often enough to pay.
  void pack_right() {
    const Body& body = *site().block->body;
    const auto c = contraction_of(body);
    if (!c || is_read_well(body, *c)) return;
    Schedule trial = s_;
    if (try_to_pack(trial, *c).ok()) s_ = trial;
  }

  // Lanes that are neighbours already are read as they are, while they stay in a near cache.
  bool is_read_well(const Body& body, const Contraction& c) const {
    const Buffer* right = c.right->buffer;
    const auto stride = program::stride_of(*right, c.right->indices, body.iterators[c.lane].axis);
    const std::int64_t bytes = right->elements() * size_of(right->dtype);
    return right->role != Role::Constant && stride == 1 && 4 * bytes < machine_.l2_bytes;
  }

  Status try_to_pack(Schedule& trial, const Contraction& c) const {
    CAMBIUM_TRY(const Names made,
                trial.apply(CacheRead{block_, std::string(c.right->buffer->name)}));
    CAMBIUM_TRY(const Names dims, panel_layout(*site().block, c, tile_.columns()));
    CAMBIUM_REQUIRE(trial.apply(SetLayout{made[1], dims}));
    return Ok{};
  }

  // The loops of the epilogue: panels, rows of tiles, then the tile.
  Status tile_epilogue() {
    const Body& body = *site().block->body;
    const auto c = contraction_of(body);
    CAMBIUM_TRY(const std::string lanes, loop_of_epilogue(c->lane));
    std::string rows;
    if (!c->rows.empty() && body.iterators[c->rows.back()].extent() > 1) {
      CAMBIUM_TRY(rows, loop_of_epilogue(c->rows.back()));
    }
    Names inner;
    if (!rows.empty()) {
      CAMBIUM_TRY(const Names made, s_.apply(Split{rows, {0, tile_.rows}, Tail::Guard}));
      row_tiles_ = made[0];
      inner.push_back(made[1]);
    }
    CAMBIUM_TRY(const Names made,
                s_.apply(Split{lanes, {0, tile_.vectors, tile_.lanes}, Tail::Guard}));
    panels_ = made[0];
    inner.push_back(made[1]);
    inner.push_back(made[2]);

    epilogue_tile_ = inner;
    Names innermost{panels_};
    if (!row_tiles_.empty()) innermost.push_back(row_tiles_);
    innermost.insert(innermost.end(), inner.begin(), inner.end());
    return put_innermost(s_, epilogue_, innermost);
  }

  // The one loop of the epilogue that moves the dimension of the target at which an iterator of the
  // contraction stands; one that moves two (c / 32 and c % 32) is split first.
  Result<std::string> loop_of_epilogue(std::size_t iterator) {
    const Body& body = *site().block->body;
    std::size_t dimension = body.indices.size();
    for (std::size_t d = 0; d < body.indices.size(); ++d) {
      if (body.indices[d] == body.iterators[iterator].axis) dimension = d;
    }
    if (dimension == body.indices.size()) {
      return Rejection(Reason::NotAContraction, block_, "an index of the result is not plain");
    }
    const Site last = epilogue();
    if (const auto position = iterator_at(*last.block, body.target, dimension)) {
      const auto loops = loops_feeding(last, *position);
      if (loops.size() == 1) return std::string(loops[0]->name());
    }
    return split_of_epilogue(last, body, dimension);
  }

  // For a dimension that the epilogue reads at e / c or e % c: the outer or inner part of e's loop.
  Result<std::string> split_of_epilogue(const Site& last, const Body& body, std::size_t dimension) {
    Expr index = nullptr;
    program::for_each_scalar(last.block->body->value, [&](program::Scalar scalar) {
      if (scalar->buffer == body.target) index = scalar->indices[dimension];
    });
    const std::vector<Expr> axes = program::axes_of(index);
    const bool is_outer = index->kind == expr::Kind::Div;
    if (axes.size() != 1 || !(is_outer || index->kind == expr::Kind::Mod)) {
      return Rejection(Reason::NotNested, epilogue_, block_);
    }
    for (std::size_t i = 0; i < last.block->body->iterators.size(); ++i) {
      if (last.block->body->iterators[i].axis != axes[0]) continue;
      const auto loops = loops_feeding(last, i);
      if (loops.size() == 2) return std::string(loops[is_outer ? 0 : 1]->name());
      const std::int64_t extent = body.target->dims[dimension];
      if (loops.size() != 1 || loops[0]->extent() % extent != 0) break;
      const std::int64_t rest = loops[0]->extent() / extent;
      CAMBIUM_TRY(const Names made,
                  s_.apply(Split{std::string(loops[0]->name()),
                                 is_outer ? Ints{extent, rest} : Ints{rest, extent}, Tail::Exact}));
      return made[is_outer ? 0 : 1];
    }
    return Rejection(Reason::NotNested, epilogue_, block_);
  }

  // The reduction under the innermost loop around the tile, the reduction outside of the tile.
  Status move_into_tile() {
    const std::string& around = row_tiles_.empty() ? panels_ : row_tiles_;
    const auto c = contraction_of(*site().block->body);
    CAMBIUM_REQUIRE(s_.apply(ComputeAt{block_, around}));
    Names reduce, tile;
    for (std::size_t i : c->reduce) {
      for (const Loop* loop : inside(i)) reduce.emplace_back(loop->name());
    }
    if (!c->rows.empty()) {
      for (const Loop* loop : inside(c->rows.back())) tile.emplace_back(loop->name());
    }
    const auto lanes = inside(c->lane);
    if (lanes.size() != 1 || reduce.empty()) {
      return Rejection(Reason::NotAContraction, block_, "it has no tile");
    }
    Names vectors{std::string(lanes[0]->name())};
    if (lanes[0]->extent() > tile_.lanes) {
      CAMBIUM_TRY(vectors, s_.apply(Split{vectors[0], {0, tile_.lanes}, Tail::Guard}));
    }
    tile.insert(tile.end(), vectors.begin(), vectors.end());

    CAMBIUM_TRY(const Names innermost, unrolled_part(reduce.back()));
    reduce.pop_back();
    reduce.insert(reduce.end(), innermost.begin(), innermost.end());
    Names order = reduce;
    order.insert(order.end(), tile.begin(), tile.end());
    CAMBIUM_REQUIRE(s_.apply(Reorder{order}));
    first_reduce_ = reduce.front();
    unrolled_ = innermost.size() > 1 ? innermost.back() : "";
    tile_loops_ = tile;
    return Ok{};
  }

  // Loops inside the tile that move an iterator of the contraction.
  std::vector<const Loop*> inside(std::size_t iterator) const {
    const std::string& around = row_tiles_.empty() ? panels_ : row_tiles_;
    const Site at = site();
    std::vector<const Loop*> loops;
    bool is_inside = false;
    for (const Loop* loop : at.loops) {
      if (is_inside && program::uses(at.block->bindings[iterator], loop->axis)) {
        loops.push_back(loop);
      }
      is_inside |= loop->name() == around;
    }
    return loops;
  }

  // A few steps of the reduction in a row, as long as the code stays small.
  Result<Names> unrolled_part(const std::string& loop) {
    const std::int64_t extent = program::find_loop(program(), loop)->extent();
    const std::int64_t body = tile_.rows * tile_.vectors;
    for (const std::int64_t steps : {4, 3, 2}) {
      if (extent % steps != 0 || extent == steps || steps * body > 128) continue;
      return s_.apply(Split{loop, {0, steps}, Tail::Exact});
    }
    return Names{loop};
  }

  Status to_registers() {
    CAMBIUM_TRY(const Names made, s_.apply(DecomposeReduction{block_, first_reduce_}));
    if (!unrolled_.empty()) CAMBIUM_REQUIRE(s_.apply(Unroll{unrolled_}));
    CAMBIUM_REQUIRE(make_tile(s_, tile_loops_));
    CAMBIUM_REQUIRE(make_tile(s_, Names(made.begin() + 1, made.end())));
    CAMBIUM_REQUIRE(make_tile(s_, epilogue_tile_));
    CAMBIUM_REQUIRE(
        s_.apply(Annotate{Part::Buffer, std::string(target()->name), "space", "register", 0}));
    return Ok{};
  }

  Schedule& s_;
  std::string block_, epilogue_;
  const Machine& machine_;
  RegisterTile tile_;
  std::string panels_, row_tiles_, first_reduce_, unrolled_;
  Names epilogue_tile_, tile_loops_;
};

}  // namespace

Status tile_contraction(Schedule& s, const std::string& block, const Machine& machine) {
  Schedule trial = s;
  CAMBIUM_REQUIRE(Tiler(trial, block, machine).run());
  s = trial;
  return Ok{};
}

}  // namespace cambium::schedule
