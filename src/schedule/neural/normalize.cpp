#include "schedule/neural/normalize.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "expr/simplify.h"
#include "program/analysis.h"
#include "schedule/neural/nest_contraction.h"

namespace cambium::schedule {
namespace {

using neural::Contraction;
using neural::Digit;
using neural::Digits;
using neural::digits_of;
using neural::Draft;
using neural::Indices;
using neural::LoopRole;
using neural::Nest;
using neural::NestAxis;
using program::IteratorKind;

// Every index expression of the nest; conditions of selects apart, because they may not be digits.
struct Expressions {
  Indices indices;
  Indices conditions;
};

Expressions expressions_of(const Nest& nest) {
  Expressions all;
  all.indices = nest.indices;
  program::for_each_scalar(nest.value, [&](Scalar s) {
    if (s->kind == program::ScalarKind::Load) {
      all.indices.insert(all.indices.end(), s->indices.begin(), s->indices.end());
    } else if (s->kind == program::ScalarKind::Index) {
      all.conditions.push_back(s->indices[0]);
    }
  });
  return all;
}

// The least number above 1 by which a digit of the axis itself is told apart: 3 in axis/3 and in
// axis%9; 1: none is.
std::int64_t least_divisor(Expr e, Expr axis) {
  const bool is_leaf =
      e->kind == expr::Kind::Const || e->kind == expr::Kind::Bool || e->kind == expr::Kind::Axis;
  if (is_leaf) return 1;
  if ((e->kind == expr::Kind::Div || e->kind == expr::Kind::Mod) && e->a == axis) {
    const expr::Monomial& divisor = expr::value_of(e->b);
    return divisor.is_number() ? divisor.factor : 1;
  }
  const std::int64_t least = least_divisor(e->a, axis);
  if (e->kind == expr::Kind::Not) return least;
  const std::int64_t other = least_divisor(e->b, axis);
  return least == 1 || (other > 1 && other < least) ? other : least;
}

// A loop that was fused from others counts two digits; they become two loops again.
bool unfuse_once(Context& cx, Nest& nest) {
  Expressions all = expressions_of(nest);
  all.indices.insert(all.indices.end(), all.conditions.begin(), all.conditions.end());
  for (std::size_t i = 0; i < nest.axes.size(); ++i) {
    const NestAxis axis = nest.axes[i];
    if (axis.iterator == nullptr || axis.is_shared) continue;
    std::int64_t low = 1;
    for (const Expr e : all.indices) {
      const std::int64_t divisor = least_divisor(e, axis.iterator);
      if (divisor > 1 && (low == 1 || divisor < low)) low = divisor;
    }
    if (low == 1 || low >= axis.extent || axis.extent % low != 0) continue;
    NestAxis inner = axis;
    const std::string name(expr::name_of(axis.iterator));
    inner.extent = low;
    inner.iterator = cx.axis(cx.name(name + ".low"), low);
    NestAxis& outer = nest.axes[i];
    outer.extent = axis.extent / low;
    outer.iterator = cx.axis(cx.name(name + ".high"), outer.extent);
    expr::Context& ex = cx.indices();
    nest.substitute(
        cx, axis.iterator,
        expr::add(ex, expr::mul(ex, outer.iterator, expr::Monomial::of(low)), inner.iterator));
    nest.axes.insert(nest.axes.begin() + static_cast<std::ptrdiff_t>(i) + 1, inner);
    return true;
  }
  return false;
}

// Whether `low` counts the digit directly below `high` wherever one of them stands.
bool are_neighbours(Context& cx, const Expressions& all, const NestAxis& high,
                    const NestAxis& low) {
  for (Expr e : all.conditions) {
    if (program::uses(e, high.iterator) || program::uses(e, low.iterator)) return false;
  }
  for (Expr e : all.indices) {
    const bool has_high = program::uses(e, high.iterator);
    if (has_high != program::uses(e, low.iterator)) return false;
    if (!has_high) continue;
    const std::optional<Digits> digits = digits_of(cx, e);
    if (!digits) return false;
    const Digit* const above = digits->find(high.iterator);
    const Digit* const below = digits->find(low.iterator);
    if (above == nullptr || below == nullptr) return false;
    if (above->coefficient != below->coefficient * below->extent) return false;
  }
  return true;
}

// `low` takes over the digit `high`, which goes.
void merge(Context& cx, Nest& nest, std::size_t high, std::size_t low) {
  const std::int64_t extent = nest.axes[high].extent * nest.axes[low].extent;
  nest.substitute(cx, nest.axes[high].iterator, cx.number(0));
  nest.resize(cx, nest.axes[low], extent);
  nest.axes.erase(nest.axes.begin() + static_cast<std::ptrdiff_t>(high));
}

bool merge_once(Context& cx, Nest& nest) {
  const Expressions all = expressions_of(nest);
  for (std::size_t high = 0; high < nest.axes.size(); ++high) {
    for (std::size_t low = 0; low < nest.axes.size(); ++low) {
      const NestAxis &a = nest.axes[high], &b = nest.axes[low];
      if (high == low || a.extent == 1 || b.extent == 1 || a.kind != b.kind) continue;
      if (!are_neighbours(cx, all, a, b)) continue;
      merge(cx, nest, high, low);
      return true;
    }
  }
  return false;
}

constexpr std::array<const char*, 3> kSpace = {"d", "h", "w"};

// What a loop counts: the place of its name in the order, and the name.
struct Counts {
  std::size_t dim = 0;  // of the target, for spatial loops; of x, for taps
  std::int64_t place = 0;
  int kind = 0;  // spatial 0, tap 1, input channel 2
  std::string name;
};

class Naming {
 public:
  Naming(Context& cx, const Contraction& c) : cx_(cx), c_(c) {
    for (const NestAxis& axis : c.nest->axes) {
      if (role(axis) == LoopRole::Pixel) add_space(axis);
    }
    std::sort(space_.begin(), space_.end());
    space_.erase(std::unique(space_.begin(), space_.end()), space_.end());
  }

