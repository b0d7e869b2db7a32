#include <algorithm>
#include <optional>
#include <unordered_map>

#include "expr/linear.h"
#include "expr/simplify.h"
#include "expr/substitute.h"
#include "program/analysis.h"
#include "program/coverage.h"
#include "program/elements_written.h"
#include "program/points.h"
#include "program/prove.h"
#include "program/region.h"
#include "program/tape.h"
#include "program/verify_rules.h"
#include "program/written_before.h"

namespace cambium::program {
namespace {

constexpr std::int64_t kMostIterations = std::int64_t{1} << 14;

// base + number.
Expr plus(Context& cx, Expr base, std::int64_t number) {
  return expr::add(cx.indices(), base, cx.number(number));
}

// Whether the predicate of a writer only cuts off what lies outside the buffer: i < 60 for the
// iterator i of extent 60 that is itself an index into a dimension of 60.
bool only_clips(Context& cx, const Site& writer) {
  const Block& block = *writer.block;
  std::vector<Expr> conjuncts;
  add_conjuncts(cx, block.predicate, conjuncts);
  return std::all_of(conjuncts.begin(), conjuncts.end(), [&](Expr p) {
    if (p->kind != expr::Kind::Less || p->b->kind != expr::Kind::Const) return false;
    for (std::size_t k = 0; k < block.bindings.size(); ++k) {
      const Iterator& it = block.body->iterators[k];
      if (distance(cx, block.bindings[k], p->a) != 0) continue;
      if (expr::value_of(p->b).factor != it.extent()) continue;
      const auto& at = block.body->indices;
      for (std::size_t d = 0; d < at.size(); ++d) {
        if (at[d] == it.axis && block.body->target->dims[d] == it.extent()) return true;
      }
      if (it.kind == IteratorKind::Reduce) return true;  // says when, not where
    }
    return false;
  });
}

// Whether a common loop feeds the reduction of the writer, whose elements are then not finished.
bool is_unfinished(const Site& writer, const Site& reader) {
  for (std::size_t k = 0; k < writer.loops.size() && k < reader.loops.size(); ++k) {
    if (writer.loops[k] != reader.loops[k]) break;
    if (feeds_of(*writer.loops[k], *writer.block).reduce) return true;
  }
  return false;
}

// A box that no loop moves, between numbers, inside a buffer or a space of these sizes.
std::optional<Region> region_of(Context& cx, const Box& box, std::span<const std::int64_t> sizes) {
  if (!box.is_exact) return std::nullopt;
  Region region;
  for (std::size_t d = 0; d < box.sides.size(); ++d) {
    const auto base = distance(cx, cx.number(0), box.sides[d].base);
    if (!base) return std::nullopt;
    const expr::Interval range = expr::add(box.sides[d].range, expr::Interval::exactly(*base));
    region.push_back({std::max<std::int64_t>(range.lo, 0), std::min(range.hi, sizes[d] - 1)});
  }
  return region;
}

// All that a block writes, when that is a box of elements and known exactly.
std::optional<Region> written_by(Context& cx, const Site& writer) {
  const Body& body = *writer.block->body;
  if (coverage_of(cx, writer).full == Proof::Yes) {
    return region_of(cx, box_over_iterators(cx, body.indices), body.target->dims);
  }
  if (!only_clips(cx, writer)) return std::nullopt;
  return region_of(cx, box_of(cx, writer, body.indices, nullptr), body.target->dims);
}

// The same, asked once for each writer however often it is read.
class Regions {
 public:
  const std::optional<Region>& of(Context& cx, const Site& writer) {
    const auto [at, is_new] = known_.try_emplace(writer.block);
    if (is_new) at->second = written_by(cx, writer);
    return at->second;
  }

  std::unordered_map<Fingerprint, bool> full;  // by writers: whether they write all of a buffer

