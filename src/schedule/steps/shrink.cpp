#include "schedule/steps/shrink.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "expr/linear.h"
#include "expr/simplify.h"
#include "program/analysis.h"
#include "program/region.h"
#include "program/rewrite.h"

namespace cambium::schedule {
namespace {

using namespace program;

// What becomes of one dimension, if it gets another size: e becomes (e - offset) % size.
struct Plan {
  std::int64_t size;
  std::int64_t offset = 0;
};

// All that one iteration of the home uses of each dimension; nothing where that is no box.
std::vector<std::optional<Side>> used_sides(Context& cx, std::span<const Site> sites,
                                            const Buffer* buffer, const Loop* home) {
  std::vector<std::optional<Side>> used(buffer->dims.size());
  std::vector<bool> is_open(buffer->dims.size(), true);  // no access was seen yet
  for (const Site& site : sites) {
    if (!touches(*site.block->body, buffer)) continue;
    for (const Access& access : accesses_of(cx, *site.block->body)) {
      if (access.buffer != buffer) continue;
      if (access.indices.size() != buffer->dims.size()) {
        return std::vector<std::optional<Side>>(buffer->dims.size());
      }
      for (std::size_t d = 0; d < used.size(); ++d) {
        Box box = box_of(cx, site, access.indices.subspan(d, 1), home);
        const bool is_first = is_open[d];
        is_open[d] = false;
        if (box.is_mixed) {
          used[d].reset();
        } else if (is_first) {
          used[d] = box.sides[0];
        } else if (used[d]) {
          used[d] = united(cx, *used[d], box.sides[0]);
        }
      }
    }
  }
  return used;
}

// The smallest divisor of n that is at least `least`.
std::int64_t divisor_from(std::int64_t n, std::int64_t least) {
  for (std::int64_t d = std::max<std::int64_t>(least, 1); d <= n / 2; ++d) {
    if (n % d == 0) return d;
  }
  return n;
}

Plan plan_of(const Side& side, std::int64_t dim, bool is_last) {
  const Plan as_it_is{dim};
  expr::Linear base;
  if (!base.add_scaled(side.base, expr::Monomial::of(1))) return as_it_is;
  std::int64_t step = 0;  // what all positions of the box are multiples of, apart from `first`
  std::int64_t first = side.range.lo;
  for (const expr::Term& term : base.terms()) {
    if (term.atom == nullptr) {
      first += term.coefficient.factor;
    } else {
      step = std::gcd(step, term.coefficient.factor);
    }
  }
  const std::int64_t size = side.range.hi - side.range.lo + 1;
  // A box that never moves: iterators, which know nothing of loops, reach further than it does.
  if (size >= dim || step == 0) return as_it_is;
  if (step >= size) {
    const std::int64_t modulus = divisor_from(step, size);
    return modulus < dim ? Plan{modulus, expr::floor_mod(first, modulus)} : as_it_is;
  }
  return is_last ? as_it_is : Plan{size};
}

}  // namespace

Program shrink(Context& cx, const Program& program, const Buffer* buffer) {
  const std::vector<Site> sites = sites_of(program);
  const Loop* home = home_of(sites, buffer);
  if (buffer->role != Role::Local || home == nullptr) return program;
  const std::vector<std::optional<Side>> used = used_sides(cx, sites, buffer, home);
  std::vector<Plan> plans;
  std::vector<std::int64_t> dims;
  for (std::size_t d = 0; d < used.size(); ++d) {
    const std::int64_t dim = buffer->dims[d];
    const bool is_last = d + 1 == used.size();
    plans.push_back(used[d] ? plan_of(*used[d], dim, is_last) : Plan{dim});
    dims.push_back(plans.back().size);
  }
  if (std::equal(dims.begin(), dims.end(), buffer->dims.begin())) return program;
  const Buffer* smaller =
      cx.buffer(buffer->name, buffer->dtype, dims, Role::Local, buffer->annotations);
  const auto moved = [&](std::span<const Expr> indices) {
    std::vector<Expr> at(indices.begin(), indices.end());
    for (std::size_t d = 0; d < at.size(); ++d) {
      if (plans[d].size == buffer->dims[d]) continue;
      at[d] = expr::sub(cx.indices(), at[d], cx.number(plans[d].offset));
      at[d] = expr::mod(cx.indices(), at[d], expr::Size(plans[d].size));
      at[d] = expr::simplify(cx.indices(), at[d]);
    }
    return at;
  };
  return replace_local(cx,
                       map_blocks(cx, program,
                                  [&](const Block& block) {
                                    return with_body(
                                        cx, block,
                                        with_indices(cx, *block.body, buffer, smaller, moved));
                                  }),
                       buffer, smaller);
}

}  // namespace cambium::schedule