  Counts counts_of(const NestAxis& axis) const {
    Counts counts;
    const LoopRole what = role(axis);
    if (axis.is_spatial()) {
      std::tie(counts.dim, counts.place) = place_in(c_.nest->indices, axis.iterator);
      const bool is_pixel = what == LoopRole::Pixel || moves_space(axis);
      counts.name = is_pixel ? space_name(counts.dim) : c_.in_x(axis.iterator) ? "g" : "co";
      return counts;
    }
    std::tie(counts.dim, counts.place) = place_in(c_.x_at(), axis.iterator);
    const std::string tap = what == LoopRole::In ? tap_of_filter(axis) : "";
    const bool is_in = what == LoopRole::In && tap.empty();
    counts.kind = is_in ? 2 : 1;
    if (is_in) counts.name = "ci";
    if (what == LoopRole::Tap) counts.name = "k" + space_name(target_dim_of(counts.dim));
    if (!tap.empty()) counts.name = tap;
    return counts;
  }

  // Names of taps in order, for those that have no role because they are of one iteration.
  std::vector<std::string> tap_names() const {
    std::vector<std::string> names;
    for (std::size_t i = 1; i < space_.size(); ++i) names.push_back("k" + space_name(space_[i]));
    return names;
  }

 private:
  LoopRole role(const NestAxis& axis) const { return c_.role_of(axis); }

  void add_space(const NestAxis& axis) {
    space_.push_back(place_in(c_.nest->indices, axis.iterator).first);
  }

  // The first dimension that the iterator moves, and its place value there, counted downwards so
  // that the most significant digit comes first.
  std::pair<std::size_t, std::int64_t> place_in(const Indices& at, Expr iterator) const {
    for (std::size_t d = 0; d < at.size(); ++d) {
      if (!program::uses(at[d], iterator)) continue;
      const std::optional<Digits> digits = digits_of(cx_, at[d]);
      const Digit* const digit = digits ? digits->find(iterator) : nullptr;
      return {d, digit == nullptr ? 0 : -digit->coefficient};
    }
    return {at.size(), 0};
  }

