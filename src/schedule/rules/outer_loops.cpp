#include "schedule/rules/outer_loops.h"

#include <algorithm>

#include "schedule/rules/contraction.h"
#include "schedule/rules/merge_rows.h"
#include "schedule/rules/sites.h"
#include "schedule/rules/tile_parts.h"

namespace cambium::schedule {

using program::Body;
using program::Expr;
using program::Site;

namespace {

class Arranger {
 public:
  Arranger(Draft& draft, std::string block, std::string epilogue)
      : draft_(draft), block_(std::move(block)), epilogue_(std::move(epilogue)) {}

  Result<OuterLoops> run(const RegisterTile& tile, const OuterLoopsOptions& options) {
    const Body& body = *site().block->body;
    const auto c = contraction_of(body);
    if (!c) return Rejection(Reason::NotAContraction, block_, "no lanes are left");
    CAMBIUM_TRY(const std::string lanes, loop_of(c->lane));
    std::string rows;
    if (!c->rows.empty() && body.iterators[c->rows.back()].extent() > 1) {
      CAMBIUM_TRY(rows, loop_of(c->rows.back()));
    }
    const Names images = image_rows(*c);

    OuterLoops made;
    std::string row_tiles;
    std::int64_t row_extent = 1, row_tail = 0;
    if (!rows.empty()) {
      row_extent = extent_of(rows);
      row_tail = row_extent % tile.rows;
      CAMBIUM_TRY(const Names split, draft_.apply(Split{rows, {0, tile.rows}, Tail::Guard}));
      row_tiles = split[0];
      made.tile.push_back(split[1]);
    }
    const std::int64_t column_tail = extent_of(lanes) % tile.columns();
    CAMBIUM_TRY(const Names split,
                draft_.apply(Split{lanes, {0, tile.vectors, tile.lanes}, Tail::Guard}));
    made.tile.insert(made.tile.end(), split.begin() + 1, split.end());

    // Two levels of each, unless every level had a tail of its own.
    const bool rows_may_split = !options.within_rows && (row_tail == 0 || column_tail == 0);
    CAMBIUM_TRY(const Names panels, levels("panels", split[0], column_tail == 0, true));
    CAMBIUM_TRY(const Names tiles, row_tail > 0 && rows_may_split
                                       ? levels_of_whole_tiles(row_tiles, row_extent, tile.rows)
                                       : levels("rows", row_tiles, rows_may_split, false));
    const bool outside = panels_go_outside(*c, images);
    Names order;
    const auto put = [&](const std::string& name) {
      if (!name.empty()) order.push_back(name);
    };
    if (outside) put(panels[0]);
    for (const std::string& loop : images) put(loop);
    if (!outside) put(panels[0]);
    for (const std::string& loop : {tiles[0], panels[1], tiles[1]}) put(loop);
    for (const std::string& loop : order) {
      if (std::find(images.begin(), images.end(), loop) == images.end()) made.loops.push_back(loop);
    }
    for (const Names* family : {&panels, &tiles}) {
      const std::string& outermost = (*family)[0].empty() ? (*family)[1] : (*family)[0];
      if (!outermost.empty()) made.cuts.push_back(outermost);
    }
    std::sort(made.cuts.begin(), made.cuts.end(), [&](const std::string& a, const std::string& b) {
      return std::find(order.begin(), order.end(), a) > std::find(order.begin(), order.end(), b);
    });
    if (!options.blocks.empty()) made.around_blocks = put_blocks(options.blocks, order);
    order.insert(order.end(), made.tile.begin(), made.tile.end());
    CAMBIUM_REQUIRE(put_innermost(draft_, epilogue_, order));
    return made;
  }

 private:
  const Program& program() const { return draft_.program(); }
  Site site() const { return site_of(program(), block_); }
  std::int64_t extent_of(const std::string& loop) const {
    return program::find_loop(program(), loop)->extent();
  }

  // A loop over tiles as an outer and an inner one, either of which may be empty: all iterations
  // are in the other. Preferred: all in the outer, or all in the inner one. Where tiles divide what
  // they are tiles of, the inner loop need not divide the number of tiles, since there is no tail
  // yet.
  Result<Names> levels(std::string_view key, const std::string& loop, bool may_split,
                       bool outer_preferred) {
    if (loop.empty()) return Names{"", ""};
    const std::int64_t tiles = extent_of(loop);
    const Names whole = outer_preferred ? Names{loop, ""} : Names{"", loop};
    if (tiles == 1 || !may_split) return whole;
    const Ints preferred = outer_preferred ? Ints{tiles, 1} : Ints{1, tiles};
    return in_two(loop, draft_.imperfect_tile(key, tiles, 2, tiles, preferred));
  }

