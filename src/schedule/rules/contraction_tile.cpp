// The schedule of a contraction, as BLIS and oneDNN do it: panels of the right operand in the order
// in which they are read, a tile of accumulators in registers through the whole reduction, the
// epilogue applied to the registers, tails as separate smaller tiles.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "schedule/rules/contraction.h"
#include "schedule/rules/index_digits.h"
#include "schedule/rules/kernel_rules.h"
#include "schedule/rules/merge_rows.h"
#include "schedule/rules/outer_loops.h"
#include "schedule/rules/panel_layout.h"
#include "schedule/rules/register_tile.h"
#include "schedule/rules/sites.h"
#include "schedule/rules/skip_padding.h"
#include "schedule/rules/split_contraction.h"
#include "schedule/rules/tile_parts.h"

namespace cambium::schedule {

using program::Body;
using program::Buffer;
using program::Loop;
using program::Role;
using program::Site;

namespace {

constexpr std::int64_t kWidestSkipped =
    13;  // with some 24 accumulators, 320 multiply-adds in a row

class Tiler {
 public:
  // The transformations that a run may use. Some cannot be applied or proved for every block; the
  // rule then runs again without them.
  struct Ways {
    bool splits_sums = true, puts_terms_in_lanes = true;
  };

  Tiler(Draft& draft, std::string block, Ways ways)
      : draft_(draft), block_(std::move(block)), ways_(ways) {}

  // What to try after this run was refused: the same without one transformation that it used.
  // Nothing if it used none.
  std::optional<Ways> simpler() const {
    if (is_split_) return Ways{false, ways_.puts_terms_in_lanes};
    if (tile_.terms > 1) return Ways{ways_.splits_sums, false};
    return std::nullopt;
  }

  Status run() {
    treat_padding();
    CAMBIUM_REQUIRE(split_sums(ways_.splits_sums));
    CAMBIUM_REQUIRE(separate_dimensions());
    if (!skips_) merge_pixels();
    CAMBIUM_REQUIRE(choose_tile());
    order_reduction();
    CAMBIUM_REQUIRE(pack_right());
    CAMBIUM_TRY(around_,
                tile_outer_loops(draft_, block_, epilogue_, result_tile(), {skips_, blocks_}));
    CAMBIUM_REQUIRE(move_into_tile());
    CAMBIUM_REQUIRE(to_registers());
    if (!blocks_.empty()) CAMBIUM_REQUIRE(finish_blocks());
    // Inner loops first, since cutting an outer one copies them.
    for (const std::string& loop : around_.cuts) CAMBIUM_REQUIRE(cut_tail(draft_, loop));
    return skips_ ? cut_where_decided(draft_, block_, around_.innermost()) : Status(Ok{});
  }

 private:
  const Program& program() const { return draft_.program(); }
  Site site() const { return site_of(program(), block_); }
  const Buffer* target() const { return site().block->body->target; }

  // Zeros around an image: copied with it, or left out of the sums. Leaving them out saves work and
  // a copy, though a tile then lies within one row of the image, and the window along that row is
  // written out: that is not preferred of a wide one.
  void treat_padding() {
    const auto padding = padding_of(program(), block_);
    if (!padding) return;
    const auto before = draft_.schedule().mark();
    const bool is_possible = inline_padding(draft_, block_, *padding).ok();
    const bool is_wide = is_possible && widest_window() > kWidestSkipped;
    draft_.schedule().back_to(before);
    const std::size_t preferred = is_wide || draft_.wants_small_code() ? 0 : 1;
    if (!is_possible || draft_.branch("padding", {"copied", "skipped"}, preferred, {1, 3}) == 0) {
      return;
    }
    skips_ = inline_padding(draft_, block_, *padding).ok();
  }

  // The longest loop of the reduction that a condition of the sum asks about.
  std::int64_t widest_window() const {
    const Body& body = *site().block->body;
    const program::Expr condition = condition_of(body);
    std::int64_t widest = 1;
    for (const program::Iterator& it : body.iterators) {
      if (it.kind != program::IteratorKind::Reduce || condition == nullptr) continue;
      if (program::uses(condition, it.axis)) widest = std::max(widest, it.extent());
    }
    return widest;
  }

