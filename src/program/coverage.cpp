#include "program/coverage.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "expr/linear.h"
#include "expr/simplify.h"
#include "program/analysis.h"
#include "program/digits.h"
#include "program/tape.h"

namespace cambium::program {
namespace {

constexpr std::int64_t kMostPointsCovered = std::int64_t{1} << 20;

struct Part {  // an iterator, and its binding without the fixed loops
  std::int64_t extent;
  bool is_spatial;
  Expr free;  // over free loops only
};

// Loops, iterators and conditions that have to be looked at together.
struct Group {
  std::vector<Expr> loops;
  std::vector<Part> parts;
  std::vector<Expr> conditions;  // over the loops of the group
  bool is_vague = false;         // has conditions on fixed loops too, which are left out
  bool is_opaque = false;        // a binding mixes fixed and free loops beyond a sum
};

class Groups {
 public:
  // `wraps`: whether x % c counts as x where the free part of x spans less than c, which tells
  // points apart as well but is not where they are.
  Groups(Context& cx, std::vector<Expr> free, bool wraps = false)
      : cx_(cx), free_(std::move(free)), wraps_(wraps) {
    for (Expr axis : free_) groups_.push_back({{axis}, {}, {}});
  }

  void add_binding(std::int64_t extent, bool is_spatial, Expr binding) {
    std::vector<Expr> axes = axes_of(binding);
    const auto fixed = std::partition(axes.begin(), axes.end(), [&](Expr a) { return is_free(a); });
    const bool nothing_fixed = fixed == axes.end();
    axes.erase(fixed, axes.end());
    Group& group = group_of(axes);
    Expr free = nothing_fixed ? binding : free_part(binding);
    if (free != nullptr) {
      group.parts.push_back({extent, is_spatial, free});
    } else {
      group.is_opaque = true;
    }
  }

  void add_predicate(Expr predicate) {
    std::vector<Expr> conjuncts;
    add_conjuncts(cx_, predicate, conjuncts);
    for (Expr p : conjuncts) add_condition(p);
  }

  const std::vector<Group>& all() const { return groups_; }

 private:
  bool is_free(Expr axis) const {
    return std::find(free_.begin(), free_.end(), axis) != free_.end();
  }

  // The group of all these loops, after joining those that they were in; a new one if there are
  // none.
  Group& group_of(const std::vector<Expr>& axes) {
    Group joined;
    for (auto it = groups_.begin(); it != groups_.end();) {
      const bool meets = std::any_of(it->loops.begin(), it->loops.end(), [&](Expr axis) {
        return std::find(axes.begin(), axes.end(), axis) != axes.end();
      });
      if (!meets) {
        ++it;
        continue;
      }
      joined.loops.insert(joined.loops.end(), it->loops.begin(), it->loops.end());
      joined.parts.insert(joined.parts.end(), it->parts.begin(), it->parts.end());
      joined.conditions.insert(joined.conditions.end(), it->conditions.begin(),
                               it->conditions.end());
      joined.is_vague = joined.is_vague || it->is_vague;
      joined.is_opaque = joined.is_opaque || it->is_opaque;
      it = groups_.erase(it);
    }
    groups_.push_back(std::move(joined));
    return groups_.back();
  }

  // What a sum has of free loops: an offset by fixed ones moves all points alike. nullptr: they do
  // not come apart.
  Expr free_part(Expr binding) {
    expr::Linear all;
    expr::Linear free;
    if (!all.add_scaled(binding, expr::Monomial::of(1))) return nullptr;
    for (const expr::Term& term : all.terms()) {
      if (term.atom == nullptr) continue;
      const std::vector<Expr> axes = axes_of(term.atom);
      const auto n = std::count_if(axes.begin(), axes.end(), [&](Expr a) { return is_free(a); });
      if (n == 0) continue;
      if (n < static_cast<std::ptrdiff_t>(axes.size())) {
        Expr inside = wraps_ ? unwrapped(term.atom) : nullptr;
        if (inside == nullptr || !free.add_scaled(inside, term.coefficient)) return nullptr;
        continue;
      }
      if (!free.add(term.coefficient, term.atom)) return nullptr;
    }
    return free.build(cx_.indices());
  }

  // The free part of x of an atom x % c, if it spans less than c.
  Expr unwrapped(Expr atom) {
    if (atom->kind != expr::Kind::Mod) return nullptr;
    Expr inside = free_part(atom->a);
    if (inside == nullptr || inside->range.lo < -kMostPointsCovered ||
        inside->range.hi > kMostPointsCovered ||
        inside->range.hi - inside->range.lo >= expr::value_of(atom->b).factor) {
      return nullptr;
    }
    return inside;
  }

