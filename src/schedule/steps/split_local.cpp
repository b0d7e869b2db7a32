#include "schedule/steps/split_local.h"

#include <algorithm>
#include <map>
#include <optional>

#include "expr/simplify.h"
#include "program/analysis.h"
#include "program/prove.h"
#include "program/rewrite.h"
#include "schedule/steps/rebuild.h"

namespace cambium::schedule {
namespace {

using program::Access;

Status require_cuts(const Buffer& buffer, std::int64_t dimension, const Ints& points) {
  const auto refuse = [&](const char* why) {
    return Rejection(Reason::BadFactors, "split of local '" + std::string(buffer.name) + "'", why);
  };
  if (dimension < 0 || dimension >= static_cast<std::int64_t>(buffer.dims.size())) {
    return refuse("it has no such dimension");
  }
  if (points.empty()) return refuse("no point is given");
  std::int64_t last = 0;
  for (const std::int64_t point : points) {
    if (point <= last) return refuse("the points must be positive and increasing");
    last = point;
  }
  if (last >= buffer.dims[static_cast<std::size_t>(dimension)]) {
    return refuse("a point must be below the length of the dimension");
  }
  return Ok{};
}

// Whether the iterator itself is an index of the buffer.
bool is_index(Context& cx, const Body& body, const Buffer* buffer, Expr axis) {
  for (const Access& access : program::accesses_of(cx, body)) {
    if (access.buffer == buffer &&
        std::ranges::find(access.indices, axis) != access.indices.end()) {
      return true;
    }
  }
  return false;
}

// The block with spatial iterators that begin at 0 and are as long as what their bindings say. One
// that stands still, and is but a digit of an index, is no iterator any more.
const Block* fitted(Context& cx, const Block& block, const Buffer* buffer) {
  expr::Context& ex = cx.indices();
  std::vector<Iterator> iterators;
  std::vector<Expr> bindings;
  Mapping mapping;
  for (std::size_t i = 0; i < block.bindings.size(); ++i) {
    Iterator it = block.body->iterators[i];
    Expr binding = block.bindings[i];
    const expr::Interval range = expr::simplify(ex, binding)->range;
    const bool is_inside = range.lo >= 0 && range.hi < it.extent();
    const bool is_short = is_inside && (range.lo > 0 || range.hi + 1 < it.extent());
    if (it.kind == program::IteratorKind::Spatial && is_short) {
      const Expr before = it.axis;
      if (range.is_single() && !is_index(cx, *block.body, buffer, before)) {
        mapping.axes.push_back({before, cx.number(range.lo)});
        continue;
      }
      it.axis = cx.axis(expr::name_of(before), range.hi - range.lo + 1);
      mapping.axes.push_back({before, expr::add(ex, it.axis, cx.number(range.lo))});
      binding = expr::simplify(ex, expr::sub(ex, binding, cx.number(range.lo)));
    }
    iterators.push_back(it);
    bindings.push_back(binding);
  }
  if (mapping.axes.empty()) return &block;
  const Body* body = mapped(cx, *block.body, iterators, mapping);
  return program::as_block(
      cx.block(block.name, body, bindings, block.predicate, block.annotations));
}

// The pieces of a local along one dimension.
struct Pieces {
  const Buffer* whole = nullptr;
  std::size_t dimension = 0;
  Ints begins;  // of all pieces
  std::vector<const Buffer*> buffers;