  // The reduction whole, or in parts. Blocks of it are added to the result by what would be the
  // epilogue otherwise.
  Status split_sums(bool may_split) {
    const std::string whole = block_;
    SplitReduction split;
    if (may_split) {
      is_split_ = true;  // tried, should it be refused
      CAMBIUM_TRY(split, split_reduction(draft_, block_));
    }
    is_split_ = split.how != Sums::Whole;
    if (is_split_) block_ = split.partial;
    if (split.how == Sums::InBlocks) {
      epilogue_ = whole;
      blocks_ = split.parts;
      return Ok{};
    }
    CAMBIUM_TRY(epilogue_, epilogue_of(draft_, block_));
    return Ok{};
  }

  // A dimension of the target that holds several iterators becomes several.
  Status separate_dimensions() {
    const DigitDims dims = digit_dims(site().block->body->indices);
    if (!dims.changes) return Ok{};
    bool takes_all = true;
    for (std::size_t i = 0; i < target()->dims.size(); ++i) takes_all &= epilogue_takes_all(i);
    CAMBIUM_REQUIRE(draft_.apply(SetLayout{std::string(target()->name), dims.apart}));
    if (!takes_all || has_ragged_digit()) {
      copy_result_by_digits(draft_, block_, epilogue_, dims.together);
    }
    return Ok{};
  }

  // Not all: of phases that all have the same steps, the output may be the beginning.
  bool epilogue_takes_all(std::size_t dimension) const {
    const program::Block& last = *site_of(program(), epilogue_).block;
    const auto it = iterator_at(last, target(), dimension);
    return !it || last.body->iterators[*it].extent() == target()->dims[dimension];
  }

  // Whether columns (channels of a group) are digits of what the epilogue counts, and do not fill
  // their vectors.
  bool has_ragged_digit() const {
    const Body& body = *site().block->body;
    const auto c = contraction_of(body);
    return c && body.iterators[c->lane].extent() % draft_.machine().lanes() != 0 &&
           is_digit(c->lane);
  }

  // Not everywhere possible; otherwise the innermost of the rows is tiled.
  void merge_pixels() {
    const auto before = draft_.schedule().mark();
    const bool is_possible = merge_rows(draft_, block_, epilogue_).ok();
    draft_.schedule().back_to(before);
    if (!is_possible) return;
    if (draft_.choose("pixels", {"merged", "by rows"}, 0, {3, 1}) == 1) return;
    static_cast<void>(merge_rows(draft_, block_, epilogue_));
  }

  Status choose_tile() {
    const Body& body = *site().block->body;
    const auto c = contraction_of(body);
    if (!c) return Rejection(Reason::NotAContraction, block_, "it has no lanes");
    ResultShape result;
    result.columns = body.iterators[c->lane].extent();
    result.even_columns = is_digit(c->lane);
    if (!c->rows.empty()) {
      result.rows = body.iterators[c->rows.back()].extent();
      result.even_rows = is_digit(c->rows.back());
    }
    const RegisterTiles tiles = choose_terms(*c, result);
    tile_ = tiles.tile(draft_.micro_kernel("tile", tiles.shapes, tiles.best, tiles.weights));
    return Ok{};
  }

  // The tiles with as many terms of a sum side by side in a vector as promise most. More than one
  // may only pay where columns do not fill their vectors.
  RegisterTiles choose_terms(const Contraction& c, ResultShape result) {
    std::vector<RegisterTiles> found{register_tiles(draft_.machine(), result)};
    if (!lanes_take_terms(c, result)) return found[0];
    const Body& body = *site().block->body;
    for (std::size_t i : c.reduce) result.sum *= body.iterators[i].extent();
    result.packs_in_each_run = c.right->buffer->role != Role::Constant;
    Ints terms{1};
    std::size_t best = 0;
    for (const std::int64_t n : {2, 4}) {
      if (body.iterators[c.reduce.back()].extent() % n != 0) break;
      result.terms = n;
      RegisterTiles tiles = register_tiles(draft_.machine(), result);
      if (tiles.shapes.empty()) break;
      if (tiles.cost < found[best].cost) best = found.size();
      found.push_back(std::move(tiles));
      terms.push_back(n);
    }
    if (terms.size() == 1) return found[0];
    const std::int64_t chosen = draft_.choose_number("terms in lanes", terms, best);
    return found[static_cast<std::size_t>(std::find(terms.begin(), terms.end(), chosen) -
                                          terms.begin())];
  }

