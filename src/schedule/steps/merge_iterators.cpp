#include "schedule/steps/merge_iterators.h"

#include <algorithm>

#include "schedule/steps/fuse.h"
#include "schedule/steps/rebuild.h"

namespace cambium::schedule {
namespace {

// The positions of the named iterators, all of one kind. Refuses UnknownName and BadReduction.
Result<std::vector<std::size_t>> positions_of(const Block& block, const Names& names) {
  std::vector<std::size_t> found;
  const auto& all = block.body->iterators;
  for (const std::string& name : names) {
    const auto it = std::find_if(all.begin(), all.end(),
                                 [&](const Iterator& i) { return expr::name_of(i.axis) == name; });
    if (it == all.end()) {
      return Rejection(Reason::UnknownName, name)
          .at("iterators of '" + std::string(block.name) + "'");
    }
    if (it->kind !=
        all[found.empty() ? static_cast<std::size_t>(it - all.begin()) : found[0]].kind) {
      return Rejection(Reason::BadReduction, "spatial and reduce iterators do not merge");
    }
    found.push_back(static_cast<std::size_t>(it - all.begin()));
  }
  return found;
}

// The merged iterator stands where the first one stood.
Stmt merged(Context& cx, const Block& block, const std::vector<std::size_t>& positions,
            const Names& names, Expr loop) {
  const std::span<const Iterator> before = block.body->iterators;
  std::string name;
  for (const std::string& n : names) name += (name.empty() ? "" : ".") + n;
  while (std::any_of(before.begin(), before.end(),
                     [&](const Iterator& it) { return expr::name_of(it.axis) == name; })) {
    name += ".2";
  }
  std::int64_t extent = 1;
  for (const std::size_t p : positions) extent *= before[p].extent();
  Expr axis = cx.axis(name, extent);
  Mapping mapping;
  std::int64_t below = extent;
  for (const std::size_t p : positions) {
    below /= before[p].extent();
    Expr digit = expr::div(cx.indices(), axis, expr::Size(below));
    mapping.axes.push_back(
        {before[p].axis, expr::mod(cx.indices(), digit, expr::Size(before[p].extent()))});
  }
  std::vector<Iterator> iterators;
  std::vector<Expr> bindings;
  const std::size_t first = *std::min_element(positions.begin(), positions.end());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool goes = std::find(positions.begin(), positions.end(), i) != positions.end();
    if (goes && i != first) continue;
    iterators.push_back(goes ? Iterator{axis, before[i].kind} : before[i]);
    bindings.push_back(goes ? loop : block.bindings[i]);
  }
  return cx.block(block.name, mapped(cx, *block.body, iterators, mapping), bindings,
                  block.predicate, block.annotations);
}

}  // namespace

Result<Applied> MergeIterators::apply(Context& cx, const Program& program) const {
  CAMBIUM_TRY(const Block* found, block_named(program, block));
  if (iterators.empty())
    return Rejection(Reason::BadFactors, "merge_iterators", "no iterator is named");
  CAMBIUM_TRY(const std::vector<std::size_t> positions, positions_of(*found, iterators));
  Names loops;
  for (const std::size_t p : positions) {
    Expr binding = found->bindings[p];
    if (binding->kind != expr::Kind::Axis ||
        expr::extent_of(binding) != expr::extent_of(found->body->iterators[p].axis)) {
      return Rejection(Reason::NotNested, iterators[0], iterators.back());
    }
    loops.emplace_back(expr::name_of(binding));
  }
  CAMBIUM_TRY(Applied applied, Fuse{loops}.apply(cx, program));
  const Block* fused = program::find_block(applied.program, block);
  Expr loop = program::find_loop(applied.program, applied.made[0])->axis;
  applied.program =
      program::replace(cx, applied.program, fused, merged(cx, *fused, positions, iterators, loop));
  // Simplified indices may have decided a condition: what it read is then computed for nobody.
  applied.program = without_unread(cx, applied.program, read_locals(program));
  const Block* result = program::find_block(applied.program, block);
  if (result->body->buffers.size() !=
      found->body->buffers.size()) {  // other blocks may live longer
    CAMBIUM_REQUIRE(holds(cx, applied.program, {program::points_once, program::writes_apart}));
  }
  return applied;
}

}  // namespace cambium::schedule