 private:
  std::unordered_map<const Block*, std::optional<Region>> known_;
};

// Whether the predicate leaves out only points that lie outside the ranges of the iterators.
bool keeps_all_points(Context& cx, const Block& block) {
  std::vector<Expr> conjuncts;
  add_conjuncts(cx, block.predicate, conjuncts);
  return std::all_of(conjuncts.begin(), conjuncts.end(), [&](Expr p) {
    for (std::size_t k = 0; k < block.bindings.size(); ++k) {
      const std::int64_t extent = block.body->iterators[k].extent();
      if (only_bounds(cx, p, block.bindings[k], 0, extent)) return true;
    }
    return false;
  });
}

// Whether r lies within w wherever the loops that stand still are.
bool lies_within(Context& cx, const Side& r, const Side& w) {
  return provably_at_most(cx, plus(cx, w.base, w.range.lo), plus(cx, r.base, r.range.lo)) &&
         provably_at_most(cx, plus(cx, r.base, r.range.hi), plus(cx, w.base, w.range.hi));
}

// Whether the block does the same in every iteration of a loop and those around it.
bool is_repeated(const Site& site, const Loop* loop) {
  std::vector<Expr> all(site.block->bindings.begin(), site.block->bindings.end());
  all.push_back(site.block->predicate);
  for (std::size_t i = 0; loop != nullptr && i < site.loops.size(); ++i) {
    for (const Expr e : all) {
      if (uses(e, site.loops[i]->axis)) return false;
    }
    if (site.loops[i] == loop) break;
  }
  return true;
}

// The same by points: the point of the writer that computes what is read is among those visited.
bool is_computed(Context& cx, const Site& reader, const Access& access, const Site& writer) {
  const Body& body = *writer.block->body;
  const auto point = point_at(cx, body.iterators, body.indices, access.indices);
  if (!point || !keeps_all_points(cx, *writer.block)) return false;
  std::vector<Expr> iterators, values;
  for (std::size_t k = 0; k < point->size(); ++k) {
    if ((*point)[k] == nullptr) continue;
    const std::int64_t extent = body.iterators[k].extent();
    if (stays_within(cx, (*point)[k], 0, extent, access.guards).proof != Proof::Yes) return false;
    iterators.push_back(body.iterators[k].axis);
    values.push_back((*point)[k]);
  }
  const Loop* fixed = common_loop(writer, reader);
  if (is_repeated(writer, fixed) && coverage_of(cx, writer, fixed).full == Proof::Yes) return true;
  const Box visited = box_of(cx, writer, iterators, fixed);
  const Box read = box_of(cx, reader, values, fixed);
  if (!visited.is_exact) return false;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!lies_within(cx, read.sides[k], visited.sides[k])) return false;
  }
  return true;
}

// Whether all that the access reads lies in what one writer has written by then.
bool is_covered(Context& cx, Regions& regions, const Site& reader, const Access& access,
                const Site& writer) {
  const Loop* fixed = common_loop(writer, reader);
  const bool gathers = access.indices.empty() && !access.buffer->dims.empty();
  if (fixed == nullptr) {
    const auto& region = regions.of(cx, writer);
    if (!region) return false;
    for (std::size_t d = 0; d < region->size(); ++d) {
      const auto [lo, hi] = (*region)[d];
      if (gathers ? lo > 0 || hi < access.buffer->dims[d] - 1
                  : stays_within(cx, access.indices[d], lo, hi + 1, access.guards).proof !=
                        Proof::Yes) {
        return false;
      }
    }
    return true;
  }
  const Box written = box_of(cx, writer, writer.block->body->indices, fixed);
  if (gathers || !written.is_exact || !only_clips(cx, writer)) return false;
  const Box read = box_of(cx, reader, access.indices, fixed);
  for (std::size_t d = 0; d < read.sides.size(); ++d) {
    const Side& r = read.sides[d];
    const Side& w = written.sides[d];
    // What lies outside the buffer is not read: that is proved by itself.
    const bool all_below = provably_at_most(cx, plus(cx, w.base, w.range.lo), cx.number(0));
    const bool all_above =
        provably_at_most(cx, cx.number(access.buffer->dims[d] - 1), plus(cx, w.base, w.range.hi));
    if (!all_below &&
        !provably_at_most(cx, plus(cx, w.base, w.range.lo), plus(cx, r.base, r.range.lo))) {
      return false;
    }
    if (!all_above &&
        !provably_at_most(cx, plus(cx, r.base, r.range.hi), plus(cx, w.base, w.range.hi))) {
      return false;
    }
  }
  return true;
}