  // Whether neighbouring terms can stand side by side: they are neighbours in the left operand, and
  // the right one can be packed for it.
  bool lanes_take_terms(const Contraction& c, const ResultShape& result) const {
    const Body& body = *site().block->body;
    const std::int64_t lanes = draft_.machine().lanes();
    if (!ways_.puts_terms_in_lanes || is_split_ || result.even_columns ||
        result.columns % lanes == 0 || body.target->dtype != DType::F32) {
      return false;
    }
    const auto step =
        program::stride_of(*c.left->buffer, c.left->indices, body.iterators[c.reduce.back()].axis);
    return step == 1 && panel_layout(*site().block, c, result.columns, 0, 2).ok();
  }

  // The tile as its result is stored: one term of each column, the sum.
  RegisterTile result_tile() const {
    if (tile_.terms == 1) return tile_;
    const std::int64_t lanes = draft_.machine().lanes();
    return {tile_.rows, (tile_.columns() + lanes - 1) / lanes, lanes};
  }

  // Whether the epilogue reads an iterator of the result as a digit of one of its own: then tiles
  // that do not divide it would be no boxes.
  bool is_digit(std::size_t iterator) const {
    const Body& body = *site().block->body;
    const Site last = site_of(program(), epilogue_);
    for (std::size_t d = 0; d < body.indices.size(); ++d) {
      if (body.indices[d] != body.iterators[iterator].axis) continue;
      return !iterator_at(*last.block, body.target, d).has_value();
    }
    return true;
  }

  // The last iterator of the reduction, channels mostly, may go around the others in blocks.
  void order_reduction() {
    const Body& body = *site().block->body;
    const auto c = contraction_of(body);
    if (!c) return;
    const std::int64_t channels = body.iterators[c->reduce.back()].extent();
    std::int64_t others = 1;
    for (std::size_t i : c->reduce) others *= body.iterators[i].extent();
    if (others == channels || is_split_ || tile_.terms > 1) return;
    Ints blocks{channels};
    Ints weights{4};
    for (const std::int64_t size : {16, 32, 64, 128}) {
      if (size >= channels || channels % size != 0) continue;
      blocks.push_back(size);
      weights.push_back(1);
    }
    if (blocks.size() > 1) channel_block_ = draft_.choose_number("channels", blocks, 0, weights);
    if (channel_block_ == channels) channel_block_ = 0;
  }

  // Panels of the right operand, as wide as the tile, in the order of the reduction. A constant is
  // packed once, at load; anything else only where it is read often enough to pay.
  Status pack_right() {
    const Body& body = *site().block->body;
    const auto c = contraction_of(body);
    if (!c) return Ok{};
    if (tile_.terms > 1) return try_to_pack(*c);
    const auto before = draft_.schedule().mark();
    const bool is_possible = try_to_pack(*c).ok();
    draft_.schedule().back_to(before);
    if (!is_possible) return Ok{};
    const Buffer* right = c->right->buffer;
    const auto stride = program::stride_of(*right, c->right->indices, body.iterators[c->lane].axis);
    if (stride == 1) {
      // Lanes that are neighbours already are read as they are, while they stay in a near cache.
      const std::int64_t bytes = right->elements() * size_of(right->dtype);
      const bool is_near = right->role != Role::Constant && 4 * bytes < draft_.machine().l2_bytes;
      const Ints weights = right->role == Role::Constant ? Ints{7, 1} : Ints{1, 1};
      if (draft_.choose("right", {"packed", "as it is"}, is_near ? 1 : 0, weights) == 1) {
        return Ok{};
      }
    }
    return try_to_pack(*c);
  }

  Status try_to_pack(const Contraction& c) {
    CAMBIUM_TRY(const Names made, copy_of_right(c));
    const auto now = contraction_of(*site().block->body);
    if (!now) return Rejection(Reason::NotAContraction, block_, "no lanes are left");
    CAMBIUM_TRY(const Names dims,
                panel_layout(*site().block, *now, tile_.columns(), channel_block_, tile_.terms));
    const auto lanes = std::find(now->right->indices.begin(), now->right->indices.end(),
                                 site().block->body->iterators[now->lane].axis);
    const auto dimension = static_cast<std::size_t>(lanes - now->right->indices.begin());
    if (lanes != now->right->indices.end()) fill_vectors(made[0], dimension);
    CAMBIUM_REQUIRE(draft_.apply(SetLayout{made[1], dims}));
    return Ok{};
  }

