#include "engine/synth_advice.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "engine/synth_setup.h"
#include "spaces/coordinate/synthesis/path.h"
#include "spaces/coordinate/synthesis/rules/rule_set.h"

namespace cambium::engine {

namespace {

namespace synthesis = spaces::coordinate::synthesis;
using spaces::coordinate::Operator;
using spaces::coordinate::Problem;

constexpr double kWindowRatios[] = {1.5, 1, 0.5};
constexpr int kEnoughOccurrences = 9;

class Advice {
 public:
  Advice(const SynthOptions& given, const Problem& problem, const Operator& op)
      : given_(given), problem_(problem), op_(op), now_(given) {}

  std::vector<std::string> words() {
    widen();
    if (!is_in(now_)) now_.limits.*powers_.limit = powers_.most;
    if (!is_in(now_)) return {};
    narrow_rules();
    narrow_windows();
    take_back([&](SynthOptions& o) { o.limits.weight_free = given_.limits.weight_free; });
    if (now_.limits.weight_free && !given_.limits.weight_free) words_.push_back("--weight-free");
    for (const SynthLimit& limit : limits_) narrow(limit);
    narrow(powers_);
    narrow_occurrences();
    return words_;
  }

 private:
  bool is_in(const SynthOptions& options) const {
    const auto space = space_of(options, problem_);
    return space.ok() && synthesis::path_to(**space, op_).is_in_space();
  }

  // Keeps a change if the operator stays in the space.
  template <class Change>
  bool take_back(Change change) {
    SynthOptions less = now_;
    change(less);
    if (!is_in(less)) return false;
    now_ = std::move(less);
    return true;
  }

  void add(std::string option, std::string value) {
    words_.push_back(std::move(option));
    words_.push_back(std::move(value));
  }

  void widen() {
    for (const SynthLimit& limit : limits_) {
      now_.limits.*limit.limit = std::max(now_.limits.*limit.limit, limit.most);
    }
    now_.limits.weight_free = now_.even_windows = true;
    now_.limits.window_ratio = 0;
    now_.without.clear();
    for (const synthesis::RuleInfo& rule : synthesis::rule_infos()) {
      now_.without.emplace_back(rule.name);
    }
    for (const std::string& name : variables()) occurrences_.emplace_back(name, kEnoughOccurrences);
    now_.occurrences = occurrences_text();
  }

  void narrow_rules() {
    const std::vector<std::string> all = now_.without;
    for (const std::string& rule : all) {
      const auto was_off = std::find(given_.without.begin(), given_.without.end(), rule);
      if (was_off != given_.without.end()) continue;
      const bool is_back = take_back([&](SynthOptions& o) { std::erase(o.without, rule); });
      if (!is_back) add("--without", rule);
    }
  }

  void narrow_windows() {
    take_back([&](SynthOptions& o) { o.even_windows = given_.even_windows; });
    if (now_.even_windows && !given_.even_windows) words_.push_back("--even-windows");
    const double given = given_.limits.window_ratio;
    if (take_back([&](SynthOptions& o) { o.limits.window_ratio = given; })) return;
    for (const double ratio : kWindowRatios) {
      if (ratio < given && take_back([&](SynthOptions& o) { o.limits.window_ratio = ratio; }))
        break;
    }
    add("--least-window-ratio", fmt::format("{}", now_.limits.window_ratio));
  }

  void narrow(const SynthLimit& limit) {
    const int given = given_.limits.*limit.limit;
    for (int value = given; value < now_.limits.*limit.limit; ++value) {
      if (take_back([&](SynthOptions& o) { o.limits.*limit.limit = value; })) break;
    }
    if (now_.limits.*limit.limit != given) {
      add(limit.option, std::to_string(now_.limits.*limit.limit));
    }
  }

  // As the options have them, then those that need another number: the last one counts.
  void narrow_occurrences() {
    for (std::size_t i = 0; i < occurrences_.size();) {
      auto& [name, most] = occurrences_[i];
      const int widest = most;
      most = kAsGiven;
      for (; most < widest; ++most) {
        if (take_back([&](SynthOptions& o) { o.occurrences = occurrences_text(); })) break;
      }
      if (most == kAsGiven) {
        occurrences_.erase(occurrences_.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    if (!occurrences_.empty()) add("--occurrences", now_.occurrences);
  }

  std::string occurrences_text() const {
    std::vector<std::string> parts;
    if (!trim(given_.occurrences).empty()) parts.emplace_back(trim(given_.occurrences));
    for (const auto& [name, most] : occurrences_) {
      if (most != kAsGiven) parts.push_back(name + "=" + std::to_string(most));
    }
    return join(parts, ", ");
  }

  std::vector<std::string> variables() const {
    std::vector<std::string> names;
    for (const expr::SizeVar v : problem_.sizes.vars()) names.push_back(problem_.sizes.name(v));
    return names;
  }

  static constexpr int kAsGiven = -1;

  const SynthOptions& given_;
  const Problem& problem_;
  const Operator& op_;
  SynthOptions now_;  // with which it is in the space
  const std::vector<SynthLimit> limits_ = synth_limits();
  // Widened apart from the other limits, because it multiplies the number of sizes.
  const SynthLimit powers_ = {"--max-powers", "", 0, 4, &synthesis::Limits::coefficient_power};
  std::vector<std::pair<std::string, int>> occurrences_;
  std::vector<std::string> words_;
};

}  // namespace

std::vector<std::string> options_for(const SynthOptions& options, const Problem& problem,
                                     const Operator& op) {
  return Advice(options, problem, op).words();
}

}  // namespace cambium::engine
