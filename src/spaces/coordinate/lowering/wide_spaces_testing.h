// Spaces far wider than what searches use: several MERGEs and STRIDEs, exact rules only or none,
// sizes that are odd, wide windows. What the defaults never make is found in them.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "spaces/coordinate/bound.h"
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/synthesis/sample.h"

namespace cambium::spaces::coordinate::testing {

struct WideSpace {
  std::string input, output, binding;
  int merges, strides;
  synthesis::RuleSet rules;
};

inline std::vector<WideSpace> wide_spaces() {
  using synthesis::RuleSet;
  return {
      {"[N, C, L]", "[N, C, L]", "N=1, C=12, L=3, s=3, k=3", 2, 0, RuleSet()},
      {"[N, C, L]", "[N, C, L]", "N=1, C=12, L=6, s=2, k=3", 3, 2, RuleSet::exact()},
      {"[N, C, L]", "[N, C, L]", "N=2, C=9, L=9, s=3, k=5", 3, 3, RuleSet::none()},
      {"[L]", "[L]", "L=45, s=3, k=5", 3, 3, RuleSet::exact()},
      {"[L]", "[L]", "L=24, s=2, k=3", 2, 1, RuleSet::none()},
      {"[A, B]", "[B, A]", "A=6, B=15, s=3, k=5", 3, 1, RuleSet::exact()},
      {"[N, Ci, H, W]", "[N, Co, H, W]", "N=1, Ci=6, Co=9, H=5, W=7, s=3, k=5", 3, 3, RuleSet()},
      {"[N, Ci, H, W]", "[N, Co, H, W]", "N=1, Ci=4, Co=8, H=6, W=4, s=2, k=3", 2, 2,
       RuleSet::exact()},
      {"[N, Ci, s*H]", "[N, Co, H]", "N=1, Ci=4, Co=6, H=6, s=2, k=3", 2, 3, RuleSet::none()},
  };
}

inline Problem problem_of(const WideSpace& wide) {
  const std::vector<std::string> bindings{wide.binding};
  return coordinate::problem_of(wide.input, wide.output, bindings).value();
}

inline synthesis::Limits limits_of(const WideSpace& wide) {
  synthesis::Limits limits;
  limits.primitives = 10;
  limits.reductions = 3;
  limits.weights = 3;
  limits.merges = wide.merges;
  limits.strides = wide.strides;
  limits.expands = 1;
  limits.window_ratio = 1;
  limits.odd_windows = false;
  limits.weight_free = true;
  return limits;
}

// Calls visit(problem, operator) for so many operators of a space, each once, of at most so many
// points.
template <class Visit>
void sample_wide(const WideSpace& wide, std::uint64_t seed, int count, double most_points,
                 const Visit& visit) {
  const Problem problem = problem_of(wide);
  const auto space = synthesis::Space::make(problem, limits_of(wide), wide.rules).value();
  synthesis::SampleOptions options;
  options.seed = seed;
  synthesis::Sampler sampler(*space, options);
  std::set<Fingerprint> seen;
  for (int trial = 0; trial < 50 * count && std::ssize(seen) < count && !sampler.is_exhausted();
       ++trial) {
    const std::optional<synthesis::Sample> sample = sampler.trial();
    if (!sample) continue;
    const BoundOperator bound = bind(sample->op, problem.bindings[0]).value();
    double points = 1;
    for (std::size_t c = 0; c < bound.outputs + bound.reductions; ++c) {
      points *= static_cast<double>(bound.coordinates[c].domain);
    }
    // A weight may read coordinates that depend on each other: it is then larger than the rest.
    double largest = points;
    for (std::size_t w = 0; w < bound.weights.size(); ++w) {
      largest = std::max(largest, static_cast<double>(elements_of(bound.weight_shape(w))) / 10);
    }
    if (largest > most_points || !seen.insert(identity(problem, sample->op)).second) continue;
    visit(problem, sample->op);
  }
}

}  // namespace cambium::spaces::coordinate::testing
