#include "spaces/coordinate/probe_sizes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "base/check.h"

namespace cambium::spaces::coordinate {
namespace {

using expr::Binding;
using expr::Size;
using expr::SizeVar;

constexpr std::size_t kMostBindings = 16;  // that are compared with each other
constexpr std::size_t kMostChosen = 4;     // of those
constexpr int kMuchLess = 30;
constexpr int kMostPower = 2;
constexpr int kMostVariables = 4;  // in a size over another

// Fixed axes are read as they are, so one element is enough.
bool is_batch(const Problem& problem, SizeVar v) {
  const auto uses = [&](const Size& axis) { return axis.powers()[v] != 0; };
  const auto count = std::count_if(problem.input.begin(), problem.input.end(), uses) +
                     std::count_if(problem.output.begin(), problem.output.end(), uses);
  return count == 2 &&
         std::any_of(problem.fixed.begin(), problem.fixed.end(), [&](const FixedPair& pair) {
           return problem.input[pair.input] == Size::var(v) &&
                  problem.output[pair.output] == Size::var(v);
         });
}

// Quotients of sizes that are one in some bindings but not in all, grouped by these bindings.
class Coincidences {
 public:
  Coincidences(const std::vector<SizeVar>& vars, const std::vector<Binding>& bindings) {
    for (const SizeVar v : vars) {
      logs_.emplace_back();
      for (const Binding& b : bindings) {
        logs_.back().push_back(std::log(static_cast<double>(b[v])));
      }
    }
    all_ = (std::uint32_t{1} << bindings.size()) - 1;
    visit(0, kMostVariables, std::vector<double>(bindings.size(), 0));
  }

  int at(std::uint32_t chosen) const {
    int sum = 0;
    for (const auto& [where, count] : counts_) sum += (where & chosen) == chosen ? count : 0;
    return sum;
  }

 private:
  void visit(std::size_t var, int left, const std::vector<double>& value) {
    if (var == logs_.size() || left == 0) {
      std::uint32_t where = 0;
      for (std::size_t b = 0; b < value.size(); ++b) {
        if (std::abs(value[b]) < 1e-9) where |= std::uint32_t{1} << b;
      }
      if (where != 0 && where != all_) ++counts_[where];
      return;
    }
    for (int power = -kMostPower; power <= kMostPower; ++power) {
      std::vector<double> next = value;
      for (std::size_t b = 0; b < value.size(); ++b) next[b] += power * logs_[var][b];
      visit(var + 1, left - (power == 0 ? 0 : 1), next);
    }
  }

  std::vector<std::vector<double>> logs_;  // by variable and binding
  std::uint32_t all_ = 0;
  std::map<std::uint32_t, int> counts_;
};

// The two smallest bindings at which together much less coincides than at the smallest one.
std::pair<std::size_t, std::size_t> two_that_differ(const Coincidences& coincidences,
                                                    std::size_t bindings) {
  for (std::size_t j = 1; j < bindings; ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const int together = coincidences.at(std::uint32_t{1} << i | std::uint32_t{1} << j);
      if (together * kMuchLess <= coincidences.at(1)) return {i, j};
    }
  }
  return {0, bindings - 1};
}

}  // namespace

std::vector<Binding> probe_sizes(const Problem& problem) {
  std::vector<SizeVar> vars;
  std::vector<Binding> bindings = problem.bindings;
  for (const SizeVar v : problem.sizes.vars()) {
    if (!is_batch(problem, v)) {
      vars.push_back(v);
      continue;
    }
    for (Binding& b : bindings) CAMBIUM_CHECK(b.set(v, 1).ok(), "one is a size");
  }
  const auto sum = [&](const Binding& binding) {
    double total = 0;
    for (const SizeVar v : vars) total += static_cast<double>(binding[v]);
    return total;
  };
  std::stable_sort(bindings.begin(), bindings.end(),
                   [&](const Binding& a, const Binding& b) { return sum(a) < sum(b); });
  bindings.erase(std::unique(bindings.begin(), bindings.end()), bindings.end());
  bindings.resize(std::min(bindings.size(), kMostBindings));
  const Coincidences coincidences(vars, bindings);
  if (coincidences.at(1) == 0) return {bindings.front()};
  const auto [first, second] = two_that_differ(coincidences, bindings.size());
  std::vector<Binding> chosen = {bindings[first], bindings[second]};
  for (std::size_t i = second; i-- > 0 && chosen.size() < kMostChosen;) {
    if (i != first) chosen.push_back(bindings[i]);
  }
  return chosen;
}

}  // namespace cambium::spaces::coordinate
