#include "spaces/coordinate/synthesis/admission.h"

#include <algorithm>

#include "spaces/coordinate/synthesis/path.h"

namespace cambium::spaces::coordinate::synthesis {

namespace {

constexpr double kWindowRatios[] = {1.5, 1, 0.5};
constexpr int kEnoughOccurrences = 9;
constexpr int kEnoughPowers = 4;

class Advice {
 public:
  Advice(const Operator& op, const Problem& problem, const Limits& limits, const RuleSet& rules)
      : op_(op), problem_(problem), given_(limits), rules_(rules), now_{limits, {}} {}

  std::optional<Admission> changes() {
    widen();
    // Widened apart from the other limits, because it multiplies the number of sizes.
    if (!is_in(now_)) now_.limits.coefficient_power = kEnoughPowers;
    if (!is_in(now_)) return std::nullopt;
    narrow_rules();
    narrow_windows();
    take_back([&](Setting& o) { o.limits.weight_free = given_.weight_free; });
    changes_.weight_free = now_.limits.weight_free && !given_.weight_free;
    for (const LimitInfo& info : limit_infos()) {
      if (narrow(info.limit)) changes_.limits.emplace_back(info, now_.limits.*info.limit);
    }
    if (narrow(&Limits::coefficient_power)) {
      changes_.coefficient_power = now_.limits.coefficient_power;
    }
    narrow_occurrences();
    return changes_;
  }

 private:
  struct Setting {
    Limits limits;
    std::vector<std::string> without;  // besides the rules that are off already
  };

  bool is_in(const Setting& choice) const {
    RuleSet rules = rules_;
    for (const std::string& name : choice.without) rules = rules.without(name).value();
    const auto space = Space::make(problem_, choice.limits, rules);
    return space.ok() && path_to(**space, op_).is_in_space();
  }

  // Keeps a change if the operator stays in the space.
  template <class Change>
  bool take_back(Change change) {
    Setting less = now_;
    change(less);
    if (!is_in(less)) return false;
    now_ = std::move(less);
    return true;
  }

  void widen() {
    for (const LimitInfo& info : limit_infos()) {
      now_.limits.*info.limit = std::max(now_.limits.*info.limit, most_useful(info));
    }
    now_.limits.weight_free = true;
    now_.limits.odd_windows = false;
    now_.limits.window_ratio = 0;
    for (const RuleInfo& rule : rule_infos()) {
      if (rules_.has(rule.name)) now_.without.emplace_back(rule.name);
    }
    for (const expr::SizeVar v : problem_.sizes.vars()) {
      now_.limits.occurrences[v.index] = kEnoughOccurrences;
    }
  }

  void narrow_rules() {
    const std::vector<std::string> all = now_.without;
    for (const std::string& rule : all) {
      const bool is_back = take_back([&](Setting& o) { std::erase(o.without, rule); });
      if (!is_back) changes_.without.push_back(rule);
    }
  }

  void narrow_windows() {
    take_back([&](Setting& o) { o.limits.odd_windows = given_.odd_windows; });
    changes_.even_windows = !now_.limits.odd_windows && given_.odd_windows;
    const double given = given_.window_ratio;
    if (take_back([&](Setting& o) { o.limits.window_ratio = given; })) return;
    for (const double ratio : kWindowRatios) {
      if (ratio < given && take_back([&](Setting& o) { o.limits.window_ratio = ratio; })) break;
    }
    changes_.window_ratio = now_.limits.window_ratio;
  }

  // Whether it must be another number than what was given.
  bool narrow(int Limits::*limit) {
    for (int value = given_.*limit; value < now_.limits.*limit; ++value) {
      if (take_back([&](Setting& o) { o.limits.*limit = value; })) break;
    }
    return now_.limits.*limit != given_.*limit;
  }

  void narrow_occurrences() {
    for (const expr::SizeVar v : problem_.sizes.vars()) {
      const auto take = [&](std::uint8_t most) {
        return take_back([&](Setting& o) { o.limits.occurrences[v.index] = most; });
      };
      if (take(given_.occurrences[v.index])) continue;
      int most = 0;
      while (most < kEnoughOccurrences && !take(static_cast<std::uint8_t>(most))) ++most;
      changes_.occurrences.emplace_back(problem_.sizes.name(v), most);
    }
  }

  const Operator& op_;
  const Problem& problem_;
  const Limits& given_;
  const RuleSet& rules_;
  Setting now_;  // with which it is in the space
  Admission changes_;
};

}  // namespace

std::optional<Admission> admission_of(const Operator& op, const Problem& problem,
                                      const Limits& limits, const RuleSet& rules) {
  return Advice(op, problem, limits, rules).changes();
}

}  // namespace cambium::spaces::coordinate::synthesis