  // The block that copies the right operand, and the copy. Where tiles do not divide columns that
  // are digits of an index, the copy has an index for each digit: panels have tails then.
  Result<Names> copy_of_right(const Contraction& c) {
    CAMBIUM_TRY(const Names copy,
                draft_.apply(CacheRead{block_, std::string(c.right->buffer->name)}));
    const Body& body = *site().block->body;
    if (body.iterators[c.lane].extent() % tile_.columns() == 0) return copy;
    const DigitDims dims = digit_dims(c.right->indices);
    if (!dims.changes) return copy;
    const auto before = draft_.schedule().mark();
    if (auto by_digits = copy_by_digits(copy, dims); by_digits.ok()) return by_digits;
    // Taps of a transposed kernel are digits too, and not all of them are there.
    draft_.schedule().back_to(before);
    return copy;
  }

  Result<Names> copy_by_digits(const Names& copy, const DigitDims& dims) {
    CAMBIUM_REQUIRE(draft_.apply(SetLayout{copy[1], dims.apart}));
    CAMBIUM_TRY(const Names by_digits, draft_.apply(CacheRead{block_, copy[1]}));
    CAMBIUM_REQUIRE(draft_.apply(SetLayout{copy[1], dims.together}));
    CAMBIUM_REQUIRE(draft_.apply(Inline{copy[0]}));
    return by_digits;
  }

  // Zeros follow the columns of a copy that is narrower than the tile, so that its vectors are
  // loaded whole, from places that are multiples of them.
  void fill_vectors(const std::string& copy, std::size_t dimension) {
    const Body& body = *site_of(program(), copy).block->body;
    for (const program::Iterator& it : body.iterators) {
      if (body.indices[dimension] != it.axis || it.extent() >= tile_.columns()) continue;
      const auto before = draft_.schedule().mark();
      const std::string name(expr::name_of(it.axis));
      if (!draft_.apply(PadToMultiple{copy, name, tile_.columns()}).ok()) {
        draft_.schedule().back_to(before);
      }
      return;
    }
  }

  // The reduction under the innermost loop around the tile, the reduction outside of the tile.
  Status move_into_tile() {
    const auto c = contraction_of(*site().block->body);
    if (!c) return Rejection(Reason::NotAContraction, block_, "no lanes are left");
    CAMBIUM_REQUIRE(draft_.apply(ComputeAt{block_, around_.innermost()}));
    if (!c->rows.empty()) {
      for (const Loop* loop : inside(c->rows.back())) tile_loops_.emplace_back(loop->name());
    }
    const auto lanes = inside(c->lane);
    Names reduce;
    for (std::size_t i : c->reduce) {
      for (const Loop* loop : inside(i)) reduce.emplace_back(loop->name());
    }
    if (lanes.size() != 1 || reduce.empty()) {
      return Rejection(Reason::NotAContraction, block_, "it has no tile");
    }
    written_out_ = moves_with_columns(reduce);
    Names vectors{std::string(lanes[0]->name())};
    const std::int64_t beside = tile_.lanes / tile_.terms;  // columns of a vector
    if (lanes[0]->extent() != beside || tile_.terms > 1) {
      CAMBIUM_TRY(vectors, draft_.apply(Split{vectors[0], {0, beside}, Tail::Guard}));
    }
    tile_loops_.insert(tile_loops_.end(), vectors.begin(), vectors.end());
    Names terms;
    if (tile_.terms > 1) {
      CAMBIUM_TRY(terms, draft_.apply(Split{reduce.back(), {0, tile_.terms}, Tail::Exact}));
      reduce.back() = terms[0];
    }
    if (channel_block_ > 0) {
      CAMBIUM_TRY(const Names made,
                  draft_.apply(Split{reduce.back(), {0, channel_block_}, Tail::Exact}));
      reduce.back() = made[1];
      reduce.insert(reduce.begin(), made[0]);
    }
    CAMBIUM_REQUIRE(unroll_steps(reduce));
    Names order = reduce;
    order.insert(order.end(), tile_loops_.begin(), tile_loops_.end());
    if (!terms.empty()) order.push_back(terms[1]);
    CAMBIUM_REQUIRE(draft_.apply(Reorder{order}));
    first_reduce_ = reduce.front();
    return terms.empty() ? Status(Ok{}) : put_terms_in_lanes(terms[1]);
  }