  // A loop in the weights that also moves rows, as the slabs of GroupSlabs do.
  bool moves_space(const NestAxis& axis) const {
    const Indices at = c_.x_at();
    for (const NestAxis& other : c_.nest->axes) {
      if (other.iterator == axis.iterator || other.iterator == nullptr) continue;
      const LoopRole what = role(other);
      if (what != LoopRole::Pixel && what != LoopRole::Tap) continue;
      for (Expr e : at) {
        if (program::uses(e, axis.iterator) && program::uses(e, other.iterator)) return true;
      }
    }
    return false;
  }

  // Where one place is left of the output, taps alone count the places of x, as input channels do.
  // Only there, loops of several dimensions of the filter do so; it is [Co, Ci / groups, taps...]
  // then. The name of such a loop; empty: it counts channels.
  std::string tap_of_filter(const NestAxis& axis) const {
    const Indices at = c_.weights_at();
    const std::size_t axes = at.size() < 3 ? 0 : at.size() - 2;
    std::size_t of_ins = 0;  // dimensions
    for (const Expr e : at) {
      of_ins += std::any_of(c_.nest->axes.begin(), c_.nest->axes.end(), [&](const NestAxis& other) {
        return role(other) == LoopRole::In && program::uses(e, other.iterator);
      });
    }
    if (of_ins < 2 || axes > kSpace.size()) return {};
    for (std::size_t i = 0; i < axes; ++i) {
      if (program::uses(at[i + 2], axis.iterator)) {
        return std::string("k") + kSpace[kSpace.size() - axes + i];
      }
    }
    return {};
  }

  // The dimension of the target that moves with a dimension of x.
  std::size_t target_dim_of(std::size_t x_dim) const {
    const Expr e = c_.x_at()[x_dim];
    for (const NestAxis& axis : c_.nest->axes) {
      if (!axis.is_spatial() || axis.iterator == nullptr || !program::uses(e, axis.iterator)) {
        continue;
      }
      return place_in(c_.nest->indices, axis.iterator).first;
    }
    return 0;
  }

  // The first dimension in memory counts samples, the last ones depth, rows and columns.
  std::string space_name(std::size_t dim) const {
    const auto found = std::find(space_.begin(), space_.end(), dim);
    const std::size_t i = static_cast<std::size_t>(found - space_.begin());
    if (i == 0) return "n";
    const std::size_t from_end = space_.size() - i;
    if (found == space_.end() || from_end > kSpace.size()) return "s" + std::to_string(i);
    return kSpace[kSpace.size() - from_end];
  }

