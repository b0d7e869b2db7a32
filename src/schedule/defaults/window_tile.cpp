// The schedule of a reduction whose lanes are spatial (depthwise convolutions, pooling, sums over
// rows): lanes in vectors, a few neighbours side by side in registers, so that what they share of
// the window is loaded once.
#include <algorithm>

#include "schedule/defaults/kinds_of_work.h"
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

constexpr std::int64_t kNeighbours = 7;  // results side by side in registers
constexpr std::int64_t kUnrolled = 96;   // multiply-adds in a row: more would not stay in registers

class WindowTiler {
 public:
  WindowTiler(Schedule& s, std::string block, const Machine& machine)
      : s_(s), block_(std::move(block)), machine_(machine) {}

  Status run() {
    if (!lane_iterator(*site().block->body)) {
      return Rejection(Reason::NotElementwise, block_, "it has no lanes");
    }
    if (lanes_are_apart()) {
      return Rejection(Reason::NotElementwise, block_, "its lanes are apart in memory");
    }
    CAMBIUM_TRY(epilogue_, epilogue_of(s_, block_));
    pack_constants(s_, block_, *lane_iterator(*site().block->body));
    CAMBIUM_REQUIRE(tile_epilogue());
    CAMBIUM_REQUIRE(move_into_tile());
    return to_registers();
  }

 private:
  const Program& program() const { return s_.program(); }
  Site site() const { return site_of(program(), block_); }

  // Whether neighbouring lanes read elements that are no neighbours. Constants can be packed.
  bool lanes_are_apart() {
    const Body& body = *site().block->body;
    const Expr lane = body.iterators[*lane_iterator(body)].axis;
    for (const program::Access& access : program::accesses_of(s_.context(), body)) {
      if (access.kind != program::Access::Kind::Read || access.indices.empty()) continue;
      const auto stride = program::stride_of(*access.buffer, access.indices, lane);
      if (stride && *stride > 1 && access.buffer->role != Role::Constant) return true;
    }
    return false;
  }

  Status tile_epilogue() {
    const Body& body = *site().block->body;
    const Site last = site_of(program(), epilogue_);
    const auto lane = lane_iterator(*last.block->body);
    if (!lane) return Rejection(Reason::NotElementwise, epilogue_, "it has no lanes");
    const auto lane_loops = loops_feeding(last, *lane);
    if (lane_loops.size() != 1) return Rejection(Reason::NotNested, epilogue_, "lanes");
    const Loop* next = neighbour_loop(last, lane_loops[0]);
    const std::int64_t wide = std::min(machine_.lanes(), lane_loops[0]->extent());

    CAMBIUM_TRY(const Names lanes,
                s_.apply(Split{std::string(lane_loops[0]->name()), {0, wide}, Tail::Guard}));
    Names inner;
    std::string tiles;
    if (next != nullptr && reuses_neighbours(body)) {
      CAMBIUM_TRY(
          const Names made,
          s_.apply(Split{std::string(next->name()), {0, neighbours(next->extent())}, Tail::Guard}));
      tiles = made[0];
      inner.push_back(made[1]);
    }
    inner.push_back(lanes[1]);
    Names innermost;
    if (!tiles.empty()) innermost.push_back(tiles);
    innermost.push_back(lanes[0]);
    innermost.insert(innermost.end(), inner.begin(), inner.end());
    CAMBIUM_REQUIRE(put_innermost(s_, epilogue_, innermost));
    around_ = lanes[0];
    row_tiles_ = tiles;
    epilogue_tile_ = inner;
    return Ok{};
  }

  // The spatial loop next to the lanes in memory.
  const Loop* neighbour_loop(const Site& last, const Loop* lanes) const {
    const Body& body = *last.block->body;
    const Loop* best = nullptr;
    std::int64_t nearest = 0;
    for (std::size_t i = 0; i < body.iterators.size(); ++i) {
      const auto stride = program::stride_of(*body.target, body.indices, body.iterators[i].axis);
      const auto loops = loops_feeding(last, i);
      if (!stride || loops.size() != 1 || loops[0] == lanes || body.iterators[i].extent() < 2)
        continue;
      if (best == nullptr || *stride < nearest) {
        best = loops[0];
        nearest = *stride;
      }
    }
    return best;
  }

  // Windows of neighbours overlap, or share an operand: more than one dimension of work.
  static bool reuses_neighbours(const Body& body) {
    return std::count_if(body.iterators.begin(), body.iterators.end(), [](const auto& it) {
             return it.kind == program::IteratorKind::Spatial && it.extent() > 1;
           }) > 1;
  }