  void add_condition(Expr p) {
    const std::vector<Expr> axes = axes_of(p);
    const bool closed = std::all_of(axes.begin(), axes.end(), [&](Expr a) { return is_free(a); });
    std::vector<Expr> free;
    std::copy_if(axes.begin(), axes.end(), std::back_inserter(free),
                 [&](Expr a) { return is_free(a); });
    Group& group = group_of(free);
    if (closed)
      group.conditions.push_back(p);
    else
      group.is_vague = true;
  }

  Context& cx_;
  std::vector<Expr> free_;
  bool wraps_;
  std::vector<Group> groups_;
};

// Where a condition cuts off the end of a sum of loops, 6*i.o + i.i < 50: the end. Nothing when it
// is any other condition.
std::optional<std::int64_t> end_of(const expr::Linear& sum, Expr condition) {
  expr::Linear left;  // bound - sum
  if (condition->kind != expr::Kind::Less ||
      !left.add_scaled(condition->b, expr::Monomial::of(1)) ||
      !left.add_scaled(condition->a, expr::Monomial::of(-1)) ||
      !left.add_scaled(sum, expr::Monomial::of(1))) {
    return std::nullopt;
  }
  if (left.empty()) return 0;
  if (left.terms().size() != 1 || left.terms()[0].atom != nullptr) return std::nullopt;
  return left.terms()[0].coefficient.factor;
}

// One iterator that is a sum of loops: 16*i.o + 4*i.m + i.i, all of it or up to an end.
std::optional<Coverage> by_radix(const Group& group) {
  const Part& part = group.parts[0];
  expr::Linear sum;
  if (group.is_opaque || !sum.add_scaled(part.free, expr::Monomial::of(1))) return std::nullopt;
  std::vector<std::pair<std::int64_t, std::int64_t>> radix;  // stride, extent
  bool is_dense = true;
  for (const expr::Term& term : sum.terms()) {
    if (term.atom == nullptr) {
      is_dense = false;  // begins elsewhere than at 0
      continue;
    }
    if (term.atom->kind != expr::Kind::Axis) return std::nullopt;
    radix.emplace_back(term.coefficient.factor, expr::value_of(expr::extent_of(term.atom)).factor);
  }
  if (radix.size() != group.loops.size()) return std::nullopt;
  std::sort(radix.begin(), radix.end());
  std::int64_t reach = 1;  // what the loops so far tell apart
  for (const auto& [stride, extent] : radix) {
    if (extent == 1) continue;
    if (stride < reach) return std::nullopt;
    if (stride > reach) is_dense = false;
    if (__builtin_mul_overflow(stride, extent, &reach)) return std::nullopt;
  }
  for (Expr condition : group.conditions) {
    const auto end = end_of(sum, condition);
    if (!end) return std::nullopt;
    reach = std::min(reach, *end);
  }
  if (group.is_vague) {
    // A condition that is left out decides which points are visited: none of them twice.
    return Coverage{Proof::Yes, part.is_spatial ? Proof::Yes : Proof::Unknown, Proof::Unknown};
  }
  const Proof whole = is_dense && reach == part.extent ? Proof::Yes : Proof::No;
  return Coverage{Proof::Yes, part.is_spatial ? Proof::Yes : whole, whole};
}

// Visits all points of the group and marks those of its iterators.
class Visit {
 public:
  explicit Visit(const Group& group) : group_(group), tape_(group.loops) {
    for (const bool spatial : {true, false}) {
      for (const Part& part : group.parts) {
        if (part.is_spatial != spatial) continue;
        const expr::Interval range = part.free->range;
        const bool bounded = range.lo >= -kMostPointsCovered && range.hi <= kMostPointsCovered;
        // The offset of a free part is unknown: its own range counts, not that of the iterator.
        const std::int64_t lo = std::min<std::int64_t>(range.lo, 0);
        const std::int64_t width = bounded ? std::max(part.extent, range.hi - lo + 1) : 0;
        if (!bounded || size_ > kMostPointsCovered / width) {
          size_ = kMostPointsCovered + 1;
          return;
        }
        sides_.push_back({tape_.add(part.free), lo, width});
        (spatial ? spatial_ : reduce_) *= part.extent;
        size_ *= width;
        if (!spatial) widths_ *= width;
      }
    }
    for (Expr condition : group.conditions) conditions_.push_back(tape_.add(condition));
  }

  bool is_small() const {
    return size_ <= kMostPointsCovered && points_of(group_.loops) <= kMostPointsCovered;
  }

  Coverage run() {
    std::vector<bool> seen(static_cast<std::size_t>(size_));
    std::vector<std::int64_t> reduced(static_cast<std::size_t>(size_ / widths_));
    bool once = true;
    for_each_point(group_.loops, [&](std::span<const std::int64_t> point) {
      tape_.evaluate(point);
      for (const std::size_t c : conditions_) {
        if (tape_[c] == 0) return true;
      }
      std::int64_t key = 0;
      for (const Side& side : sides_) key = key * side.width + tape_[side.place] - side.lo;
      if (seen[static_cast<std::size_t>(key)]) once = false;
      seen[static_cast<std::size_t>(key)] = true;
      ++reduced[static_cast<std::size_t>(key / widths_)];
      return true;
    });
    bool all_reduced = true;
    std::int64_t visited = 0;
    for (const std::int64_t count : reduced) {
      if (count == 0) continue;
      ++visited;
      if (count < reduce_) all_reduced = false;
    }
    const auto proof = [](bool b) { return b ? Proof::Yes : Proof::No; };
    return {proof(once), proof(all_reduced), proof(all_reduced && visited == spatial_)};
  }