  Context& cx_;
  const Contraction& c_;
  std::vector<std::size_t> space_;  // dimensions of the target that count pixels, in order
};

void drop_loop(Context& cx, Nest& nest, std::size_t i) {
  nest.substitute(cx, nest.axes[i].iterator, cx.number(0));
  nest.axes.erase(nest.axes.begin() + static_cast<std::ptrdiff_t>(i));
}

// A digit of one iteration counts nothing beside the other digits of its number, as the loop over
// one group that skips channels: 48*g + co.
void drop_idle_digits(Context& cx, Nest& nest) {
  const auto is_idle_digit = [&](const NestAxis& idle) {
    if (idle.extent != 1 || idle.iterator == nullptr || !idle.is_spatial()) return false;
    return std::any_of(nest.indices.begin(), nest.indices.end(), [&](Expr e) {
      return program::uses(e, idle.iterator) &&
             std::any_of(nest.axes.begin(), nest.axes.end(), [&](const NestAxis& other) {
               return other.extent > 1 && program::uses(e, other.iterator);
             });
    });
  };
  for (std::size_t i = nest.axes.size(); i-- > 0;) {
    if (is_idle_digit(nest.axes[i])) drop_loop(cx, nest, i);
  }
}

Status drop_idle_loops(Context& cx, Contraction& c) {
  Nest& nest = *c.nest;
  for (const NestAxis& axis : nest.axes) {
    if (!axis.is_shared) continue;
    return not_a_contraction(c, "it shares loop '" + std::string(axis.loop) + "'");
  }
  std::erase_if(nest.axes, [](const NestAxis& axis) { return axis.iterator == nullptr; });
  drop_idle_digits(cx, nest);
  // Channels of one iteration: lowering writes no loop for them behind groups.
  const auto has = [&](auto wanted) {
    return std::any_of(nest.axes.begin(), nest.axes.end(), wanted);
  };
  const auto drop = [&](LoopRole role) {
    for (std::size_t i = nest.axes.size(); i-- > 0;) {
      const NestAxis axis = nest.axes[i];
      const bool is_only =
          std::count_if(nest.axes.begin(), nest.axes.end(),
                        [&](const NestAxis& a) { return a.kind == axis.kind; }) == 1;
      if (axis.extent != 1 || is_only || c.role_of(axis) != role || axis.iterator == nullptr) {
        continue;
      }
      drop_loop(cx, nest, i);
    }
  };
  const bool has_groups = has([&](const NestAxis& axis) {
    return axis.extent > 1 && c.role_of(axis) == LoopRole::Out && c.in_x(axis.iterator);
  });
  if (!has_groups) return Ok{};
  drop(LoopRole::In);
  if (!has([&](const NestAxis& axis) { return c.role_of(axis) == LoopRole::In; })) {
    drop(LoopRole::Out);
  }
  return Ok{};
}

// Orders and names the loops, and their iterators alike.
Names rename(Draft& draft, Contraction& c) {
  Context& cx = draft.cx();
  Nest& nest = *c.nest;
  const Naming naming(cx, c);
  struct Named {
    NestAxis axis;
    Counts counts;
  };
  std::vector<Named> all;
  for (const NestAxis& axis : nest.axes) all.push_back({axis, naming.counts_of(axis)});
  std::stable_sort(all.begin(), all.end(), [](const Named& a, const Named& b) {
    return std::tuple(a.counts.kind, a.counts.dim, a.counts.place) <
           std::tuple(b.counts.kind, b.counts.dim, b.counts.place);
  });
  std::vector<std::string> taps = naming.tap_names();
  for (const Named& one : all) std::erase(taps, one.counts.name);
  for (const NestAxis& axis : nest.axes) draft.fresh().forget_loop(axis.loop);
  Names made;
  std::vector<std::string> taken;  // by iterators
  std::vector<NestAxis> axes;
  // At once: the new name of one may be the old name of another.
  std::vector<expr::Replacement> renamed;
  for (Named& one : all) {
    std::string& name = one.counts.name;
    if (name.empty()) {
      name = taps.empty() ? "k" : taps.front();
      if (!taps.empty()) taps.erase(taps.begin());
    }
    NestAxis axis = one.axis;
    axis.loop = draft.fresh().loop(name);
    axis.how = program::LoopKind::Serial;
    axis.annotations = {};
    std::string own = name;
    while (std::find(taken.begin(), taken.end(), own) != taken.end()) own += ".i";
    taken.push_back(own);
    axis.iterator = cx.axis(cx.name(own), axis.extent);
    renamed.push_back({one.axis.iterator, axis.iterator});
    made.emplace_back(axis.loop);
    axes.push_back(axis);
  }
  nest.substitute(cx, renamed);
  nest.axes = std::move(axes);
  return made;
}

}  // namespace

Result<Applied> Normalize::apply(Context& cx, const Program& program) const {
  CAMBIUM_TRY(const Block* found, block_named(program, block));
  Draft draft(cx, program);
  CAMBIUM_TRY(Contraction c, contraction_of(draft, found));
  while (unfuse_once(cx, *c.nest)) {
  }
  CAMBIUM_REQUIRE(drop_idle_loops(cx, c));
  while (merge_once(cx, *c.nest)) {
  }
  Names made = rename(draft, c);
  NeuralApplied normal = draft.finish(std::move(made));
  return Applied{normal.program, std::move(normal.made)};
}

}  // namespace cambium::schedule
