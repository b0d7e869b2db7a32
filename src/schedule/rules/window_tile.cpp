// The schedule of a reduction whose lanes are spatial (depthwise convolutions, pooling, sums over
// rows): lanes in vectors, a few neighbours side by side in registers, so that what they share of
// the window is loaded once.
#include <algorithm>
#include <array>

#include "program/code_size.h"
#include "schedule/rules/contraction.h"
#include "schedule/rules/index_digits.h"
#include "schedule/rules/kernel_rules.h"
#include "schedule/rules/sites.h"
#include "schedule/rules/tile_parts.h"

namespace cambium::schedule {

using program::Body;
using program::Buffer;
using program::Expr;
using program::Loop;
using program::Role;
using program::Site;

namespace {

constexpr std::int64_t kNeighbours = 7;  // results side by side in registers
constexpr std::int64_t kUnrolled = 96;   // multiply-adds in a row: more would not stay in registers
// Elements: neighbours then meet in few sets of a cache, and more of each at a time is better than
// more of them.
constexpr std::int64_t kWindowsFarApart = 512;
constexpr std::int64_t kStrip = 128;  // lanes: fewer of each pixel take longer to copy
constexpr std::int64_t kReuse = 4;    // products with an element of the data that pay for its copy

constexpr std::array kUnrolledSizes{kUnrolled / 4, kUnrolled, 3 * kUnrolled};

class WindowTiler {
 public:
  // What may be tried.
  struct Ways {
    bool copies = true;      // of the data, in strips
    bool by_digits = false;  // a dimension of the result for each digit of its indices
  };

  // `most_unrolled`: the largest of the sizes that may be preferred, by its number.
  WindowTiler(Draft& draft, std::string block, std::size_t most_unrolled, Ways ways)
      : draft_(draft), block_(std::move(block)), most_unrolled_(most_unrolled), ways_(ways) {}

  bool copies() const { return strip_ > 0; }

  Status run() {
    if (!lane_iterator(*site().block->body)) return leave("it has no lanes");
    if (lanes_are_apart()) return leave("its lanes are apart in memory");
    // Where it pads: what lies outside is then not multiplied.
    static_cast<void>(draft_.apply(LiftSelect{block_}));
    CAMBIUM_TRY(epilogue_, epilogue_of(draft_, block_));
    if (ways_.by_digits) CAMBIUM_REQUIRE(separate_digits());
    CAMBIUM_REQUIRE(tile_epilogue());
    CAMBIUM_REQUIRE(move_into_tile());
    CAMBIUM_REQUIRE(copy_strips());
    CAMBIUM_REQUIRE(to_registers());
    return cut_loops();
  }

 private:
  const Program& program() const { return draft_.program(); }
  Site site() const { return site_of(program(), block_); }
  std::int64_t extent_of(const std::string& loop) const {
    return program::find_loop(program(), loop)->extent();
  }
  static Rejection leave(const char* why) {
    return Rejection(Reason::NothingToDo, "window-tile", why);
  }

  // Whether neighbouring lanes read elements that are no neighbours. Constants can be packed.
  bool lanes_are_apart() {
    const Body& body = *site().block->body;
    const Expr lane = body.iterators[*lane_iterator(body)].axis;
    for (const program::Access& access : program::accesses_of(draft_.context(), body)) {
      if (access.kind != program::Access::Kind::Read || access.indices.empty()) continue;
      const auto stride = program::stride_of(*access.buffer, access.indices, lane);
      if (stride && *stride > 1 && access.buffer->role != Role::Constant) return true;
    }
    return false;
  }

  Status separate_digits() {
    const Body& body = *site().block->body;
    const DigitDims dims = digit_dims(body.indices);
    if (!dims.changes) return leave("its result has no digits");
    CAMBIUM_REQUIRE(draft_.apply(SetLayout{std::string(body.target->name), dims.apart}));
    copy_result_by_digits(draft_, block_, epilogue_, dims.together);
    return Ok{};
  }