// Whether a condition holds wherever the facts do.
bool follows(Context& cx, Expr condition, std::span<const Expr> facts) {
  if (std::find(facts.begin(), facts.end(), condition) != facts.end()) return true;
  if (condition->kind != expr::Kind::Less || condition->b->kind != expr::Kind::Const) {
    return condition == cx.indices().boolean(true);
  }
  const std::int64_t below = expr::value_of(condition->b).factor;
  const std::int64_t lowest = std::min(condition->a->range.lo, below - 1);
  return stays_within(cx, condition->a, lowest, below, facts).proof == Proof::Yes;
}

// The same by iterations: in the loops inside the common ones, the iteration of the writer that
// stores what is read exists, and its predicate holds there. Where locals are as small as a tile,
// iterators no longer tell apart what loops do.
bool is_stored(Context& cx, const Site& reader, const Access& access, const Site& writer) {
  const Loop* fixed = common_loop(writer, reader);
  const Block& block = *writer.block;
  std::vector<Iterator> inner;
  for (auto it = writer.loops.rbegin(); it != writer.loops.rend() && *it != fixed; ++it) {
    inner.push_back({(*it)->axis, IteratorKind::Spatial});
  }
  const std::vector<Expr> pattern = over_loops(cx, block, block.body->indices);
  const std::vector<Expr> at = over_loops(cx, *reader.block, access.indices);
  const auto point = point_at(cx, inner, pattern, at);
  if (!point) return false;
  std::vector<Expr> facts;
  add_conjuncts(cx, reader.block->predicate, facts);
  for (Expr guard : access.guards) facts.push_back(over_loops(cx, *reader.block, guard));
  std::vector<expr::Replacement> values;
  for (std::size_t k = 0; k < inner.size(); ++k) {
    if ((*point)[k] == nullptr) {
      if (uses(block.predicate, inner[k].axis)) return false;
      continue;
    }
    if (stays_within(cx, (*point)[k], 0, inner[k].extent(), facts).proof != Proof::Yes) {
      return false;
    }
    values.push_back({inner[k].axis, (*point)[k]});
  }
  std::vector<Expr> conditions;
  add_conjuncts(cx, block.predicate, conditions);
  return std::all_of(conditions.begin(), conditions.end(), [&](Expr c) {
    const Expr then = expr::substitute(cx.indices(), c, values);
    return follows(cx, expr::simplify(cx.indices(), then), facts);
  });
}

// What the pieces of a loop write together: blocks that index their target alike, and compute all
// points of the iterators that they index it by.
std::optional<Region> written_in_pieces(Context& cx, std::span<const Site* const> writers) {
  const Body& body = *writers.front()->block->body;
  std::vector<Expr> axes;
  std::vector<std::int64_t> extents;
  Region all;
  for (const Iterator& it : body.iterators) {
    const auto indexes = [&](Expr e) { return uses(e, it.axis); };
    if (std::none_of(body.indices.begin(), body.indices.end(), indexes)) continue;
    axes.push_back(it.axis);
    extents.push_back(it.extent());
    all.push_back({0, it.extent() - 1});
  }
  std::vector<Region> pieces;
  for (const Site* writer : writers) {
    const Body& piece = *writer->block->body;
    const bool alike = std::equal(piece.indices.begin(), piece.indices.end(), body.indices.begin());
    if (!alike || !keeps_all_points(cx, *writer->block)) return std::nullopt;
    auto region = region_of(cx, box_of(cx, *writer, axes, nullptr), extents);
    if (!region) return std::nullopt;
    pieces.push_back(std::move(*region));
  }
  if (!cover(pieces, all)) return std::nullopt;
  return region_of(cx, box_over_iterators(cx, body.indices), body.target->dims);
}