  // The one that an index stays in.
  std::optional<std::size_t> piece_of(Context& cx, const Access& access) const {
    for (std::size_t i = 0; i < begins.size(); ++i) {
      const std::int64_t end = i + 1 < begins.size() ? begins[i + 1] : whole->dims[dimension];
      const auto within =
          program::stays_within(cx, access.indices[dimension], begins[i], end, access.guards);
      if (within.proof == program::Proof::Yes) return i;
    }
    return std::nullopt;
  }
  std::vector<Expr> moved(Context& cx, std::size_t piece, std::span<const Expr> indices) const {
    std::vector<Expr> at(indices.begin(), indices.end());
    expr::Context& ex = cx.indices();
    at[dimension] = expr::simplify(ex, expr::sub(ex, at[dimension], cx.number(begins[piece])));
    return at;
  }
};

Result<Stmt> with_pieces(Context& cx, const Block& block, const Pieces& pieces) {
  const Body& body = *block.body;
  std::map<Scalar, std::size_t> loads;
  std::optional<std::size_t> written;
  for (const Access& access : program::accesses_of(cx, body)) {
    if (access.buffer != pieces.whole) continue;
    const std::string name(block.name), whole(pieces.whole->name);
    if (access.indices.size() != pieces.whole->dims.size()) {
      return Rejection(Reason::NotLocal, whole, "block '" + name + "' gathers from it");
    }
    const auto piece = pieces.piece_of(cx, access);
    if (!piece) return Rejection(Reason::NotABox, name, whole);
    if (access.kind != Access::Kind::Read) {
      written = piece;
      continue;
    }
    const auto [known, is_new] = loads.emplace(access.scalar, *piece);
    // Under one condition it is in one piece, and under another in the next.
    if (!is_new && known->second != *piece) return Rejection(Reason::NotABox, name, whole);
  }
  // Loads first: `rewrite` exchanges their indices before it asks.
  const auto load = [&](Scalar s) -> Scalar {
    const auto at = loads.find(s);
    if (at == loads.end()) return s;
    return cx.load(pieces.buffers[at->second], pieces.moved(cx, at->second, s->indices));
  };
  Body fields = *program::rewrite(cx, body, program::keep_index(), load);
  if (written) {
    fields.target = pieces.buffers[*written];
    fields.indices = cx.keep(pieces.moved(cx, *written, body.indices));
  }
  return program::with_body(cx, block, cx.body(fields));
}

}  // namespace

Result<Applied> SplitLocal::apply(Context& cx, const Program& program) const {
  const Buffer* old = program::find_buffer(program, buffer);
  if (old == nullptr) return Rejection(Reason::UnknownName, buffer);
  if (old->role != program::Role::Local) {
    return Rejection(Reason::NotLocal, buffer, "it is a parameter, which belongs to the caller");
  }
  CAMBIUM_REQUIRE(require_cuts(*old, dimension, points));
  Pieces pieces{old, static_cast<std::size_t>(dimension), {0}, {}};
  pieces.begins.insert(pieces.begins.end(), points.begin(), points.end());
  Fresh fresh(cx, program);
  std::vector<const Buffer*> locals;
  for (const Buffer* local : program.locals) {
    if (local != old) {
      locals.push_back(local);
      continue;
    }
    for (std::size_t i = 0; i < pieces.begins.size(); ++i) {
      Ints dims(old->dims.begin(), old->dims.end());
      const std::int64_t end =
          i + 1 < pieces.begins.size() ? pieces.begins[i + 1] : dims[pieces.dimension];
      dims[pieces.dimension] = end - pieces.begins[i];
      const std::string_view name = i == 0 ? old->name : fresh.buffer(old->name);
      pieces.buffers.push_back(
          cx.buffer(name, old->dtype, dims, program::Role::Local, old->annotations));
      locals.push_back(pieces.buffers.back());
    }
  }
  std::optional<Rejection> refused;
  Program result = program::map_blocks(cx, program, [&](const Block& block) -> Stmt {
    if (refused || !program::touches(*block.body, old)) return &block;
    Result<Stmt> made = with_pieces(cx, *fitted(cx, block, old), pieces);
    if (made.ok()) return *made;
    refused = made.rejection();
    return &block;
  });
  if (refused) return *std::move(refused);
  result.locals = cx.keep(locals);
  if (!program::readers_of(program::sites_of(program), old).empty()) {
    std::vector<const Buffer*> read = read_locals(program);
    std::erase(read, old);
    read.insert(read.end(), pieces.buffers.begin(), pieces.buffers.end());
    result = without_unread(cx, result, read);
  }
  CAMBIUM_REQUIRE(holds(cx, result,
                        {program::bindings_in_range, program::points_once, program::writes_apart,
                         program::reductions_complete, program::accesses_in_bounds,
                         program::reads_after_writes, program::parallel_independent}));
  Applied applied{result, {}};
  for (const Buffer* piece : pieces.buffers) {
    if (program::find_buffer(result, piece->name) != nullptr) {
      applied.made.emplace_back(piece->name);
    }
  }
  return applied;
}

}  // namespace cambium::schedule
