#include "store/trial.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "base/quantile.h"
#include "base/reasons.h"

namespace cambium::store {

std::vector<TuningSample> Trial::best_samples() const {
  std::vector<TuningSample> compared;
  for (const TuningSample& s : samples) {
    if (s.protocol == Protocol::Compare) compared.push_back(s);
  }
  return compared.empty() ? samples : compared;
}

double Trial::seconds() const {
  if (is_refused()) return std::numeric_limits<double>::infinity();
  std::vector<double> values;
  for (const TuningSample& s : best_samples()) values.push_back(s.seconds);
  return median(std::move(values));
}

bool is_final(std::string_view reason) {
  constexpr Reason kFinal[] = {Reason::WrongResult, Reason::KernelCrashed, Reason::GuardTouched,
                               Reason::OutputUntouched};
  return std::any_of(std::begin(kFinal), std::end(kFinal),
                     [reason](Reason one) { return name_of(one) == reason; });
}

bool is_surely_faster(const Trial& a, const Trial& b) {
  const auto ranks = [](const Trial& trial, double side) {
    std::vector<double> values;
    for (const TuningSample& s : trial.samples) {
      if (s.protocol == Protocol::Rank) values.push_back(s.seconds * (1 + side * s.spread));
    }
    return values;
  };
  const std::vector<double> high = ranks(a, 1), low = ranks(b, -1);
  return !high.empty() && !low.empty() && median(high) < median(low);
}

}  // namespace cambium::store