 private:
  struct Side {
    std::size_t place;
    std::int64_t lo, width;
  };
  const Group& group_;
  Tape tape_;
  std::vector<Side> sides_;  // spatial ones first
  std::vector<std::size_t> conditions_;
  std::int64_t spatial_ = 1, reduce_ = 1;  // points of the iterators
  std::int64_t size_ = 1, widths_ = 1;     // of all keys, of the reduce part
};

Coverage coverage_of_group(const Group& group) {
  if (group.parts.size() == 1) {
    if (const auto found = by_radix(group)) return *found;
  }
  if (group.is_opaque) return {Proof::Unknown, Proof::Unknown, Proof::Unknown};
  Visit visit(group);
  if (!visit.is_small()) return {Proof::Unknown, Proof::Unknown, Proof::Unknown};
  Coverage found = visit.run();
  if (group.is_vague) {
    // Leaving a condition out can only add visits: what is then visited once at most, still is.
    if (found.once != Proof::Yes) found.once = Proof::Unknown;
    found.full = Proof::Unknown;
    // Where nothing is reduced, it decides which points are visited, but not what they see.
    const bool reduces = std::any_of(group.parts.begin(), group.parts.end(),
                                     [](const Part& part) { return !part.is_spatial; });
    if (reduces) found.reduced = Proof::Unknown;
  }
  return found;
}

Coverage coverage_of_all(const Groups& groups) {
  Coverage all;
  for (const Group& group : groups.all()) {
    const Coverage one = coverage_of_group(group);
    all.once = both(all.once, one.once);
    all.reduced = both(all.reduced, one.reduced);
    all.full = both(all.full, one.full);
  }
  return all;
}

}  // namespace

Coverage coverage_of(Context& cx, const Site& site, const Loop* home) {
  std::vector<Expr> free;
  for (const Loop* loop : site.loops) {
    free.push_back(loop->axis);
    if (loop == home) free.clear();
  }
  const Block& block = *site.block;
  std::vector<Expr> all(block.bindings.begin(), block.bindings.end());
  all.push_back(block.predicate);
  const Digits digits = split_digits(cx, free, all);
  Groups groups(cx, digits.axes);
  for (std::size_t i = 0; i < block.bindings.size(); ++i) {
    const Iterator& it = block.body->iterators[i];
    groups.add_binding(it.extent(), it.kind == IteratorKind::Spatial, digits.all[i]);
  }
  groups.add_predicate(digits.all.back());
  return coverage_of_all(groups);
}

Proof writes_apart(Context& cx, const Body& body) {
  std::vector<Expr> axes;
  std::int64_t points = 1;
  for (const Iterator& it : body.iterators) {
    if (it.kind != IteratorKind::Spatial) continue;
    axes.push_back(it.axis);
    if (__builtin_mul_overflow(points, it.extent(), &points)) return Proof::Unknown;
  }
  if (points > body.target->elements()) return Proof::No;  // some share one
  const Digits digits = split_digits(cx, axes, body.indices);
  Groups groups(cx, digits.axes);
  for (std::size_t d = 0; d < body.indices.size(); ++d) {
    groups.add_binding(body.target->dims[d], true, digits.all[d]);
  }
  return coverage_of_all(groups).once;
}

Proof writes_apart(Context& cx, const Site& site, const Loop* home) {
  const Block& block = *site.block;
  const Proof anywhere = writes_apart(cx, *block.body);
  if (anywhere == Proof::Yes || home == nullptr) return anywhere;
  std::vector<Expr> free;
  for (const Loop* loop : site.loops) {
    const Feeds feeds = feeds_of(*loop, block);
    if (feeds.spatial && feeds.reduce) return anywhere;
    if (feeds.spatial) free.push_back(loop->axis);
    if (loop == home) free.clear();
  }
  std::vector<Expr> all = over_loops(cx, block, block.body->indices);
  for (Expr& index : all) index = expr::simplify(cx.indices(), index);
  all.push_back(block.predicate);
  const Digits digits = split_digits(cx, free, all);
  Groups groups(cx, digits.axes, true);
  for (std::size_t d = 0; d < block.body->indices.size(); ++d) {
    groups.add_binding(block.body->target->dims[d], true, digits.all[d]);
  }
  groups.add_predicate(digits.all.back());
  return coverage_of_all(groups).once;
}

}  // namespace cambium::program