  // The same for rows that the register tile does not divide: the inner loop runs over whole tiles
  // and as many of them each time, so that only the last iteration of the outer loop has a tail,
  // which becomes a piece of its own with a smaller register tile.
  Result<Names> levels_of_whole_tiles(const std::string& loop, std::int64_t extent,
                                      std::int64_t tile) {
    const std::int64_t tiles = extent_of(loop);
    if (tiles == 1) return Names{"", loop};
    const Ints factors =
        draft_.partitioned_tile("row blocks", extent, 2, 1, tile, tiles * tile, {1, tiles * tile});
    return in_two(loop, {factors[0], factors[1] / tile});
  }

  Result<Names> in_two(const std::string& loop, const Ints& factors) {
    if (factors[1] == 1) return Names{loop, ""};
    if (factors[0] == 1) return Names{"", loop};
    return draft_.apply(Split{loop, factors, Tail::Guard});
  }

  // Loops over rows of an image that are not part of the tile.
  Names image_rows(const Contraction& c) {
    Names loops;
    const Body& body = *site().block->body;
    for (std::size_t i = 0; i + 1 < c.rows.size(); ++i) {
      if (body.iterators[c.rows[i]].extent() == 1) continue;
      const auto before = draft_.schedule().mark();
      const auto loop = loop_of(c.rows[i]);
      if (loop.ok()) {
        loops.push_back(*loop);
      } else {
        draft_.schedule().back_to(before);
      }
    }
    return loops;
  }

  // Panels around the rows of an image: each is then read from afar once.
  bool panels_go_outside(const Contraction& c, const Names& images) {
    if (images.empty()) return true;
    const program::Buffer* right = c.right->buffer;
    const std::int64_t bytes = right->elements() * size_of(right->dtype);
    const bool is_large = 2 * bytes > draft_.machine().l2_bytes;
    return draft_.choose("image rows", {"in panels", "around panels"}, is_large ? 0 : 1) == 0;
  }

  // Blocks of the reduction go around all other loops, or within the outermost: threads can share
  // that one then, and what is collected is what one of its iterations makes. Gives that loop.
  std::string put_blocks(const std::string& blocks, Names& order) {
    const bool may_choose = draft_.threads() == 1 && order.size() > 1;
    const bool within =
        order.size() > 1 && (!may_choose || draft_.choose("blocks", {"within", "around"}, 0) == 0);
    order.insert(order.begin() + (within ? 1 : 0), blocks);
    return within ? order[0] : "";
  }

  // The one loop of the epilogue that moves the dimension of the target at which an iterator of the
  // contraction stands; one that moves two (c / 32 and c % 32) is split first.
  Result<std::string> loop_of(std::size_t iterator) {
    const Body& body = *site().block->body;
    std::size_t dimension = body.indices.size();
    for (std::size_t d = 0; d < body.indices.size(); ++d) {
      if (body.indices[d] == body.iterators[iterator].axis) dimension = d;
    }
    if (dimension == body.indices.size()) {
      return Rejection(Reason::NotAContraction, block_, "an index of the result is not plain");
    }
    const Site last = site_of(program(), epilogue_);
    if (const auto position = iterator_at(*last.block, body.target, dimension)) {
      const auto loops = loops_feeding(last, *position);
      if (loops.size() == 1) return std::string(loops[0]->name());
    }
    return digit_of(last, body, dimension);
  }

  // For a dimension that the epilogue reads at e / c or e % c: the outer or inner part of e's loop.
  Result<std::string> digit_of(const Site& last, const Body& body, std::size_t dimension) {
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
      CAMBIUM_TRY(
          const Names made,
          draft_.apply(Split{std::string(loops[0]->name()),
                             is_outer ? Ints{extent, rest} : Ints{rest, extent}, Tail::Exact}));
      return made[is_outer ? 0 : 1];
    }
    return Rejection(Reason::NotNested, epilogue_, block_);
  }

  Draft& draft_;
  std::string block_, epilogue_;
};

}  // namespace

Result<OuterLoops> tile_outer_loops(Draft& draft, const std::string& block,
                                    const std::string& epilogue, const RegisterTile& tile,
                                    const OuterLoopsOptions& options) {
  return Arranger(draft, block, epilogue).run(tile, options);
}

}  // namespace cambium::schedule
