#include <algorithm>

#include "expr/evaluate.h"
#include "expr/substitute.h"
#include "program/analysis.h"
#include "program/walk.h"
#include "tune/draft_model.h"
#include "tune/traffic.h"

namespace cambium::tune {
namespace {

using program::Body;
using program::Buffer;
using program::Expr;
using program::Scalar;
using program::ScalarKind;
using program::Site;

// Whether a value is zero where a condition on the iterators does not hold.
bool is_zero_outside(Scalar s) {
  return s->kind == ScalarKind::Select && s->operands[0]->kind == ScalarKind::Index &&
         s->operands[2]->kind == ScalarKind::Const && is_floating(s->type) &&
         s->operands[2]->number() == 0;
}

// Whether a body fills its buffer with zeros where a condition does not hold, point by point.
bool pads(const Body& body) {
  if (body.combine != program::Combine::Assign || !is_zero_outside(body.value) ||
      body.indices.size() != body.iterators.size()) {
    return false;
  }
  for (std::size_t d = 0; d < body.indices.size(); ++d) {
    if (body.indices[d] != body.iterators[d].axis) return false;
  }
  return true;
}

// Where a reduction adds zeros, because it loads padding or is masked itself, as transposed
// convolutions are: the conditions, over its loops, under which it does not.
std::vector<Expr> conditions_of_padding(program::Context& cx, const Site& site,
                                        std::span<const Site> sites) {
  std::vector<Expr> conditions;
  const Body& sum = *site.block->body;
  if (sum.combine == program::Combine::Sum && is_zero_outside(sum.value)) {
    const Expr inside = sum.value->operands[0]->indices[0];
    program::add_conjuncts(cx, program::over_loops(cx, *site.block, inside), conditions);
  }
  program::for_each_scalar(sum.value, [&](Scalar s) {
    if (s->kind != ScalarKind::Load || s->buffer->role != program::Role::Local) return;
    for (const Site& other : sites) {
      const Body& body = *other.block->body;
      if (body.target != s->buffer || !pads(body)) continue;
      std::vector<expr::Replacement> at;
      for (std::size_t d = 0; d < s->indices.size(); ++d) {
        at.push_back({body.iterators[d].axis, s->indices[d]});
      }
      const Expr inside = body.value->operands[0]->indices[0];
      program::add_conjuncts(
          cx, program::over_loops(cx, *site.block, expr::substitute(cx.indices(), inside, at)),
          conditions);
    }
  });
  return conditions;
}

// Conditions that move with common axes, and these axes: independent of all others.
struct Related {
  std::vector<Expr> conditions, axes;
};

std::vector<Related> related(std::span<const Expr> conditions) {
  std::vector<Related> groups;
  for (Expr condition : conditions) {
    Related joined{{condition}, program::axes_of(condition)};
    const auto shares = [&](const Related& group) {
      return std::any_of(group.axes.begin(), group.axes.end(), [&](Expr axis) {
        return std::find(joined.axes.begin(), joined.axes.end(), axis) != joined.axes.end();
      });
    };
    for (auto group = groups.begin(); group != groups.end();) {
      if (!shares(*group)) {
        ++group;
        continue;
      }
      joined.conditions.insert(joined.conditions.end(), group->conditions.begin(),
                               group->conditions.end());
      for (Expr axis : group->axes) {
        const bool is_new =
            std::find(joined.axes.begin(), joined.axes.end(), axis) == joined.axes.end();
        if (is_new) joined.axes.push_back(axis);
      }
      group = groups.erase(group);
    }
    groups.push_back(std::move(joined));
  }
  return groups;
}

std::uint64_t values_of(Expr axis) {
  return static_cast<std::uint64_t>(expr::value_of(expr::extent_of(axis)).factor);
}

// The share of all points at which the conditions hold: counted, and where there are very many
// points, counted over some that are spread over all.
double share_of_points(const Related& group) {
  constexpr std::uint64_t kMost = 1 << 14;
  constexpr std::uint64_t kAllPoints = std::uint64_t{1} << 62;  // more are not told apart
  constexpr std::uint64_t kSpread = 2'654'435'761;  // a prime: its multiples visit all points
  std::uint64_t points = 1;
  std::vector<expr::AxisValue> at;
  for (Expr axis : group.axes) {
    at.push_back({axis, 0});
    const std::uint64_t extent = values_of(axis);
    points = extent > kAllPoints / points ? kAllPoints : points * extent;
  }
  const std::uint64_t counted = std::min(points, kMost);
  std::uint64_t holding = 0;
  for (std::uint64_t i = 0; i < counted; ++i) {
    std::uint64_t rest = counted == points ? i : i * kSpread % points;
    for (expr::AxisValue& value : at) {
      const std::uint64_t extent = values_of(value.axis);
      value.value = static_cast<std::int64_t>(rest % extent);
      rest /= extent;
    }
    holding += std::all_of(group.conditions.begin(), group.conditions.end(), [&](Expr condition) {
      const auto worth = expr::evaluate(condition, at);
      return !worth.ok() || *worth != 0;
    });
  }
  return static_cast<double>(holding) / static_cast<double>(counted);
}

// The share of the points of a reduction at which none of the factors that it loads is padding.
double share_that_counts(program::Context& cx, const Site& site, std::span<const Site> sites) {
  double share = 1;
  for (const Related& group : related(conditions_of_padding(cx, site, sites))) {
    share *= share_of_points(group);
  }
  return share;
}

}  // namespace

double roofline_seconds(program::Context& cx, const program::Program& lowered,
                        const Machine& machine, int threads) {
  const Analysis analysis = analyse(lowered, machine);
  const std::vector<Site> sites = program::sites_of(lowered);
  const Ceilings c = usual_ceilings(machine);
  double operations = 0, bytes = 0;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const BlockInfo& block = analysis.blocks[i];
    if (block.at_load) continue;
    // What only moves or selects may be fused away.
    const Arithmetic& a = block.arithmetic;
    const double each = (block.is_reduction ? 1 : 0) + a.divisions + a.mathematics;
    const double share = block.is_reduction ? share_that_counts(cx, sites[i], sites) : 1;
    operations += block.iterations(0, block.loops.size()) * block.useful * share * each;
  }
  for (const Buffer* parameter : lowered.parameters) {
    bytes += static_cast<double>(parameter->elements() * size_of(parameter->dtype));
  }
  const auto room = capacities(machine);
  const double workers = std::max(1, threads);
  const double gbs = bytes <= room[0]   ? c.l1_gbs * workers
                     : bytes <= room[1] ? c.l2_gbs * workers
                     : bytes <= room[2] ? c.l3_gbs * workers
                                        : std::min(c.dram_gbs * workers, c.all_dram_gbs);
  return std::max(operations * 2 / (c.fma_gflops * workers), bytes / gbs) * 1e-9;
}

}  // namespace cambium::tune