// Whether the blocks before a place together write all of a region.
bool is_written(Inspection& i, Regions& known, const Buffer* buffer, std::size_t before,
                const Region& wanted) {
  std::vector<Region> regions;
  std::vector<const Site*> writers;
  for (const std::size_t w : writers_of(i.sites, buffer)) {
    if (i.sites[w].order >= before || !starts(*i.sites[w].block->body)) continue;
    writers.push_back(&i.sites[w]);
    if (const auto& region = known.of(i.cx, i.sites[w])) regions.push_back(*region);
  }
  if (cover(regions, wanted)) return true;
  if (writers.size() < 2) return false;
  const auto together = written_in_pieces(i.cx, writers);
  return together && cover(std::span(&*together, 1), wanted);
}

Region whole(const Buffer& buffer) {
  Region region;
  for (const std::int64_t dim : buffer.dims) region.push_back({0, dim - 1});
  return region;
}

// Names what writes a buffer before a place.
Fingerprint key_of_writers(Inspection& i, const Buffer* buffer, std::size_t before) {
  Hasher key;
  key.add("written in full");
  for (const std::size_t w : writers_of(i.sites, buffer)) {
    if (i.sites[w].order < before) key.add(i.key_of(i.sites[w]));
  }
  return key.done();
}

// Whether the blocks before a place together write all of a buffer. Most reads are of such, and
// what they read then needs no look.
bool is_written_in_full(Inspection& i, Regions& regions, const Buffer* buffer, std::size_t before) {
  const Fingerprint name = key_of_writers(i, buffer, before);
  const auto [at, is_new] = regions.full.try_emplace(name);
  if (is_new) {
    std::uint32_t& known = i.cx.sound()[name];  // of any version of the program
    if (known == 0 && is_written(i, regions, buffer, before, whole(*buffer))) known = 1;
    at->second = known != 0;
  }
  return at->second;
}

// The region that an access reads, no larger than the buffer.
Region region_read(const Access& access) {
  Region region = whole(*access.buffer);
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    region[d].lo = std::clamp<std::int64_t>(access.indices[d]->range.lo, 0, region[d].hi);
    region[d].hi = std::clamp<std::int64_t>(access.indices[d]->range.hi, 0, region[d].hi);
  }
  return region;
}

// The same, element by element.
bool is_every_element_written(Inspection& i, const Buffer* buffer, std::size_t before) {
  const auto bits = elements_written(i.cx, i.sites, buffer, before);
  if (!bits || std::find(bits->begin(), bits->end(), false) != bits->end()) return false;
  i.cx.sound()[key_of_writers(i, buffer, before)] = 1;  // the next reader need not count
  return true;
}

void check_read(Inspection& i, Regions& regions, const Site& reader, const Access& access) {
  const std::string block(reader.block->name);
  const std::string buffer(access.buffer->name);
  std::vector<const Site*> writers;
  bool all_outside = true;
  for (const std::size_t w : writers_of(i.sites, access.buffer)) {
    const Site& writer = i.sites[w];
    if (writer.order >= reader.order) continue;
    if (is_unfinished(writer, reader) && access.kind == Access::Kind::Read) {
      i.refuse(Rejection(Reason::ReadBeforeWrite, block, buffer));
      return;
    }
    writers.push_back(&writer);
    if (common_loop(writer, reader) != nullptr) all_outside = false;
  }
  if (writers.empty()) {
    i.refuse(Rejection(Reason::ReadBeforeWrite, block, buffer));
    return;
  }
  if (all_outside && is_written_in_full(i, regions, access.buffer, reader.order)) return;
  const bool covered = std::any_of(writers.begin(), writers.end(), [&](const Site* writer) {
    return starts(*writer->block->body) &&
           (is_covered(i.cx, regions, reader, access, *writer) ||
            is_computed(i.cx, reader, access, *writer) || is_stored(i.cx, reader, access, *writer));
  });
  if (!covered) {
    if (all_outside && (is_written(i, regions, access.buffer, reader.order, region_read(access)) ||
                        is_every_element_written(i, access.buffer, reader.order))) {
      return;
    }
    if (written_before(i.cx, i.sites, reader, access) == Proof::Yes) return;
    i.not_proved(called(*reader.block), "all that it reads of '" + buffer + "' was written");
  }
}

