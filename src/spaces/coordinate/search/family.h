// Family: places that one operator may serve, with the Problem that it must solve at all of them,
// and the cost of the originals. Places with the same sizes share one binding, which counts several
// times. The space samples per family; checking an edit makes the family of its sites.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "spaces/coordinate/problem.h"
#include "spaces/coordinate/search/document.h"
#include "spaces/coordinate/search/options.h"
#include "spaces/places/place.h"

namespace cambium::spaces::coordinate {

struct Family {
  Problem problem;
  Values values;                      // of the coefficients, the same at every binding
  std::vector<double> times;          // by binding: how many places have it
  std::vector<Place> places;          // at least one
  std::vector<std::size_t> bound_as;  // by place: its binding
};

// The coefficients of the options, clipped to legal values at these places, without those that have
// the name of a size of the shapes.
Values clipped(const std::vector<CoefficientOption>& coefficients, std::span<const Place> places);

// Refuses places whose shapes differ in kind (ShapeMismatch), a coefficient with the name of a size
// of the shapes (NameTaken), and what `problem_of` refuses.
Result<Family> family_of(std::vector<Place> places, const Values& values);

// The cost of an operator, summed over all places of a family. Each place has its own stages.
struct FamilyCost {
  double macs = 0, parameters = 0, memory = 0;
};
// Refuses what stages refuse.
Result<FamilyCost> cost_of(const Family& family, const Operator& op);
FamilyCost original_cost(const Family& family);

// How many axes the options ask an operator of this family to mix.
int least_mixed(const Family& family, const SpaceOptions& options);

// Whether an operator keeps the budgets of the options and mixes as many axes as they ask for.
// Stops at the first budget that is broken.
bool is_within_budgets(const Family& family, const SpaceOptions& options, const Operator& op);

// The limits of the options for the sizes of a family: occurrences by name, and windows as wide as
// the options' own at the smallest place.
synthesis::Limits limits_for(const Family& family, const SpaceOptions& options);

}  // namespace cambium::spaces::coordinate
