#include <deque>

#include "base/settings.h"
#include "search/strategies/all.h"
#include "search/tally.h"

// A bandit over strategies by UCB1-tuned. Old rewards count less and less, because strategies
// improve as they learn. Running tickets count as if they earned the mean, so that one arm does not
// take the whole window. A probe counts as if it earned the mean of all: it is proposed for its
// values, not for what it earns.
namespace cambium::search {
namespace {

struct ArmRecord {
  std::string space;
  std::unique_ptr<Strategy> strategy;
  double count = 0, sum = 0, squares = 0;  // of rewards, discounted
  Ticket next = 0;                         // the arm's own tickets
  std::int64_t under_way = 0;
  bool is_used_up = false;
  bool is_waiting = false;  // it needs an outcome before it can propose

  double mean() const { return count > 0 ? sum / count : 0; }
  double variance() const {
    return count > 0 ? std::max(0.0, squares / count - mean() * mean()) : 0;
  }
};

struct UnderWay {
  Ticket ticket = 0;
  std::size_t arm = 0;
  Ticket own = 0;
};

class Bandit final : public Strategy {
 public:
  Bandit(std::vector<Arm> arms, double exploration, double discount)
      : exploration_(exploration), discount_(discount) {
    for (Arm& arm : arms) {
      ArmRecord record;
      record.space = std::move(arm.space);
      record.strategy = std::move(arm.strategy);
      arms_.push_back(std::move(record));
    }
  }

  std::optional<Proposal> propose(Ticket ticket) override {
    while (ArmRecord* arm = best()) {
      if (auto proposal = arm->strategy->propose(arm->next)) {
        under_way_.push_back({ticket, static_cast<std::size_t>(arm - arms_.data()), arm->next});
        ++arm->next;
        ++arm->under_way;
        return proposal;
      }
      (arm->under_way > 0 ? arm->is_waiting : arm->is_used_up) = true;
    }
    return std::nullopt;
  }

  void fold(Ticket ticket, const Outcome& outcome) override {
    if (under_way_.empty() || under_way_.front().ticket != ticket) return;
    const UnderWay ended = under_way_.front();
    under_way_.pop_front();
    const double reward = outcome.is_probe ? mean() : outcome.is_refused ? 0 : outcome.reward;
    for (ArmRecord& arm : arms_) {
      arm.count *= discount_;
      arm.sum *= discount_;
      arm.squares *= discount_;
    }
    ArmRecord& arm = arms_[ended.arm];
    arm.is_waiting = false;
    arm.count += 1;
    arm.sum += reward;
    arm.squares += reward * reward;
    --arm.under_way;
    range_.add(reward);
    arm.strategy->fold(ended.own, outcome);
  }

  std::string state() const override;
  Status restore(std::string_view state) override;
  std::vector<std::string> remarks() const override;

 private:
  double mean() const {
    double count = 0, sum = 0;
    for (const ArmRecord& arm : arms_) {
      count += arm.count;
      sum += arm.sum;
    }
    return count > 0 ? sum / count : 0;
  }

  ArmRecord* best() {
    double all = 0;
    for (const ArmRecord& arm : arms_) all += arm.count + static_cast<double>(arm.under_way);
    ArmRecord* found = nullptr;
    double most = 0;
    for (ArmRecord& arm : arms_) {
      if (arm.is_used_up || arm.is_waiting) continue;
      const double count = arm.count + static_cast<double>(arm.under_way);
      if (arm.next == 0) return &arm;
      const double variance = arm.variance() * range_.scale() * range_.scale();
      const double score =
          range_.place(arm.mean()) + exploration_ * ucb_width(count, variance, all);
      if (found == nullptr || score > most) {
        most = score;
        found = &arm;
      }
    }
    return found;
  }

  double exploration_, discount_;
  std::vector<ArmRecord> arms_;
  Range range_;
  std::deque<UnderWay> under_way_;
};

std::string Bandit::state() const {
  SnapshotWriter out;
  out.text("bandit").count(arms_);
  for (const ArmRecord& arm : arms_) {
    out.text(arm.space).real(arm.count).real(arm.sum).real(arm.squares).number(arm.next);
    out.number(arm.is_waiting ? 2 : arm.is_used_up ? 1 : 0).text(arm.strategy->state());
  }
  write(out, range_);
  out.count(under_way_);
  for (const UnderWay& each : under_way_) {
    out.number(each.ticket).number(static_cast<std::int64_t>(each.arm)).number(each.own);
  }
  return std::move(out).done();
}

std::vector<std::string> Bandit::remarks() const {
  std::vector<std::string> all;
  for (const ArmRecord& arm : arms_) {
    for (const std::string& remark : arm.strategy->remarks()) {
      all.push_back("space '" + arm.space + "': " + remark);
    }
  }
  return all;
}

Status Bandit::restore(std::string_view state) {
  SnapshotReader in(state);
  in.expect("bandit");
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  const auto arms = static_cast<std::int64_t>(arms_.size());
  in.number(arms, arms);
  for (ArmRecord& arm : arms_) {
    in.expect(arm.space);
    arm.count = in.real();
    arm.sum = in.real();
    arm.squares = in.real();
    arm.next = in.number(0, kMost);
    const std::int64_t standing = in.number(0, 2);
    arm.is_used_up = standing == 1;
    arm.is_waiting = standing == 2;
    arm.under_way = 0;
    const std::string_view own = in.text();
    if (in.ok()) CAMBIUM_REQUIRE(arm.strategy->restore(own).at("space '" + arm.space + "'"));
  }
  range_ = read_range(in);
  under_way_.clear();
  for (std::size_t count = in.count(); under_way_.size() < count && in.ok();) {
    UnderWay each;
    each.ticket = in.number(0, kMost);
    each.arm = static_cast<std::size_t>(in.number(0, arms - 1));
    each.own = in.number(0, kMost);
    ++arms_[each.arm].under_way;
    under_way_.push_back(each);
  }
  return in.finish();
}

struct BanditSettings {
  double exploration = 1, discount = 0.99;
};

Settings settings_of(BanditSettings& s) {
  Settings settings("the strategy");
  settings
      .real("exploration", s.exploration, 0, 100,
            "exploration constant: how far the upper bound of a space lies above its mean reward")
      .real("discount", s.discount, 0.01, 1,
            "factor by which the weight of a reward falls with each later ticket");
  return settings;
}

}  // namespace

std::vector<SettingInfo> bandit_settings() {
  BanditSettings settings;
  return settings_of(settings).list();
}

MadeStrategy make_bandit(const StrategyOptions& options, std::vector<Arm> arms) {
  BanditSettings settings;
  CAMBIUM_REQUIRE(settings_of(settings).read(options.settings));
  return std::unique_ptr<Strategy>(
      std::make_unique<Bandit>(std::move(arms), settings.exploration, settings.discount));
}

}  // namespace cambium::search
