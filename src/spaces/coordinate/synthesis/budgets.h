// Budgets of operators, and bounds that no operator gets below: what a partial one already costs in
// whatever way it is finished. Sampling and listing prune by bounds only, so that nothing is lost;
// finished operators are asked for their true costs.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "base/result.h"
#include "expr/binding.h"
#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/synthesis/anatomy.h"

namespace cambium::spaces::coordinate::synthesis {

// MACs and parameters are summed over all bindings. Memory is that of the binding that takes most:
// the bytes of input, output, weights and everything between stages, four for each element.
struct Budgets {
  double least_macs = 0, most_macs = std::numeric_limits<double>::infinity();
  double most_parameters = std::numeric_limits<double>::infinity();
  double most_memory = std::numeric_limits<double>::infinity();
  // The true costs, from whoever stages operators (lowering); asked for each operator that is left.
  using Cost = std::function<Result<double>(const Operator&, std::span<const expr::Binding>)>;
  Cost macs, memory;
  Cost parameters;  // none: counted from the sizes, which is right where nothing is padded

  bool has_most() const {
    return std::min({most_macs, most_parameters, most_memory}) <
           std::numeric_limits<double>::infinity();
  }
};

inline constexpr double kElementBytes = 4;

struct Bound {
  double macs = 0, parameters = 0, memory = 0;

  Bound with(const Bound& more) const {
    return {macs + more.macs, parameters + more.parameters, std::max(memory, more.memory)};
  }
};

// What every operator that ends in this state or behind it costs at least.
Bound least_cost(const Space& space, StateId id);
// And the MACs that one with so many weights takes at most: those of a single stage.
double most_macs(const Space& space, StateId id, int weights);

// What weights cost at least that are chosen for one way to match the input: bounds of single
// weights add up. Of all growth (windows, and what the data do not read) the stage of a weight has
// what the weight reads; what comes later divides its points, but whatever sums wait for it
// multiply them, and so do the sums that the weight takes part in.
class Prices {
 public:
  // Of `begun`, where the data are matched.
  Prices(const Space& space, const Anatomy& anatomy, const Choice& begun);

  Bound of(Reads weight) const;

 private:
  static constexpr std::size_t kMostGrowth = 6;  // what is beyond comes later and holds up nothing

  void list_growth(const Choice& begun);
  void add_growth(const std::vector<double>& factors, bool is_counted);
  void tabulate();
  double macs(Reads weight) const;

  const Space& space_;
  const Anatomy& anatomy_;
  std::size_t bindings_;
  std::size_t growths_ = 0;
  std::array<std::uint32_t, kMaxCoords>
      needed_{};                 // growth that has happened where a coordinate is
  std::vector<double> all_;      // points of the output, less growth that is not counted
  std::vector<double> factors_;  // by growth and binding
  // By set of growth that comes later, and by set of sums, each times bindings.
  std::vector<double> without_, sums_;
  std::vector<Reads> open_;  // sums that wait, by set of growth
};

// Whether something that costs at least this may still be within.
bool is_affordable(const Budgets& budgets, const Bound& bound);
// By their true costs.
bool is_within(const Budgets& budgets, const Space& space, const Anatomy& anatomy,
               const Choice& choice, const Operator& op);

}  // namespace cambium::spaces::coordinate::synthesis
