// Budgets of operators, and bounds: the least that a partial operator costs however it is finished.
// Sampling and listing prune by bounds only, so no operator within the budgets is lost. Finished
// operators are checked by their true costs.
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

// MACs and parameters are summed over all bindings. Memory is that of the binding that needs most:
// the bytes of input, output, weights and all results between stages, four for each element.
struct Budgets {
  double least_macs = 0, most_macs = std::numeric_limits<double>::infinity();
  double most_parameters = std::numeric_limits<double>::infinity();
  double most_memory = std::numeric_limits<double>::infinity();
  // The true costs, which lowering provides. Called for each finished operator within the bounds.
  using Cost = std::function<Result<double>(const Operator&, std::span<const expr::Binding>)>;
  Cost macs, memory;
  Cost parameters;  // none: counted from the sizes, which is right without padding

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

// The least cost of any operator that ends in this state or in a later one.
Bound least_cost(const Space& space, StateId id);
// The most MACs of one with so many weights: those of a single stage.
double most_macs(const Space& space, StateId id, int weights);

// The least cost of weights for one way to match the input. The bounds of single weights add up. Of
// all growth (windows, and coordinates that the data does not read), the stage of a weight has the
// part that the weight reads. Later growth divides its points. The sums that wait for that growth
// multiply them, and so do the sums that the weight takes part in.
class Prices {
 public:
  // For `begun`, in which the data is matched.
  Prices(const Space& space, const Anatomy& anatomy, const Choice& begun);

  Bound of(Reads weight) const;

 private:
  static constexpr std::size_t kMostGrowth = 6;  // further growth comes later and delays no sum

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
  // By set of later growth, and by set of sums, each times bindings.
  std::vector<double> without_, sums_;
  std::vector<Reads> open_;  // sums that wait, by set of growth
};

// Whether an operator with this lower bound may still be within the budgets.
bool is_affordable(const Budgets& budgets, const Bound& bound);
// Whether an operator is within the budgets by its true costs.
bool is_within(const Budgets& budgets, const Space& space, const Anatomy& anatomy,
               const Choice& choice, const Operator& op);

}  // namespace cambium::spaces::coordinate::synthesis
