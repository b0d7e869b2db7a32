#include "spaces/coordinate/lowering/padding.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

namespace cambium::spaces::coordinate {

namespace {

constexpr std::int64_t kMostDenominator = 1'000'000;

class PaddingSearch {
 public:
  PaddingSearch(const Problem& problem, const Operator& op, const expr::Binding& place)
      : problem_(problem), place_(place) {
    for (const Coordinate& it : op.coordinates) {
      sizes_.insert(it.domain);
      sizes_.insert(it.parameter);
    }
  }

  Result<expr::Binding> run() {
    for (const expr::SizeVar v : problem_.sizes.vars()) {
      if (!v.is_primary()) continue;
      CAMBIUM_TRY(std::vector<std::int64_t> values, useful_values(v));
      if (values.size() < 2) continue;
      vars_.push_back(v);
      values_.push_back(std::move(values));
    }
    expr::Binding tried = place_;
    descend(0, tried);
    if (best_) return *best_;
    for (const expr::Size& size : sizes_) CAMBIUM_REQUIRE(expr::evaluate(size, place_));
    CAMBIUM_CHECK(false, "a place where all sizes are whole needs no padding");
  }

 private:
  // Divisibility of a number matters only for the denominators below it: of all numbers with the
  // same common divisor, the least one is enough.
  Result<std::vector<std::int64_t>> useful_values(expr::SizeVar v) const {
    std::int64_t all = 1;
    for (const expr::Size& size : sizes_) {
      if (size.powers()[v] <= 0) continue;
      std::int64_t denominator = 1;
      for (const expr::SizeVar other : problem_.sizes.vars()) {
        for (int power = size.powers()[other]; power < 0; ++power) {
          if (__builtin_mul_overflow(denominator, place_[other], &denominator)) {
            return Rejection(Reason::SizeOverflow);
          }
        }
      }
      all = std::lcm(all, denominator);
      if (all > kMostDenominator) {
        return Rejection(Reason::SizeOutOfRange, "a common denominator", "", all, 1,
                         kMostDenominator);
      }
    }
    std::set<std::int64_t> values;
    for (std::int64_t divisor = 1; divisor <= all; ++divisor) {
      if (all % divisor == 0) values.insert((place_[v] + divisor - 1) / divisor * divisor);
    }
    return std::vector<std::int64_t>(values.begin(), values.end());
  }

  void descend(std::size_t depth, expr::Binding& tried) {
    if (elements(tried) >= least_) return;  // enlarging more variables only adds
    if (depth == vars_.size()) {
      const bool whole = std::all_of(sizes_.begin(), sizes_.end(), [&](const expr::Size& size) {
        return expr::evaluate(size, tried).ok();
      });
      if (!whole) return;
      best_ = tried;
      least_ = elements(tried);
      return;
    }
    for (const std::int64_t value : values_[depth]) {
      CAMBIUM_CHECK(tried.set(vars_[depth], value).ok(), "a size that is padded is positive");
      descend(depth + 1, tried);
    }
    CAMBIUM_CHECK(tried.set(vars_[depth], place_[vars_[depth]]).ok(), "it was set before");
  }

  double elements(const expr::Binding& binding) const {
    double sum = 0;
    for (const auto* shape : {&problem_.input, &problem_.output}) {
      double product = 1;
      for (const expr::Size& size : *shape) {
        const auto value = expr::evaluate_ratio(size, binding);
        if (!value.ok()) return std::numeric_limits<double>::infinity();
        product *= static_cast<double>(value->numerator) / static_cast<double>(value->denominator);
      }
      sum += product;
    }
    return sum;
  }

  const Problem& problem_;
  const expr::Binding& place_;
  std::set<expr::Size> sizes_;
  std::vector<expr::SizeVar> vars_;
  std::vector<std::vector<std::int64_t>> values_;  // by variable, ascending
  std::optional<expr::Binding> best_;
  double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace

Result<expr::Binding> padded(const Problem& problem, const Operator& op,
                             const expr::Binding& place) {
  return PaddingSearch(problem, op, place).run();
}

}  // namespace cambium::spaces::coordinate