// The part of a side's base that moves with the loop, at every iteration; nothing when it does not
// come apart from the other loops that stand still.
std::optional<std::vector<std::int64_t>> positions(Context& cx, Expr base, const Loop& loop) {
  expr::Linear all;
  expr::Linear moving;
  if (loop.extent() > kMostIterations || !all.add_scaled(base, expr::Monomial::of(1))) {
    return std::nullopt;
  }
  for (const expr::Term& term : all.terms()) {
    if (term.atom == nullptr || !uses(term.atom, loop.axis)) continue;
    if (axes_of(term.atom).size() > 1 || !moving.add(term.coefficient, term.atom)) {
      return std::nullopt;
    }
  }
  Tape tape(std::span(&loop.axis, 1));
  const std::size_t place = tape.add(moving.build(cx.indices()));
  std::vector<std::int64_t> values;
  for (std::int64_t n = 0; n < loop.extent(); ++n) {
    tape.evaluate(std::span(&n, 1));
    values.push_back(tape[place]);
  }
  return values;
}

// Two accesses in different iterations of a loop never meet. In a dimension where different
// positions are further apart than the accesses spread, they meet only at the same position; and no
// two iterations have the same position in all such dimensions.
bool never_meet(Context& cx, const Box& a, const Box& b, const Loop& loop) {
  std::vector<std::vector<std::int64_t>> keys(
      static_cast<std::size_t>(std::min<std::int64_t>(loop.extent(), kMostIterations)));
  for (std::size_t d = 0; d < a.sides.size(); ++d) {
    const auto shift = distance(cx, a.sides[d].base, b.sides[d].base);
    const auto values = positions(cx, a.sides[d].base, loop);
    if (!shift || !values) continue;
    const expr::Interval moved = expr::add(b.sides[d].range, expr::Interval::exactly(*shift));
    const std::int64_t lo = std::min(a.sides[d].range.lo, moved.lo);
    const std::int64_t hi = std::max(a.sides[d].range.hi, moved.hi);
    if (lo <= -expr::Interval::kInfinity / 2 || hi >= expr::Interval::kInfinity / 2) continue;
    std::vector<std::int64_t> sorted = *values;
    std::sort(sorted.begin(), sorted.end());
    bool apart = true;
    for (std::size_t n = 1; n < sorted.size(); ++n) {
      const std::int64_t gap = sorted[n] - sorted[n - 1];
      if (gap != 0 && gap <= hi - lo) apart = false;
    }
    if (!apart) continue;
    for (std::size_t n = 0; n < keys.size(); ++n) keys[n].push_back((*values)[n]);
  }
  std::sort(keys.begin(), keys.end());
  return std::adjacent_find(keys.begin(), keys.end()) == keys.end();
}

