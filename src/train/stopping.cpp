#include "train/stopping.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "base/check.h"
#include "base/text.h"

namespace cambium::train {

namespace {

class NeverStops : public StoppingRule {
 public:
  std::string text() const override { return "none"; }
  std::optional<std::string> stops(const Curve&, std::int64_t) const override { return {}; }
  void learn(const Curve&, bool) override {}
};

class CurveRule : public StoppingRule {
 public:
  explicit CurveRule(double theta) : theta_(theta) {}

  std::string text() const override { return fmt::format("curve:{}", theta_); }

  std::optional<std::string> stops(const Curve& so_far, std::int64_t epochs) const override {
    const std::size_t e = so_far.size();
    if (e == 0 || static_cast<std::int64_t>(e) >= epochs || e > best_.size()) return {};
    const double passed = static_cast<double>(e - 1) / static_cast<double>(epochs - 1);
    const double wanted = (theta_ + (1 - theta_) * passed) * best_[e - 1];
    if (so_far.back() >= wanted) return {};
    return fmt::format("{:.4g} after epoch {} is below {:.4g}, the required share of the best",
                       so_far.back(), e, wanted);
  }

  void learn(const Curve& curve, bool) override {
    for (std::size_t e = 0; e < curve.size(); ++e) {
      if (e == best_.size()) best_.push_back(curve[e]);
      best_[e] = std::max(best_[e], curve[e]);
    }
  }

 private:
  double theta_;
  std::vector<double> best_;  // after epoch 1, 2, ..., of any curve
};

class MilestoneRule : public StoppingRule {
 public:
  explicit MilestoneRule(std::vector<Milestone> milestones) : milestones_(std::move(milestones)) {}

  std::string text() const override {
    std::vector<std::string> parts;
    for (const Milestone& each : milestones_) {
      parts.push_back(fmt::format("{}={}", each.epoch, each.accuracy));
    }
    return "milestones:" + join(parts, ",");
  }

  std::optional<std::string> stops(const Curve& so_far, std::int64_t epochs) const override {
    const auto e = static_cast<std::int64_t>(so_far.size());
    if (e == 0 || e >= epochs) return {};
    const double best = *std::max_element(so_far.begin(), so_far.end());
    for (const Milestone& each : milestones_) {
      if (each.epoch != e || best >= each.accuracy) continue;
      return fmt::format("{:.4g} after epoch {} is below the milestone {:.4g}", best, e,
                         each.accuracy);
    }
    return {};
  }

  void learn(const Curve&, bool) override {}

 private:
  std::vector<Milestone> milestones_;
};

class HalvingRule : public StoppingRule {
 public:
  HalvingRule(std::int64_t first, double eta) : first_(first), eta_(eta) {}

  std::string text() const override { return fmt::format("halving:{},{}", first_, eta_); }

  std::optional<std::string> stops(const Curve& so_far, std::int64_t epochs) const override {
    const auto e = static_cast<std::int64_t>(so_far.size());
    if (e == 0 || e >= epochs || !is_rung(e)) return {};
    std::int64_t there = 1, better = 0;
    for (const Curve& curve : curves_) {
      if (static_cast<std::int64_t>(curve.size()) < e) continue;
      ++there;
      if (curve[so_far.size() - 1] > so_far.back()) ++better;
    }
    const auto kept =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(there) / eta_));
    if (better < kept) return {};
    return fmt::format("{} of {} were better after epoch {}; only the best {} continue", better,
                       there, e, kept);
  }

  void learn(const Curve& curve, bool) override { curves_.push_back(curve); }

 private:
  bool is_rung(std::int64_t epoch) const {
    double rung = static_cast<double>(first_);
    std::int64_t at = first_;
    while (at < epoch) {
      rung *= eta_;
      at = std::max(at + 1, static_cast<std::int64_t>(std::llround(std::min(rung, 1e15))));
    }
    return at == epoch;
  }

  std::int64_t first_;
  double eta_;
  std::vector<Curve> curves_;
};

class OriginalRule : public StoppingRule {
 public:
  explicit OriginalRule(double share) : share_(share) {}

  std::string text() const override { return fmt::format("below-original:{}", share_); }

  std::optional<std::string> stops(const Curve& so_far, std::int64_t epochs) const override {
    const std::size_t e = so_far.size();
    if (e == 0 || static_cast<std::int64_t>(e) >= epochs || e > original_.size()) return {};
    const double wanted = share_ * original_[e - 1];
    if (so_far.back() >= wanted) return {};
    return fmt::format("{:.4g} after epoch {} is below {:.4g}, {:.4g} of the original's {:.4g}",
                       so_far.back(), e, wanted, share_, original_[e - 1]);
  }

  void learn(const Curve& curve, bool) override {
    if (original_.empty()) original_ = curve;
  }

 private:
  double share_;
  Curve original_;
};