  // Each term of a column gets an accumulator of its own beside those of its neighbours: vectors of
  // columns and terms. A block after the reduction adds up the terms.
  Status put_terms_in_lanes(const std::string& terms) {
    const auto last = static_cast<std::int64_t>(target()->dims.size());
    CAMBIUM_TRY(const Names made, draft_.apply(RFactor{terms, last}));
    CAMBIUM_TRY(const Names lanes, draft_.apply(Fuse{{tile_loops_.back(), terms}}));
    tile_loops_.back() = lanes[0];
    if (tile_.rows < tile_.vectors && tile_loops_.size() == 3) {
      std::swap(tile_loops_[0], tile_loops_[1]);  // the left operand of all rows stays in registers
      CAMBIUM_REQUIRE(draft_.apply(Reorder{tile_loops_}));
    }
    adding_ = block_;
    block_ = made[0];
    // Its loops: rows if there are any, vectors, columns of a vector, terms.
    const std::size_t n = made.size();
    CAMBIUM_TRY(const Names columns, draft_.apply(Fuse{{made[n - 3], made[n - 2]}}));
    CAMBIUM_TRY(const Names vectors,
                draft_.apply(Split{columns[0], {0, draft_.machine().lanes()}, Tail::Guard}));
    adding_loops_.assign(made.begin() + 2, made.end() - 3);
    adding_loops_.insert(adding_loops_.end(), {vectors[0], made[n - 1], vectors[1]});
    CAMBIUM_REQUIRE(draft_.apply(Reorder{adding_loops_}));
    return Ok{};
  }

  Status finish_adding() {
    const std::string terms = adding_loops_[adding_loops_.size() - 2];
    CAMBIUM_TRY(const Names made, draft_.apply(DecomposeReduction{adding_, terms}));
    CAMBIUM_REQUIRE(make_tile(draft_, adding_loops_));
    CAMBIUM_REQUIRE(make_tile(draft_, Names(made.begin() + 1, made.end())));
    return put_in_registers(adding_);
  }

  Status put_in_registers(const std::string& block) {
    const std::string made(site_of(program(), block).block->body->target->name);
    CAMBIUM_REQUIRE(draft_.apply(Annotate{Part::Buffer, made, "space", "register", 0}));
    return Ok{};
  }

  // Loops inside the tile that move an iterator of the contraction.
  std::vector<const Loop*> inside(std::size_t iterator) const {
    const Site at = site();
    std::vector<const Loop*> loops;
    bool is_inside = false;
    for (const Loop* loop : at.loops) {
      if (is_inside && program::uses(at.block->bindings[iterator], loop->axis)) {
        loops.push_back(loop);
      }
      is_inside |= loop->name() == around_.innermost();
    }
    return loops;
  }

  // The loops of the reduction that decide, together with a row of the tile, what is skipped.
  Names moves_with_columns(const Names& reduce) const {
    Names found;
    const Site at = site();
    const program::Expr condition = condition_of(*at.block->body);
    if (condition == nullptr || tile_loops_.empty()) return found;
    std::vector<program::Expr> conjuncts;
    program::add_conjuncts(draft_.context(),
                           program::over_loops(draft_.context(), *at.block, condition), conjuncts);
    const auto axis_of = [&](const std::string& name) {
      return program::find_loop(program(), name)->axis;
    };
    for (const std::string& loop : reduce) {
      if (std::any_of(conjuncts.begin(), conjuncts.end(), [&](program::Expr p) {
            return program::uses(p, axis_of(loop)) && program::uses(p, axis_of(tile_loops_[0]));
          })) {
        found.push_back(loop);
      }
    }
    return found;
  }

  // A few steps of the reduction in a row, as long as the code stays small.
  Status unroll_steps(Names& reduce) {
    constexpr std::int64_t kPreferred = 128, kMost = 320;  // multiply-adds in a row
    const std::int64_t extent = program::find_loop(program(), reduce.back())->extent();
    std::int64_t body = tile_.rows * tile_.vectors;
    for (const std::string& loop : written_out_) {
      if (loop != reduce.back()) body *= program::find_loop(program(), loop)->extent();
    }
    Ints steps{1};
    std::size_t preferred = 0;
    for (const std::int64_t n : {2, 3, 4, 8, 16}) {
      if (extent % n != 0 || n * body > kMost) continue;
      steps.push_back(n);
      const bool is_short = extent != n && n <= 4 && !draft_.wants_small_code();
      if (is_short && n * tile_.rows * tile_.vectors <= kPreferred) preferred = steps.size() - 1;
    }
    if (steps.size() == 1) return Ok{};
    const std::int64_t chosen = draft_.choose_number("unroll", steps, preferred);
    if (chosen == extent) {
      written_out_.push_back(reduce.back());
    } else if (chosen > 1) {
      CAMBIUM_TRY(const Names made, draft_.apply(Split{reduce.back(), {0, chosen}, Tail::Exact}));
      reduce.pop_back();
      reduce.insert(reduce.end(), made.begin(), made.end());
      written_out_.push_back(made[1]);
    }
    return Ok{};
  }

