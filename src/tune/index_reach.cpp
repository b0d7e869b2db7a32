#include "tune/index_reach.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace cambium::tune {
namespace {

using expr::Kind;
using program::Expr;

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

void add_term(Reach& to, std::int64_t factor, std::uint32_t loop) {
  for (std::uint32_t i = 0; i < to.size; ++i) {
    if (to.terms[i].loop == loop) {
      to.terms[i].factor += factor;
      return;
    }
  }
  to.terms[to.size++] = {factor, loop};
}

void add(Reach& to, const Reach& x) {
  to.constant += x.constant;
  for (std::uint32_t i = 0; i < x.size; ++i) add_term(to, x.terms[i].factor, x.terms[i].loop);
  to.moves |= x.moves;
  to.divisions += x.divisions;
  to.divided |= x.divided;
  if (x.is_linear) return;
  if (to.is_linear) {
    to.rest = x.rest;
  } else {
    for (std::size_t l = 0; l < to.rest.size(); ++l) to.rest[l] += x.rest[l];
  }
  to.is_linear = false;
}

void scale(Reach& x, std::int64_t by) {
  x.constant *= by;
  for (std::uint32_t i = 0; i < x.size; ++i) x.terms[i].factor *= by;
  if (!x.is_linear) {
    for (float& r : x.rest) r *= static_cast<float>(std::abs(by));
  }
}

void keep_divisions(Reach& to, const Reach& from) {
  to.divisions += from.divisions;
  to.divided |= from.divided;
}

void add_division(Reach& to, std::int64_t by) {
  to.divisions += (by & (by - 1)) == 0 ? 0.25F : 1.0F;
  to.divided |= to.moves;
}

// The terms of x that are no multiples, and the ends between which they lie.
struct Split {
  Reach multiples, others;
  std::int64_t lo = 0, hi = 0;
};

Split split(const Reach& x, std::int64_t by, std::span<const LoopPart> loops) {
  Split s;
  s.multiples.constant = floor_div(x.constant, by) * by;
  s.others.constant = x.constant - s.multiples.constant;
  s.lo = s.hi = s.others.constant;
  for (std::uint32_t i = 0; i < x.size; ++i) {
    const Reach::Term& t = x.terms[i];
    Reach& part = t.factor % by == 0 ? s.multiples : s.others;
    part.terms[part.size++] = t;
    part.moves |= 1U << t.loop;
    if (&part == &s.multiples) continue;
    (t.factor < 0 ? s.lo : s.hi) += t.factor * (loops[t.loop].extent - 1);
  }
  return s;
}

// Whether nothing of x but whole multiples of a block's width stands still at a level.
bool is_aligned(const Reach& x, std::size_t level) {
  if (x.constant != 0) return false;
  for (std::uint32_t i = 0; i < x.size; ++i) {
    if (x.terms[i].loop < level) return false;
  }
  return true;
}

}  // namespace

double Reach::range(std::size_t level, std::span<const LoopPart> loops) const {
  double sum = is_linear ? 0 : static_cast<double>(rest[level]);
  for (std::uint32_t i = 0; i < size; ++i) {
    if (terms[i].loop < level) continue;
    // As real numbers: loops that are taken as one may be many.
    sum += std::abs(static_cast<double>(terms[i].factor)) *
           static_cast<double>(loops[terms[i].loop].extent - 1);
  }
  return sum;
}

double Reach::values(std::size_t level, std::span<const LoopPart> loops) const {
  double combinations = 1, reach = 0;
  std::int64_t step = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::int64_t factor = std::abs(terms[i].factor);
    if (terms[i].loop < level || factor == 0) continue;
    combinations *= static_cast<double>(loops[terms[i].loop].extent);
    reach += static_cast<double>(factor) * static_cast<double>(loops[terms[i].loop].extent - 1);
    step = step == 0 ? factor : std::min(step, factor);
  }
  const double more = is_linear ? 0 : static_cast<double>(rest[level]);
  if (step == 0) return 1 + more;
  return std::min(combinations * (1 + more), (reach + more) / static_cast<double>(step) + 1);
}

std::int64_t Reach::factor_of(std::size_t loop) const {
  for (std::uint32_t i = 0; i < size; ++i) {
    if (terms[i].loop == loop) return terms[i].factor;
  }
  return 0;
}

void ReachReader::bind(const program::Block& block) {
  body_ = block.body;
  iterators_.clear();
  iterators_.reserve(block.bindings.size());
  for (Expr binding : block.bindings) iterators_.push_back(of_loops(binding));
}

void ReachReader::bind(const program::Body& body, std::vector<Reach> iterators) {
  body_ = &body;
  iterators_ = std::move(iterators);
}

Reach ReachReader::of_loops(Expr e) const {
  return read(e, [&](Expr axis) {
    Reach found;
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      if (loops_[i].axis != axis) continue;
      found.terms[found.size++] = {loops_[i].scale, static_cast<std::uint32_t>(i)};
      found.moves |= 1U << i;
    }
    return found;  // of a loop that runs once: 0
  });
}

Reach ReachReader::of_indices(Expr e) const {
  return read(e, [&](Expr axis) {
    for (std::size_t i = 0; i < iterators_.size(); ++i) {
      if (body_->iterators[i].axis == axis) return iterators_[i];
    }
    return Reach{};
  });
}

std::uint32_t ReachReader::moves_of(Expr predicate) const {
  if (!expr::is_predicate(predicate)) return of_indices(predicate).moves;
  if (expr::info(predicate->kind).operands == 0) return 0;
  return moves_of(predicate->a) | (predicate->b == nullptr ? 0 : moves_of(predicate->b));
}