// What one iteration reads, no other writes.
void check_parallel_reads(Inspection& i, const Loop& loop, std::span<const Site* const> writers) {
  for (const Site& reader : i.sites) {
    if (!reader.is_under(&loop)) continue;
    for (const Access& access : accesses_of(i.cx, *reader.block->body)) {
      if (access.kind != Access::Kind::Read) continue;
      for (const Site* writer : writers) {
        if (writer->block->body->target != access.buffer) continue;
        const Box write = box_of(i.cx, *writer, writer->block->body->indices, &loop);
        const bool apart =
            !access.indices.empty() &&
            never_meet(i.cx, box_of(i.cx, reader, access.indices, &loop), write, loop);
        if (apart) continue;
        i.not_proved("loop '" + std::string(loop.name()) + "'",
                     called(*reader.block) + " reads nothing that " + called(*writer->block) +
                         " writes in another iteration");
      }
    }
  }
}

// Names all blocks under a loop, which of their buffers are the same, and which of those that they
// write live inside it.
Fingerprint key_under(Inspection& i, const Loop& loop) {
  Hasher key;
  std::vector<const Buffer*> buffers;
  for (const Site& site : i.sites) {
    const auto here = std::find(site.loops.begin(), site.loops.end(), &loop);
    if (here == site.loops.end()) continue;
    key.add(i.key_at_home(site)).add(here - site.loops.begin());
    for (const Buffer* buffer : site.block->body->buffers) {
      const auto known = std::find(buffers.begin(), buffers.end(), buffer);
      key.add(known - buffers.begin());
      if (known == buffers.end()) buffers.push_back(buffer);
    }
  }
  return key.done();
}

void check_parallel(Inspection& i, const Loop& loop) {
  const std::string name(loop.name());
  std::vector<const Site*> writers;  // of what outlives an iteration
  for (const Site& site : i.sites) {
    if (!site.is_under(&loop)) continue;
    if (feeds_of(loop, *site.block).reduce) {
      i.refuse(Rejection(Reason::ParallelReduction, name, std::string(site.block->name)));
      return;
    }
    const Loop* home = i.home_of(site);
    const bool dies_inside =
        home != nullptr &&
        (home == &loop || std::find(site.loops.begin(), site.loops.end(), home) >
                              std::find(site.loops.begin(), site.loops.end(), &loop));
    if (!dies_inside) writers.push_back(&site);
  }
  if (loop.extent() == 1) return;
  check_parallel_reads(i, loop, writers);
  for (std::size_t a = 0; a < writers.size(); ++a) {
    const Block& block = *writers[a]->block;
    if (!feeds_of(loop, block).spatial) {
      i.refuse(Rejection(Reason::ParallelOverlap, name, std::string(block.name)));
      continue;
    }
    for (std::size_t b = a + 1; b < writers.size(); ++b) {
      if (block.body->target != writers[b]->block->body->target) continue;
      const Box first = box_of(i.cx, *writers[a], block.body->indices, &loop);
      const Box second = box_of(i.cx, *writers[b], writers[b]->block->body->indices, &loop);
      if (!never_meet(i.cx, first, second, loop)) {
        i.not_proved("loop '" + name + "'", called(block) + " and " + called(*writers[b]->block) +
                                                " write different elements in its iterations");
      }
    }
  }
}

}  // namespace

namespace {

bool is_made(const Buffer& buffer) {
  return buffer.role == Role::Local || buffer.role == Role::Output;
}

// Whether the body reads what it writes. Most do not, and then it does not matter who else writes
// that: of the thousands of parts of a Concat, each would look at all before it.
bool reads_target(const Body& body) {
  bool found = body.combine != Combine::Assign && body.init == nullptr;
  const auto look = [&](Scalar s) { found |= s->buffer == body.target; };
  for_each_scalar(body.value, look);
  if (body.init != nullptr) for_each_scalar(body.init, look);
  return found;
}

// Names a block, those that write before it what it may read, and the loops that they share.
Fingerprint key_with_writers(Inspection& i, const Site& reader) {
  Hasher key;
  key.add(i.key_of(reader));
  const Body& body = *reader.block->body;
  const auto& buffers = body.buffers;
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    if (!is_made(*buffers[b]) || (buffers[b] == body.target && !reads_target(body))) continue;
    for (const Site& writer : i.sites) {
      if (writer.order >= reader.order) break;
      if (writer.block->body->target != buffers[b]) continue;
      const auto apart = std::mismatch(writer.loops.begin(), writer.loops.end(),
                                       reader.loops.begin(), reader.loops.end());
      key.add(b).add(i.key_of(writer)).add(apart.first - writer.loops.begin());
    }
  }
  return key.done();
}