  Status to_registers() {
    CAMBIUM_TRY(const Names made, draft_.apply(DecomposeReduction{block_, first_reduce_}));
    for (const std::string& loop : written_out_) CAMBIUM_REQUIRE(draft_.apply(Unroll{loop}));
    CAMBIUM_REQUIRE(make_tile(draft_, tile_loops_));
    CAMBIUM_REQUIRE(make_tile(draft_, Names(made.begin() + 1, made.end())));
    CAMBIUM_REQUIRE(make_tile(draft_, around_.tile));
    CAMBIUM_REQUIRE(put_in_registers(block_));
    if (!adding_.empty()) CAMBIUM_REQUIRE(finish_adding());
    const std::int64_t ahead = draft_.choose_number("prefetch", {0, 4, 8}, 0, {6, 1, 1});
    if (ahead > 0) CAMBIUM_REQUIRE(draft_.apply(Prefetch{block_, ahead}));
    return Ok{};
  }

  // What is collected block by block begins at 0, and what reads it follows each iteration of the
  // loop around the blocks, if there is one.
  Status finish_blocks() {
    CAMBIUM_REQUIRE(draft_.apply(DecomposeReduction{epilogue_, blocks_}));
    if (around_.around_blocks.empty()) return Ok{};
    const program::Block* reader =
        only_reader(program(), site_of(program(), epilogue_).block->body->target);
    if (reader == nullptr || is_reduction(*reader->body)) return Ok{};
    const auto before = draft_.schedule().mark();
    const std::string name(reader->name);
    if (!draft_.apply(ReverseComputeAt{name, around_.around_blocks}).ok()) {
      draft_.schedule().back_to(before);
    }
    return Ok{};
  }

  Draft& draft_;
  std::string block_, epilogue_;
  Ways ways_;
  bool is_split_ = false;           // the reduction: block_ sums a part
  std::string blocks_;              // the loop over parts that are added one after the other
  bool skips_ = false;              // what lies outside the image is not multiplied
  std::int64_t channel_block_ = 0;  // 0: channels stay in one piece
  RegisterTile tile_;
  OuterLoops around_;
  std::string first_reduce_;
  Names tile_loops_, written_out_;
  std::string adding_;  // adds up the terms that lanes hold; empty: a lane holds a sum
  Names adding_loops_;
};

}  // namespace

namespace {

// A matrix times one vector, where the rows of the matrix lie along memory: each of its elements is
// used once, so that packing does not pay, and lanes across rows would load one element each. Sums
// along the rows (lane_reduction.cpp) load whole vectors. Constants are packed once, at load.
bool sums_along_rows(const Body& body, const Contraction& c, std::int64_t lanes) {
  const auto extent = [&](std::size_t i) { return body.iterators[i].extent(); };
  const auto stride = [&](std::size_t i) {
    return program::stride_of(*c.right->buffer, c.right->indices, body.iterators[i].axis);
  };
  const auto is_loop = [&](std::size_t i) { return extent(i) > 1; };
  if (c.right->buffer->role == Role::Constant || stride(c.lane) == 1) return false;
  if (std::any_of(c.rows.begin(), c.rows.end(), is_loop)) return false;
  const auto along = std::find_if(c.reduce.begin(), c.reduce.end(), is_loop);
  return std::count_if(c.reduce.begin(), c.reduce.end(), is_loop) == 1 && stride(*along) == 1 &&
         extent(*along) >= 2 * lanes;
}

}  // namespace

Status tile_contraction(Draft& draft, const std::string& block) {
  const Body& body = *site_of(draft, block).block->body;
  const auto contraction = contraction_of(body);
  if (!contraction) {
    return Rejection(Reason::NothingToDo, "contraction-tile", "it is not a contraction");
  }
  const auto before = draft.schedule().mark();
  if (sums_along_rows(body, *contraction, draft.machine().lanes())) {
    const Status along = reduce_in_lanes(draft, block);
    draft.schedule().back_to(before);
    if (along.ok()) {
      return Rejection(Reason::NothingToDo, "contraction-tile", "it sums along rows in memory");
    }
  }
  std::optional<Tiler::Ways> ways{std::in_place};
  Status tiled = Ok{};
  while (ways) {
    draft.schedule().back_to(before);
    Tiler tiler(draft, block, *ways);
    tiled = tiler.run();
    if (tiled.ok()) return tiled;
    ways = tiler.simpler();
  }
  return tiled;
}

}  // namespace cambium::schedule
