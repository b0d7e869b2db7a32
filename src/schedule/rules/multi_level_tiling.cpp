#include "schedule/rules/multi_level_tiling.h"

#include <algorithm>

#include "base/check.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {

using program::Access;
using program::Body;
using program::Expr;
using program::IteratorKind;
using program::Loop;
using program::Site;

namespace {

char letter_of(IteratorKind kind) {
  return kind == IteratorKind::Reduce ? 'R' : 'S';
}

std::int64_t parts_of(const program::Iterator& iterator, const std::string& structure) {
  return std::count(structure.begin(), structure.end(), letter_of(iterator.kind));
}

bool is_alone(const Site& site) {
  program::Stmt inner = site.block;
  for (auto loop = site.loops.rbegin(); loop != site.loops.rend(); ++loop) {
    if ((*loop)->body != inner) return false;
    inner = *loop;
  }
  return true;
}

// Where the tiles of one letter stand.
std::vector<std::size_t> positions_of(char letter, const std::string& structure) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < structure.size(); ++i) {
    if (structure[i] == letter) positions.push_back(i);
  }
  return positions;
}

Ints factors_of(Draft& draft, const program::Iterator& iterator, const TilingOptions& options) {
  const std::string_view key = expr::name_of(iterator.axis);
  const std::int64_t parts = parts_of(iterator, options.structure);
  return options.perfect ? draft.perfect_tile(key, iterator.extent(), parts, options.innermost)
                         : draft.imperfect_tile(key, iterator.extent(), parts, options.innermost);
}

Status tile(Draft& draft, const std::string& block, const TilingOptions& options) {
  const Site site = site_of(draft, block);
  if (!has_reuse(draft.context(), site)) {
    return Rejection(Reason::NothingToDo, "multi-level-tiling", "it has no reuse");
  }
  std::vector<Names> tiles(options.structure.size());
  for (std::size_t i = 0; i < site.block->body->iterators.size(); ++i) {
    const program::Iterator& iterator = site.block->body->iterators[i];
    const auto where = positions_of(letter_of(iterator.kind), options.structure);
    const std::string loop(expr::name_of(site.block->bindings[i]));
    if (iterator.extent() == 1 || where.size() == 1) {
      tiles[where[0]].push_back(loop);
      continue;
    }
    const Split split{loop, factors_of(draft, iterator, options),
                      options.perfect ? Tail::Exact : Tail::Guard};
    CAMBIUM_TRY(const Names made, draft.apply(split));
    for (std::size_t part = 0; part < made.size(); ++part) tiles[where[part]].push_back(made[part]);
  }
  Names order;
  for (const Names& loops : tiles) order.insert(order.end(), loops.begin(), loops.end());
  CAMBIUM_REQUIRE(draft.apply(Reorder{order}));
  return Ok{};
}

}  // namespace

bool is_as_lowered(const Site& site) {
  const program::Block& block = *site.block;
  if (!is_alone(site) || site.loops.size() != block.bindings.size()) return false;
  std::vector<Expr> seen;
  for (std::size_t i = 0; i < block.bindings.size(); ++i) {
    const Expr binding = block.bindings[i];
    if (binding->kind != expr::Kind::Axis ||
        expr::extent_of(binding) != expr::extent_of(block.body->iterators[i].axis) ||
        std::find(seen.begin(), seen.end(), binding) != seen.end()) {
      return false;
    }
    seen.push_back(binding);
  }
  return true;
}

bool has_reuse(Context& cx, const Site& site) {
  const Body& body = *site.block->body;
  if (!is_reduction(body) || !is_as_lowered(site)) return false;
  bool reuse = false;
  std::vector<Access> reads;
  for (const Access& access : program::accesses_of(cx, body)) {
    if (access.kind != Access::Kind::Read) continue;
    if (access.scalar->kind == program::ScalarKind::Gather) return false;
    for (const Access& other : reads) {
      const bool same = std::equal(access.indices.begin(), access.indices.end(),
                                   other.indices.begin(), other.indices.end());
      if (access.buffer == other.buffer && !same) return false;
    }
    reads.push_back(access);
    for (const program::Iterator& iterator : body.iterators) {
      if (iterator.kind == IteratorKind::Reduce || iterator.extent() == 1) continue;
      reuse |= std::none_of(access.indices.begin(), access.indices.end(),
                            [&](Expr e) { return program::uses(e, iterator.axis); });
    }
  }
  return reuse;
}

std::optional<std::vector<Names>> tiles_of(const Site& site, const std::string& structure) {
  if (!is_alone(site)) return std::nullopt;
  std::vector<std::size_t> sizes(structure.size());
  std::size_t total = 0;
  for (const program::Iterator& iterator : site.block->body->iterators) {
    for (const std::size_t at : positions_of(letter_of(iterator.kind), structure)) {
      ++sizes[at];
      ++total;
      if (iterator.extent() == 1) break;
    }
  }
  if (total != site.loops.size()) return std::nullopt;
  std::vector<Names> tiles;
  auto loop = site.loops.begin();
  for (const std::size_t size : sizes) {
    tiles.emplace_back();
    for (std::size_t i = 0; i < size; ++i) tiles.back().emplace_back((*loop++)->name());
  }
  return tiles;
}

Rule multi_level_tiling_rule(TilingOptions options) {
  const std::string& word = options.structure;
  CAMBIUM_CHECK(word.find('S') != std::string::npos && word.find('R') != std::string::npos &&
                    word.find_first_not_of("SR") == std::string::npos,
                "a structure of tiles is a word over S and R");
  return {"multi-level-tiling", "split reductions with reuse into tiles within tiles",
          [options = std::move(options)](Draft& draft, const std::string& block) {
            return tile(draft, block, options);
          }};
}

}  // namespace cambium::schedule