  // The loops of the epilogue: vectors of lanes, by neighbours, by rows of these.
  Status tile_epilogue() {
    const Body& body = *site().block->body;
    const Site last = site_of(program(), epilogue_);
    const auto lane = lane_iterator(*last.block->body);
    if (!lane) return leave("its reader has no lanes");
    const auto lane_loops = loops_feeding(last, *lane);
    if (lane_loops.size() != 1) return Rejection(Reason::NotNested, epilogue_, "lanes");
    const std::string lane_loop(lane_loops[0]->name());
    wide_ = std::min(draft_.machine().lanes(), lane_loops[0]->extent());
    const Names near = reuses_neighbours(body) ? neighbour_loops(last, lane_loops[0]) : Names{};

    // Accumulators; the other registers are for what is loaded.
    const std::int64_t room = draft_.machine().vector_registers < 32 ? 8 : 16;
    is_far_ = near.empty() ? false : stride_of_tile(last, near[0]) >= kWindowsFarApart;
    if (ways_.copies && is_far_) strip_ = choose_strip(lane_loops[0]->extent());
    const std::int64_t beside = near.empty() ? 1 : choose_neighbours(extent_of(near[0]), room);
    const std::int64_t rows = near.size() < 2 ? 1 : choose_rows(extent_of(near[1]), room / beside);
    const std::int64_t vectors = choose_vectors(extent_of(lane_loop), room / (beside * rows));
    pack_constants(draft_, block_, *lane_iterator(*site().block->body), vectors * wide_);

    CAMBIUM_TRY(const Names lanes, split_lanes(lane_loop, vectors));
    std::vector<std::pair<std::string, std::string>> split;  // tiles, within one
    const std::int64_t sizes[] = {beside, rows};
    for (std::size_t i = 0; i < near.size(); ++i) {
      if (i == 1 && rows == 1) break;
      CAMBIUM_TRY(const Names made, draft_.apply(Split{near[i], {0, sizes[i]}, Tail::Guard}));
      split.emplace_back(made[0], made[1]);
    }
    for (auto pair = split.rbegin(); pair != split.rend(); ++pair) {
      outer_.push_back(pair->first);
      epilogue_tile_.push_back(pair->second);
    }
    epilogue_tile_.push_back(lanes[1]);
    epilogue_tile_.push_back(lanes[2]);
    return put_in_order(lanes[0]);
  }

  // The lanes of a tile are the last two loops, tiles the one before; strips, if any, around them.
  Result<Names> split_lanes(const std::string& loop, std::int64_t vectors) {
    if (!copies()) return draft_.apply(Split{loop, {0, vectors, wide_}, Tail::Guard});
    CAMBIUM_TRY(
        Names lanes,
        draft_.apply(Split{loop, {0, strip_ / (vectors * wide_), vectors, wide_}, Tail::Exact}));
    strips_ = lanes[0];
    lanes.erase(lanes.begin());
    return lanes;
  }

  // Lanes innermost of the loops around the tile, or outermost: a strip of channels at a time.
  // Where rows are pages apart, what is innermost takes a tile of the first half and one of the
  // second in turns: if the result begins a little behind the data within its page, what a tile
  // stores looks to the processor like what the next one loads, and that waits. The order of memory
  // is not offered then, since it is as fast where it is measured and slow elsewhere.
  Status put_in_order(const std::string& lanes) {
    if (copies()) {
      Names order = loops_inside(strips_, lanes);
      order.push_back(lanes);
      return take_order(std::move(order));
    }
    Names order;
    const std::int64_t tiles = extent_of(lanes);
    const bool in_turns = is_far_ && tiles % 2 == 0 && tiles >= 4;
    const bool outside =
        draft_.choose("lanes", {in_turns ? "in turns" : "inside", "outside"}, 0, {5, 1}) == 1;
    if (outside) {
      order = loops_inside(lanes, lanes);
    } else if (in_turns) {
      CAMBIUM_TRY(const Names halves, draft_.apply(Split{lanes, {2, tiles / 2}, Tail::Exact}));
      order = outer_;
      order.push_back(halves[1]);
      order.push_back(halves[0]);
    } else {
      order = outer_;
      order.push_back(lanes);
    }
    return take_order(std::move(order));
  }