bool is_same_read(const Access& a, const Access& b) {
  return a.kind == Access::Kind::Read && b.kind == a.kind && a.buffer == b.buffer &&
         a.scalar->kind == ScalarKind::Load && b.scalar->kind == ScalarKind::Load &&
         std::equal(a.indices.begin(), a.indices.end(), b.indices.begin(), b.indices.end());
}

// Choices among sums read the same elements again and again under other conditions: mostly they are
// there under none of them, and that is asked once. Takes the accesses for which it holds away.
void check_common_reads(Inspection& i, Regions& regions, const Site& site,
                        std::vector<Access>& accesses) {
  for (std::size_t first = 0; first < accesses.size();) {
    Access common = accesses[first];
    const auto is_again = [&common](const Access& a) { return is_same_read(common, a); };
    const auto from = accesses.begin() + static_cast<std::ptrdiff_t>(first);
    const std::size_t before = i.found.size();
    if (std::count_if(from, accesses.end(), is_again) > 1) {
      common.guards.clear();
      check_read(i, regions, site, common);
      if (i.found.size() == before) {
        accesses.erase(std::remove_if(from, accesses.end(), is_again), accesses.end());
        continue;
      }
      i.found.erase(i.found.begin() + static_cast<std::ptrdiff_t>(before), i.found.end());
    }
    ++first;
  }
}

}  // namespace

void reads_after_writes(Inspection& i) {
  Regions regions;
  for (const Site& site : i.sites) {
    i.unless_known(key_with_writers(i, site), [&] {
      std::vector<Access> reads;
      for (Access& access : accesses_of(i.cx, *site.block->body)) {
        if (access.kind != Access::Kind::Write && is_made(*access.buffer)) {
          reads.push_back(std::move(access));
        }
      }
      check_common_reads(i, regions, site, reads);
      for (const Access& access : reads) {
        if (!i.is_done()) check_read(i, regions, site, access);
      }
    });
  }
}

namespace {

void check_written(Inspection& i, Regions& regions, const Buffer& buffer) {
  if (is_written(i, regions, &buffer, i.sites.size(), whole(buffer))) return;
  const auto written = elements_written(i.cx, i.sites, &buffer, i.sites.size());
  if (!written) {
    i.not_proved("output '" + std::string(buffer.name) + "'", "it is written in full");
    return;
  }
  const auto gap = std::find(written->begin(), written->end(), false);
  if (gap != written->end()) {
    i.refuse(
        Rejection(Reason::OutputNotWritten, std::string(buffer.name), {}, gap - written->begin()));
  }
}

}  // namespace

void outputs_written(Inspection& i) {
  Regions regions;
  for (const Buffer* buffer : i.program.parameters) {
    if (buffer->role != Role::Output) continue;
    Hasher key;  // of all that write it
    for (const std::size_t w : writers_of(i.sites, buffer)) key.add(i.key_of(i.sites[w]));
    key.add_range(buffer->dims);
    i.unless_known(key.done(), [&] { check_written(i, regions, *buffer); });
  }
}

void parallel_independent(Inspection& i) {
  for_each_stmt(i.program, [&](Stmt s, const std::vector<const Loop*>&) {
    const Loop* loop = as_loop(s);
    if (loop == nullptr || (i.only != nullptr && loop != i.only)) return;
    if (loop->how == LoopKind::Parallel || loop->how == LoopKind::Vectorized) {
      i.unless_known(key_under(i, *loop), [&] { check_parallel(i, *loop); });
    }
  });
}

}  // namespace cambium::program
