#include "program/tape.h"

#include <algorithm>

#include "base/check.h"

namespace cambium::program {
namespace {

// Hostile numbers wrap around; those of programs that anybody runs do not get near it.
std::uint64_t bits(std::int64_t n) {
  return static_cast<std::uint64_t>(n);
}

}  // namespace

Tape::Tape(std::span<const Expr> axes) : axes_(axes.size()), values_(axes.size()) {
  for (std::size_t i = 0; i < axes.size(); ++i) known_.emplace(axes[i], i);
}

std::size_t Tape::add(Expr e) {
  const auto found = known_.find(e);
  if (found != known_.end()) return found->second;
  CAMBIUM_CHECK(e->kind != expr::Kind::Axis, "an axis that the tape does not know");
  Op op{e->kind, 0, 0, 0};
  if (e->kind == expr::Kind::Const) op.number = expr::value_of(e).factor;
  if (e->kind == expr::Kind::Bool) op.number = expr::truth_of(e) ? 1 : 0;
  if (expr::info(e->kind).operands > 0) {
    op.a = add(e->a);
    op.b = e->b == nullptr ? op.a : add(e->b);
  }
  ops_.push_back(op);
  values_.push_back(0);
  known_.emplace(e, values_.size() - 1);
  return values_.size() - 1;
}

void Tape::evaluate(std::span<const std::int64_t> point) {
  std::copy(point.begin(), point.end(), values_.begin());
  std::size_t to = axes_;
  for (const Op& op : ops_) {
    const std::int64_t a = values_[op.a];
    const std::int64_t b = values_[op.b];
    std::int64_t& value = values_[to++];
    switch (op.kind) {
      case expr::Kind::Const:
      case expr::Kind::Bool: value = op.number; break;
      case expr::Kind::Axis: break;
      case expr::Kind::Add: value = static_cast<std::int64_t>(bits(a) + bits(b)); break;
      case expr::Kind::Mul: value = static_cast<std::int64_t>(bits(a) * bits(b)); break;
      case expr::Kind::Div: value = expr::floor_div(a, b); break;
      case expr::Kind::Mod: value = expr::floor_mod(a, b); break;
      case expr::Kind::Min: value = std::min(a, b); break;
      case expr::Kind::Max: value = std::max(a, b); break;
      case expr::Kind::Less: value = a < b ? 1 : 0; break;
      case expr::Kind::Equal: value = a == b ? 1 : 0; break;
      case expr::Kind::And: value = a & b; break;
      case expr::Kind::Or: value = a | b; break;
      case expr::Kind::Not: value = 1 - a; break;
    }
  }
}

std::int64_t points_of(std::span<const Expr> axes) {
  std::int64_t points = 1;
  for (Expr axis : axes) {
    if (__builtin_mul_overflow(points, expr::value_of(expr::extent_of(axis)).factor, &points)) {
      return std::numeric_limits<std::int64_t>::max();
    }
  }
  return points;
}

}  // namespace cambium::program