  // All loops around the tile but that over its lanes, inside the one that is named first.
  Names loops_inside(const std::string& first, const std::string& lanes) const {
    Names order{first};
    for (const std::string& name : names_of(site_of(program(), epilogue_).loops)) {
      const auto is_named = [&](const Names& names) {
        return std::find(names.begin(), names.end(), name) != names.end();
      };
      const bool is_other = name != lanes && name != first;
      if (is_other && !is_named(outer_) && !is_named(epilogue_tile_)) order.push_back(name);
    }
    order.insert(order.end(), outer_.begin(), outer_.end());
    return order;
  }

  Status take_order(Names order) {
    around_ = order.back();
    outer_ = order;
    order.insert(order.end(), epilogue_tile_.begin(), epilogue_tile_.end());
    return put_innermost(draft_, epilogue_, order);
  }

  // The spatial loops beside the lanes, nearest in memory first; at most two.
  static Names neighbour_loops(const Site& last, const Loop* lanes) {
    const Body& body = *last.block->body;
    std::vector<std::pair<std::int64_t, std::string>> found;
    for (std::size_t i = 0; i < body.iterators.size(); ++i) {
      const auto stride = program::stride_of(*body.target, body.indices, body.iterators[i].axis);
      const auto loops = loops_feeding(last, i);
      if (!stride || loops.size() != 1 || loops[0] == lanes || body.iterators[i].extent() < 2) {
        continue;
      }
      found.emplace_back(*stride, std::string(loops[0]->name()));
    }
    std::sort(found.begin(), found.end());
    Names names;
    for (auto& [stride, name] : found) {
      if (names.size() < 2) names.push_back(std::move(name));
    }
    return names;
  }

  // Neighbours share what they load where the reduction moves over more than one dimension of work.
  static bool reuses_neighbours(const Body& body) {
    return std::count_if(body.iterators.begin(), body.iterators.end(), [](const auto& it) {
             return it.kind == program::IteratorKind::Spatial && it.extent() > 1;
           }) > 1;
  }

  static std::int64_t preferred_neighbours(std::int64_t extent) {
    std::int64_t best = 1;
    for (std::int64_t n = 1; n <= std::min(kNeighbours + 1, extent); ++n) {
      if (extent % n == 0) best = n;
    }
    return best >= 4 || best == extent ? best : std::min(kNeighbours, extent);
  }

  // Elements of the result between neighbours.
  static std::int64_t stride_of_tile(const Site& last, const std::string& loop) {
    const Body& body = *last.block->body;
    for (std::size_t i = 0; i < body.iterators.size(); ++i) {
      for (const Loop* feeding : loops_feeding(last, i)) {
        if (feeding->name() != loop) continue;
        return program::stride_of(*body.target, body.indices, body.iterators[i].axis).value_or(0);
      }
    }
    return 0;
  }

  // Of a small image whose pixels are far apart, a strip of lanes at a time is copied into the
  // first cache, where its pixels are neighbours. As they lie, they meet in few sets of that cache,
  // and what windows read again comes from the second one. 0: nothing is copied.
  std::int64_t choose_strip(std::int64_t lanes) {
    const Buffer* data = data_of(*site().block->body);
    if (data == nullptr || draft_.wants_small_code()) return 0;
    data_ = data->name;
    const std::int64_t pixels = data->elements() / lanes;
    if (pixels == 0) return 0;  // the lanes are no index of it
    const std::int64_t room = draft_.machine().l1_bytes * 4 / 5 / (pixels * size_of(data->dtype));
    std::int64_t strip = kStrip;
    while (2 * strip <= room) strip *= 2;
    const bool is_reused = work_of(site()) >= kReuse * data->elements();
    if (strip > room || !is_reused || lanes % strip != 0 || lanes < 2 * strip) return 0;
    return draft_.choose("data", {"as it is", "in strips"}, 1, {1, 3}) == 1 ? strip : 0;
  }

  // What windows are read of, if it is one buffer: not the weights.
  const Buffer* data_of(const Body& body) {
    const Buffer* found = nullptr;
    for (const program::Access& access : program::accesses_of(draft_.context(), body)) {
      if (access.kind != program::Access::Kind::Read || access.indices.empty() ||
          access.buffer == body.target || access.buffer->role == Role::Constant) {
        continue;
      }
      if (found != nullptr && found != access.buffer) return nullptr;
      found = access.buffer;
    }
    return found;
  }

