#include "model/recognize/solve.h"

#include <algorithm>
#include <limits>

#include "model/recognize/pooling.h"
#include "model/recognize/product.h"

namespace cambium::model::recognition {

namespace {

// What lies outside must not change the sum, or the maximum.
bool fill_fits(const Nest& nest, ReduceFn fn) {
  const double wanted = fn == ReduceFn::Max ? -std::numeric_limits<double>::infinity() : 0;
  return std::all_of(nest.operands.begin(), nest.operands.end(),
                     [&](const Access& access) { return access.fill.value_or(wanted) == wanted; });
}

// Sums each operand over the loops that nobody else reads.
bool reduce_alone(Emitter& emit, Nest& nest, ReduceFn fn) {
  for (std::size_t i = 0; i < nest.operands.size(); ++i) {
    std::vector<bool> summed(nest.loops.size(), false);
    bool any = false;
    for (std::size_t l = 0; l < nest.loops.size(); ++l) {
      std::size_t users = 0;
      for (const Access& access : nest.operands) users += access.uses(l) ? 1 : 0;
      summed[l] = nest.loops[l].reduced && users == 1 && nest.operands[i].uses(l);
      any = any || summed[l];
    }
    if (!any) continue;
    auto reduced = reduce(emit, nest.loops, nest.operands[i], summed, fn);
    if (!reduced) return false;
    nest.operands[i] = std::move(*reduced);
  }
  return true;
}

// A summed loop that nobody reads would multiply the result.
bool every_sum_is_read(const Nest& nest) {
  for (std::size_t l = 0; l < nest.loops.size(); ++l) {
    if (nest.loops[l].reduced && std::none_of(nest.operands.begin(), nest.operands.end(),
                                              [&](const Access& a) { return a.uses(l); })) {
      return false;
    }
  }
  return true;
}

std::optional<Value> conclude(Emitter& emit, const Nest& nest) {
  Access last = nest.operands[0];
  settle(emit, nest.loops, last);
  straighten(emit, nest.loops, last, true);
  if (!all_plain(last, nest.loops)) return std::nullopt;
  std::vector<std::size_t> perm;
  Ints kept, wide;  // loops that no operand reads repeat the result
  for (const std::size_t loop : nest.output) {
    wide.push_back(nest.loops[loop].extent);
    kept.push_back(1);
    for (std::size_t i = 0; i < last.axes.size(); ++i) {
      if (last.axes[i].step(loop) == 0) continue;
      perm.push_back(i);
      kept.back() = wide.back();
    }
  }
  if (perm.size() != last.axes.size()) return std::nullopt;
  Value value = emit.transpose(shaped(emit, last), perm);
  if (kept != wide) value = emit.add(Expand{wide}, {emit.reshape(value, kept)});
  return emit.reshape(value, nest.output_dims);
}

std::optional<Solution> join(Emitter emit, Nest nest, ReduceFn fn) {
  if (!reduce_alone(emit, nest, fn)) return std::nullopt;
  if (nest.operands.size() == 1) {
    const auto value = conclude(emit, nest);
    if (!value || !value->valid()) return std::nullopt;
    return Solution{*value, emit.effort(), emit.notes()};
  }
  std::optional<Solution> best;
  for (std::size_t i = 0; i < nest.operands.size(); ++i) {
    for (std::size_t j = i + 1; j < nest.operands.size(); ++j) {
      Emitter attempt = emit;
      Nest next = nest;
      auto both = contract(attempt, next, i, j);
      if (!both) continue;
      if (best && best->effort < attempt.effort()) continue;
      next.operands[i] = std::move(*both);
      next.operands.erase(next.operands.begin() + static_cast<std::ptrdiff_t>(j));
      auto found = join(std::move(attempt), std::move(next), fn);
      if (found && (!best || found->effort < best->effort)) best = std::move(found);
    }
  }
  return best;
}

}  // namespace

std::optional<Solution> solve(Emitter emit, Nest nest, ReduceFn fn) {
  if (!fill_fits(nest, fn) || !every_sum_is_read(nest)) return std::nullopt;
  return join(std::move(emit), std::move(nest), fn);
}

}  // namespace cambium::model::recognition