  static std::int64_t neighbours(std::int64_t extent) {
    std::int64_t best = 1;
    for (std::int64_t n = 1; n <= std::min(kNeighbours + 1, extent); ++n) {
      if (extent % n == 0) best = n;
    }
    return best >= 4 || best == extent ? best : std::min(kNeighbours, extent);
  }

  Status move_into_tile() {
    const auto lane = lane_iterator(*site().block->body);
    CAMBIUM_REQUIRE(s_.apply(ComputeAt{block_, around_}));
    const Site at = site();
    Names reduce, tile;
    bool is_inside = false;
    for (const Loop* loop : at.loops) {
      if (is_inside) {
        const bool reduces = program::feeds_of(*loop, *at.block).reduce;
        (reduces ? reduce : tile).emplace_back(loop->name());
      }
      is_inside |= loop->name() == around_;
    }
    if (reduce.empty()) return Rejection(Reason::NotAReduction, block_, "no loop of it is left");
    if (tile.empty()) return Rejection(Reason::NotElementwise, block_, "no lanes are left");
    // The lanes last.
    const auto feeding = loops_feeding(at, *lane);
    const std::string lanes(feeding.back()->name());
    std::stable_partition(tile.begin(), tile.end(), [&](const auto& n) { return n != lanes; });
    // What slides along the neighbours last: they then share what they load.
    std::stable_partition(reduce.begin(), reduce.end(),
                          [&](const std::string& name) { return !slides(at, name, tile); });
    Names order = reduce;
    order.insert(order.end(), tile.begin(), tile.end());
    if (order.size() > 1) CAMBIUM_REQUIRE(s_.apply(Reorder{order}));
    reduce_ = reduce;
    tile_loops_ = tile;
    return Ok{};
  }

  // Whether some index of what is read moves with the loop and with a loop of the tile alike.
  bool slides(const Site& at, const std::string& loop, const Names& tile) {
    const Expr axis = program::find_loop(program(), loop)->axis;
    for (const program::Access& access : program::accesses_of(s_.context(), *at.block->body)) {
      for (Expr e : program::over_loops(s_.context(), *at.block, access.indices)) {
        if (!program::uses(e, axis)) continue;
        for (std::size_t i = 0; i + 1 < tile.size(); ++i) {
          if (program::uses(e, program::find_loop(program(), tile[i])->axis)) return true;
        }
      }
    }
    return false;
  }

  Status to_registers() {
    CAMBIUM_TRY(const Names made, s_.apply(DecomposeReduction{block_, reduce_.front()}));
    std::int64_t unrolled = 1;
    for (const std::string& loop : tile_loops_) {
      if (loop != tile_loops_.back()) unrolled *= program::find_loop(program(), loop)->extent();
    }
    for (auto it = reduce_.rbegin(); it != reduce_.rend(); ++it) {
      unrolled *= program::find_loop(program(), *it)->extent();
      if (unrolled > kUnrolled) break;
      CAMBIUM_REQUIRE(s_.apply(Unroll{*it}));
    }
    CAMBIUM_REQUIRE(make_tile(s_, tile_loops_));
    CAMBIUM_REQUIRE(make_tile(s_, Names(made.begin() + 1, made.end())));
    CAMBIUM_REQUIRE(make_tile(s_, epilogue_tile_));
    const std::string target(site().block->body->target->name);
    CAMBIUM_REQUIRE(s_.apply(Annotate{Part::Buffer, target, "space", "register", 0}));
    // The inner loops first, since cutting an outer one copies them.
    CAMBIUM_REQUIRE(cut_tail(s_, around_));
    if (!row_tiles_.empty()) CAMBIUM_REQUIRE(cut_tail(s_, row_tiles_));
    const Names outer = names_of(site().loops);
    for (auto loop = std::find(outer.begin(), outer.end(), around_); loop != outer.begin();) {
      CAMBIUM_REQUIRE(cut_borders(s_, block_, *--loop));
    }
    return Ok{};
  }

  Schedule& s_;
  std::string block_, epilogue_;
  const Machine& machine_;
  std::string around_, row_tiles_;
  Names epilogue_tile_, tile_loops_, reduce_;
};

}  // namespace

Status tile_window(Schedule& s, const std::string& block, const Machine& machine) {
  Schedule trial = s;
  CAMBIUM_REQUIRE(WindowTiler(trial, block, machine).run());
  s = trial;
  return Ok{};
}

}  // namespace cambium::schedule