  Status copy_strips() {
    if (!copies()) return Ok{};
    CAMBIUM_TRY(const Names made, draft_.apply(CacheRead{block_, data_}));
    CAMBIUM_TRY(const Names loops, draft_.apply(ComputeAt{made[0], strips_}));
    CAMBIUM_TRY(const Names lanes, draft_.apply(Split{loops.back(), {0, wide_}, Tail::Exact}));
    return make_tile(draft_, lanes);
  }

  std::int64_t choose_neighbours(std::int64_t extent, std::int64_t room) {
    const std::int64_t preferred =
        is_far_ ? std::min<std::int64_t>(extent, 4) : preferred_neighbours(extent);
    Ints numbers, weights;
    std::size_t position = 0;
    for (std::int64_t n = 1; n <= std::min({extent, room, std::int64_t{14}}); ++n) {
      if (n == preferred) position = numbers.size();
      const bool is_even = extent % n == 0;
      if (!is_even && n != preferred && (n < 3 || n > 8)) continue;
      numbers.push_back(n);
      weights.push_back((is_even ? 2 : 1) * (n >= 4 ? 3 : 1));
    }
    return draft_.choose_number("neighbours", numbers, position, weights);
  }

  std::int64_t choose_rows(std::int64_t extent, std::int64_t room) {
    Ints numbers, weights;
    for (const std::int64_t n : {1, 2, 3, 4}) {
      if (n > std::min(extent, room)) break;
      numbers.push_back(n);
      weights.push_back(n == 1 ? 4 : 2);
    }
    return numbers.size() == 1 ? 1 : draft_.choose_number("rows", numbers, 0, weights);
  }

  std::int64_t choose_vectors(std::int64_t extent, std::int64_t room) {
    Ints numbers;
    for (const std::int64_t n : {1, 2, 4}) {
      if (n <= room && n * wide_ <= extent) numbers.push_back(n);
    }
    if (numbers.size() < 2) return 1;
    // What is copied needs no more of each pixel than the latency of multiply-adds asks for.
    const bool wide = is_far_ && !(copies() && draft_.machine().vector_registers >= 32);
    return draft_.choose_number("vectors", numbers, wide ? numbers.size() - 1 : 0,
                                wide ? Ints(numbers) : Ints{});
  }

  Status move_into_tile() {
    const auto lane = lane_iterator(*site().block->body);
    CAMBIUM_REQUIRE(draft_.apply(ComputeAt{block_, around_}));
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
    if (reduce.empty()) return leave("no loop of its reduction is left");
    if (tile.empty()) return leave("no lanes are left");
    // The lanes last.
    const auto feeding = loops_feeding(at, *lane);
    const std::string lanes(feeding.back()->name());
    std::stable_partition(tile.begin(), tile.end(), [&](const auto& n) { return n != lanes; });
    // What slides along the neighbours last: they then share what they load.
    std::stable_partition(reduce.begin(), reduce.end(),
                          [&](const std::string& name) { return !slides(at, name, tile); });
    if (tile.back() == lanes && extent_of(lanes) > wide_) {
      CAMBIUM_TRY(const Names made, draft_.apply(Split{lanes, {0, wide_}, Tail::Guard}));
      tile.pop_back();
      tile.insert(tile.end(), made.begin(), made.end());
    }
    Names order = reduce;
    order.insert(order.end(), tile.begin(), tile.end());
    if (order.size() > 1) CAMBIUM_REQUIRE(draft_.apply(Reorder{order}));
    reduce_ = reduce;
    tile_loops_ = tile;
    return Ok{};
  }

  // Whether some index of what is read moves with the loop and with a loop of the tile alike.
  bool slides(const Site& at, const std::string& loop, const Names& tile) {
    const Expr axis = program::find_loop(program(), loop)->axis;
    for (const program::Access& access : program::accesses_of(draft_.context(), *at.block->body)) {
      for (Expr e : program::over_loops(draft_.context(), *at.block, access.indices)) {
        if (!program::uses(e, axis)) continue;
        for (std::size_t i = 0; i + 1 < tile.size(); ++i) {
          if (program::uses(e, program::find_loop(program(), tile[i])->axis)) return true;
        }
      }
    }
    return false;
  }