Rejection no_rule(std::string_view text, std::string why) {
  return Rejection(Reason::BadOption, "stopping rule " + quote(text), std::move(why));
}

Result<std::unique_ptr<StoppingRule>> parse_curve(std::string_view text, std::string_view rest) {
  const auto theta = parse_double(rest);
  if (!theta.ok() || *theta < 0 || *theta > 1)
    return no_rule(text, "expected curve:THETA with THETA from 0 to 1");
  return curve_rule(*theta);
}

Result<std::unique_ptr<StoppingRule>> parse_original(std::string_view text, std::string_view rest) {
  const auto share = parse_double(rest);
  if (!share.ok() || *share <= 0 || *share > 1) {
    return no_rule(text, "expected below-original:SHARE with SHARE above 0 and at most 1");
  }
  return original_rule(*share);
}

Result<std::unique_ptr<StoppingRule>> parse_milestones(std::string_view text,
                                                       std::string_view rest) {
  std::vector<Milestone> all;
  for (const std::string_view part : split(rest, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos)
      return no_rule(text, "expected milestones:EPOCH=ACCURACY,...");
    const auto epoch = parse_int(trim(part.substr(0, equals)), 1, 1'000'000);
    const auto accuracy = parse_double(trim(part.substr(equals + 1)));
    if (!epoch.ok() || !accuracy.ok())
      return no_rule(text, "expected milestones:EPOCH=ACCURACY,...");
    if (!all.empty() && *epoch <= all.back().epoch) return no_rule(text, "the epochs must rise");
    all.push_back({*epoch, *accuracy});
  }
  return milestone_rule(std::move(all));
}

Result<std::unique_ptr<StoppingRule>> parse_halving(std::string_view text, std::string_view rest) {
  const std::vector<std::string_view> parts = split(rest, ',');
  if (parts.size() != 2) return no_rule(text, "expected halving:FIRST,ETA");
  const auto first = parse_int(trim(parts[0]), 1, 1'000'000);
  const auto eta = parse_double(trim(parts[1]));
  if (!first.ok() || !eta.ok() || *eta <= 1 || *eta > 1e6) {
    return no_rule(text, "expected halving:FIRST,ETA with FIRST at least 1 and ETA above 1");
  }
  return halving_rule(*first, *eta);
}

}  // namespace

std::unique_ptr<StoppingRule> curve_rule(double theta) {
  return std::make_unique<CurveRule>(theta);
}

std::unique_ptr<StoppingRule> milestone_rule(std::vector<Milestone> milestones) {
  return std::make_unique<MilestoneRule>(std::move(milestones));
}

std::unique_ptr<StoppingRule> halving_rule(std::int64_t first, double eta) {
  CAMBIUM_CHECK(first >= 1 && eta > 1, "rungs rise");
  return std::make_unique<HalvingRule>(first, eta);
}

std::unique_ptr<StoppingRule> original_rule(double share) {
  return std::make_unique<OriginalRule>(share);
}

Result<std::unique_ptr<StoppingRule>> stopping_rule_of(std::string_view text) {
  if (text == "none") return std::unique_ptr<StoppingRule>(std::make_unique<NeverStops>());
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (name == "curve") return parse_curve(text, rest);
  if (name == "milestones") return parse_milestones(text, rest);
  if (name == "halving") return parse_halving(text, rest);
  if (name == "below-original") return parse_original(text, rest);
  return no_rule(
      text,
      "expected none or a rule such as curve:0.5, milestones:1=0.3,5=0.6, halving:1,3 or "
      "below-original:0.6");
}

StoppingStudy study(StoppingRule& rule, const std::vector<Curve>& curves, double tolerance) {
  StoppingStudy out;
  double best = 0, survived = 0;
  bool any_survived = false;
  for (const Curve& curve : curves) {
    if (!curve.empty()) best = out.epochs == 0 ? curve.back() : std::max(best, curve.back());
    out.epochs += static_cast<std::int64_t>(curve.size());
  }
  for (const Curve& curve : curves) {
    if (curve.empty()) continue;
    ++out.curves;
    const auto epochs = static_cast<std::int64_t>(curve.size());
    Curve so_far;
    while (so_far.size() < curve.size()) {
      so_far.push_back(curve[so_far.size()]);
      if (rule.stops(so_far, epochs)) break;
    }
    const bool finished = so_far.size() == curve.size();
    rule.learn(so_far, finished);
    const bool good = curve.back() >= best - tolerance;
    out.good += good ? 1 : 0;
    if (finished) {
      survived = any_survived ? std::max(survived, curve.back()) : curve.back();
      any_survived = true;
    } else {
      ++out.stopped;
      out.saved += epochs - static_cast<std::int64_t>(so_far.size());
      out.good_lost += good ? 1 : 0;
    }
  }
  out.best_lost = any_survived ? best - survived : best;
  return out;
}

}  // namespace cambium::train