double ReachReader::share_of(Expr predicate) const {
  switch (predicate->kind) {
    case Kind::Bool: return expr::truth_of(predicate) ? 1 : 0;
    case Kind::Less: return share_less(predicate->a, predicate->b);
    case Kind::Equal: {
      Reach difference = of_indices(predicate->a);
      add(difference, of_indices(predicate->b));
      return 1 / difference.values(0, loops_);
    }
    case Kind::And: return share_of(predicate->a) * share_of(predicate->b);
    case Kind::Or: return 1 - (1 - share_of(predicate->a)) * (1 - share_of(predicate->b));
    case Kind::Not: return 1 - share_of(predicate->a);
    default: return 1;
  }
}

// Of x < y: counts the values of y - x over all iterations.
double ReachReader::share_less(Expr x, Expr y) const {
  Reach difference = of_indices(x);
  scale(difference, -1);
  add(difference, of_indices(y));
  constexpr double kMost = 4096;  // values to count; more are taken to be spread evenly
  const double range = difference.range(0, loops_);
  std::int64_t lo = difference.constant;
  for (std::uint32_t i = 0; i < difference.size; ++i) {
    const Reach::Term& t = difference.terms[i];
    if (t.factor < 0) lo += t.factor * (loops_[t.loop].extent - 1);
  }
  if (lo >= 1) return 1;
  const double hi = static_cast<double>(lo) + range;
  if (hi < 1) return 0;
  if (range > kMost || !difference.is_linear) return hi / (range + 1);
  std::vector<double> counts{1.0};  // of the value lo + position
  for (std::uint32_t i = 0; i < difference.size; ++i) {
    const auto extent = static_cast<std::size_t>(loops_[difference.terms[i].loop].extent);
    const auto step = static_cast<std::size_t>(std::abs(difference.terms[i].factor));
    std::vector<double> more(counts.size() + step * (extent - 1), 0.0);
    for (std::size_t n = 0; n < extent; ++n) {
      for (std::size_t v = 0; v < counts.size(); ++v) more[v + n * step] += counts[v];
    }
    counts = std::move(more);
  }
  double holds = 0, all = 0;
  for (std::size_t v = 0; v < counts.size(); ++v) {
    all += counts[v];
    if (lo + static_cast<std::int64_t>(v) >= 1) holds += counts[v];
  }
  return holds / all;
}

template <class Axis>
Reach ReachReader::read(Expr e, const Axis& axis) const {
  switch (e->kind) {
    case Kind::Const: {
      Reach made;
      made.constant = expr::value_of(e).factor;
      return made;
    }
    case Kind::Axis: return axis(e);
    case Kind::Add: {
      Reach made = read(e->a, axis);
      add(made, read(e->b, axis));
      return made;
    }
    case Kind::Mul: {
      Reach made = read(e->a, axis);
      scale(made, expr::value_of(e->b).factor);
      return made;
    }
    case Kind::Div: return divided(read(e->a, axis), expr::value_of(e->b).factor);
    case Kind::Mod: return remainder(read(e->a, axis), expr::value_of(e->b).factor);
    case Kind::Min:
    case Kind::Max: return either(read(e->a, axis), read(e->b, axis));
    default: return {};
  }
}

void ReachReader::bend(Reach& made) const {
  made.is_linear = false;
  made.rest.fill(0);
}

// 6*d + i over 14 takes one value, or two where a tile crosses a row: as often as the reach of the
// tile is of the row.
Reach ReachReader::divided(const Reach& x, std::int64_t by) const {
  Split s = split(x, by, loops_);
  Reach made = s.multiples;
  made.constant /= by;
  for (std::uint32_t i = 0; i < made.size; ++i) made.terms[i].factor /= by;
  keep_divisions(made, x);
  if (x.is_linear && s.lo >= 0 && s.hi < by) return made;
  bend(made);
  made.moves = x.moves;
  add_division(made, by);
  const double width = static_cast<double>(by);
  for (std::size_t l = 0; l <= loops_.size(); ++l) {
    double reach = s.others.range(l, loops_) / width;
    if (x.is_linear && is_aligned(s.others, l)) reach = std::floor(reach);
    if (!x.is_linear) reach += static_cast<double>(x.rest[l]) / width;
    made.rest[l] = static_cast<float>(reach);
  }
  return made;
}

Reach ReachReader::remainder(const Reach& x, std::int64_t by) const {
  Split s = split(x, by, loops_);
  Reach made = s.others;
  keep_divisions(made, x);
  if (x.is_linear && s.lo >= 0 && s.hi < by) return made;
  Reach bent;
  bend(bent);
  bent.moves = x.moves;
  keep_divisions(bent, x);
  add_division(bent, by);
  for (std::size_t l = 0; l <= loops_.size(); ++l) {
    double reach = s.others.range(l, loops_);
    if (!x.is_linear) reach += static_cast<double>(x.rest[l]);
    bent.rest[l] = static_cast<float>(std::min(reach, static_cast<double>(by - 1)));
  }
  return bent;
}

Reach ReachReader::either(const Reach& x, const Reach& y) const {
  Reach made;
  bend(made);
  made.moves = x.moves | y.moves;
  keep_divisions(made, x);
  keep_divisions(made, y);
  for (std::size_t l = 0; l <= loops_.size(); ++l) {
    made.rest[l] = static_cast<float>(std::max(x.range(l, loops_), y.range(l, loops_)));
  }
  return made;
}

}  // namespace cambium::tune