  Status to_registers() {
    CAMBIUM_TRY(const Names made, draft_.apply(DecomposeReduction{block_, reduce_.front()}));
    std::int64_t unrolled = 1;
    for (const std::string& loop : tile_loops_) {
      if (loop != tile_loops_.back()) unrolled *= extent_of(loop);
    }
    const std::size_t preferred = draft_.wants_small_code() ? 0 : is_far_ ? 2 : 1;
    const std::int64_t most =
        draft_.choose_number("unroll", Ints(kUnrolledSizes.begin(), kUnrolledSizes.end()),
                             std::min(preferred, most_unrolled_), {1, 4, 4});
    for (auto it = reduce_.rbegin(); it != reduce_.rend(); ++it) {
      unrolled *= extent_of(*it);
      if (unrolled > most) break;
      CAMBIUM_REQUIRE(draft_.apply(Unroll{*it}));
    }
    CAMBIUM_REQUIRE(make_tile(draft_, tile_loops_));
    CAMBIUM_REQUIRE(make_tile(draft_, Names(made.begin() + 1, made.end())));
    CAMBIUM_REQUIRE(make_tile(draft_, epilogue_tile_));
    const std::string target(site().block->body->target->name);
    CAMBIUM_REQUIRE(draft_.apply(Annotate{Part::Buffer, target, "space", "register", 0}));
    return Ok{};
  }

  // The inner loops first, since cutting an outer one copies them.
  Status cut_loops() {
    for (auto loop = outer_.rbegin(); loop != outer_.rend(); ++loop) {
      CAMBIUM_REQUIRE(cut_tail(draft_, *loop));
    }
    const Names loops = names_of(site().loops);
    const auto innermost = std::find(loops.begin(), loops.end(), around_);
    for (auto loop = innermost + 1; loop != loops.begin();) {
      CAMBIUM_REQUIRE(cut_borders(draft_, block_, *--loop));
    }
    return Ok{};
  }

  Draft& draft_;
  std::string block_, epilogue_;
  std::size_t most_unrolled_;
  Ways ways_;
  std::int64_t wide_ = 1;
  bool is_far_ = false;
  std::int64_t strip_ = 0;  // lanes whose data is copied; 0: it is read where it lies
  std::string strips_, data_;
  std::string around_;
  Names outer_, epilogue_tile_, tile_loops_, reduce_;
};

Status tile_window(Draft& draft, const std::string& block, std::size_t most_unrolled) {
  using Ways = WindowTiler::Ways;
  const auto before = draft.schedule().mark();
  const auto run = [&](Ways ways, bool& copied) {
    WindowTiler tiler(draft, block, most_unrolled, ways);
    Status tiled = tiler.run();
    copied = tiler.copies();
    if (!tiled.ok()) draft.schedule().back_to(before);
    return tiled;
  };
  bool copied = false;
  Status tiled = run(Ways{}, copied);
  if (!tiled.ok() && copied) tiled = run(Ways{.copies = false}, copied);
  if (tiled.ok() || !digit_dims(site_of(draft, block).block->body->indices).changes) return tiled;
  const Status apart = run(Ways{.copies = false, .by_digits = true}, copied);
  return apart.ok() ? apart : tiled;
}

}  // namespace

Status tile_window(Draft& draft, const std::string& block) {
  const Site site = site_of(draft, block);
  if (!is_reduction(*site.block->body) || is_vectorized(site)) {
    return Rejection(Reason::NothingToDo, "window-tile",
                     "it is not a reduction, or is tiled already");
  }
  // Cutting tails and borders copies the window several times: what is too large then is written
  // out less.
  const auto before = draft.schedule().mark();
  Status tiled = Ok{};
  for (std::size_t i = kUnrolledSizes.size(); i-- > 0;) {
    tiled = tile_window(draft, block, i);
    const std::int64_t lanes = draft.machine().lanes();
    if (!tiled.ok() || program::check_code_size(draft.program(), lanes).ok() || i == 0) break;
    draft.schedule().back_to(before);
  }
  return tiled;
}

}  // namespace cambium::schedule
