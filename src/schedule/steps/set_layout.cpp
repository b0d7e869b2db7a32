#include "schedule/steps/set_layout.h"

#include <algorithm>

#include <fmt/format.h>

#include "expr/simplify.h"
#include "expr/text.h"
#include "program/analysis.h"
#include "program/coverage.h"
#include "program/limits.h"
#include "program/rewrite.h"
#include "schedule/steps/rebuild.h"

namespace cambium::schedule {
namespace {

// The new indices over axes d0, d1 ... which run over the dimensions that the buffer has.
struct Map {
  std::vector<Expr> axes;
  std::vector<Expr> indices;
  std::vector<std::int64_t> dims;
};

Result<Map> parse_map(Context& cx, const Buffer& buffer, const Names& texts) {
  Map map;
  for (std::size_t d = 0; d < buffer.dims.size(); ++d) {
    map.axes.push_back(cx.axis(fmt::format("d{}", d), buffer.dims[d]));
  }
  const auto meaning = [&map](std::string_view name) -> Expr {
    for (Expr axis : map.axes) {
      if (expr::name_of(axis) == name) return axis;
    }
    return nullptr;
  };
  const auto refuse = [&buffer](const std::string& why) {
    return Rejection(Reason::BadLayout, std::string(buffer.name), why);
  };
  for (const std::string& text : texts) {
    auto parsed = expr::parse(cx.indices(), text, meaning);
    if (!parsed.ok()) return refuse(parsed.rejection().message());
    const Expr index = expr::simplify(cx.indices(), *parsed);
    if (expr::is_predicate(index) || index->range.lo < 0) {
      return refuse("'" + text + "' is not an index, or becomes negative");
    }
    if (!program::is_finite(index)) return refuse("'" + text + "' becomes too large");
    map.indices.push_back(index);
    map.dims.push_back(index->range.hi + 1);
  }
  const Status fits = program::check_dims(map.dims);
  if (!fits.ok()) return refuse(fits.rejection().message());
  return map;
}

// Whether every dimension is where another was, and nothing else has changed.
bool is_reordered(const Map& map) {
  return map.indices.size() == map.axes.size() &&
         std::is_permutation(map.indices.begin(), map.indices.end(), map.axes.begin());
}

// Whether no two elements share a place: asked as if a block wrote each element once.
Status require_apart(Context& cx, const Buffer& buffer, const Buffer* moved, const Map& map) {
  std::vector<Iterator> iterators;
  for (Expr axis : map.axes) iterators.push_back({axis, program::IteratorKind::Spatial});
  Body fields{};
  fields.iterators = iterators;
  fields.target = moved;
  fields.indices = map.indices;
  fields.combine = program::Combine::Assign;
  const DType type = program::value_type(buffer.dtype);
  fields.value = is_floating(type) ? cx.constant(0, type) : cx.whole(0, type);
  const program::Proof proof = program::writes_apart(cx, *cx.body(fields));
  const std::string name(buffer.name);
  if (proof == program::Proof::No) {
    return Rejection(Reason::BadLayout, name, "two elements would share a place");
  }
  if (proof == program::Proof::Unknown) {
    return Rejection(Reason::NotProved, "layout of '" + name + "'",
                     "no two elements share a place");
  }
  return Ok{};
}

}  // namespace

Result<Applied> SetLayout::apply(Context& cx, const Program& program) const {
  const Buffer* old = program::find_buffer(program, buffer);
  if (old == nullptr) return Rejection(Reason::UnknownName, buffer);
  if (old->role != program::Role::Local) {
    return Rejection(Reason::NotLocal, buffer, "it is a parameter, which belongs to the caller");
  }
  for (const Site& site : program::sites_of(program)) {
    if (!program::touches(*site.block->body, old)) continue;
    for (const program::Access& access : program::accesses_of(cx, *site.block->body)) {
      if (access.buffer == old && access.indices.size() != old->dims.size()) {
        return Rejection(Reason::BadLayout, buffer, "a gather reads it");
      }
    }
  }
  CAMBIUM_TRY(const Map map, parse_map(cx, *old, dims));
  const Buffer* by =
      cx.buffer(old->name, old->dtype, map.dims, program::Role::Local, old->annotations);
  if (!is_reordered(map)) CAMBIUM_REQUIRE(require_apart(cx, *old, by, map));

  const auto moved = [&](std::span<const Expr> indices) {
    Replacements axes;
    for (std::size_t d = 0; d < indices.size(); ++d) axes.push_back({map.axes[d], indices[d]});
    std::vector<Expr> at;
    for (Expr index : map.indices) at.push_back(replaced(cx, index, axes));
    return at;
  };
  const auto block_moved = [&](const Block& block) {
    return program::with_body(cx, block, program::with_indices(cx, *block.body, old, by, moved));
  };
  const Program rewritten = program::map_blocks(cx, program, block_moved);
  Applied applied{program::replace_local(cx, rewritten, old, by), {}};
  // The same indices in another order are proved by what proved them before.
  if (is_reordered(map)) return applied;
  // Indices in another form are still the same places, but not always provably so. What the
  // verifier says of loops, bindings and points is as it was.
  CAMBIUM_REQUIRE(holds(cx, applied.program,
                        {program::writes_apart, program::accesses_in_bounds,
                         program::reads_after_writes, program::parallel_independent}));
  return applied;
}

}  // namespace cambium::schedule
