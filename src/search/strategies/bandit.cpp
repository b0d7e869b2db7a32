#include <deque>

#include "search/settings.h"
#include "search/strategies/all.h"
#include "search/tally.h"

// A bandit over strategies: UCB1-tuned, old rewards counting less and less, since strategies get
// better as they learn. Tickets under way count as if they earned nothing more than the mean, so
// that one arm does not take all of a window.
namespace cambium::search {
namespace {

struct ArmRecord {
  std::string space;
  std::unique_ptr<Strategy> strategy;
  double count = 0, sum = 0, squares = 0;  // of rewards, discounted
  Ticket next = 0;                         // the arm's own tickets
  std::int64_t under_way = 0;
  bool is_used_up = false;

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
      arm->is_used_up = true;
    }
    return std::nullopt;
  }

  void fold(Ticket ticket, const Outcome& outcome) override {
    if (under_way_.empty() || under_way_.front().ticket != ticket) return;
    const UnderWay ended = under_way_.front();
    under_way_.pop_front();
    for (ArmRecord& arm : arms_) {
      arm.count *= discount_;
      arm.sum *= discount_;
      arm.squares *= discount_;
    }
    const double reward = outcome.is_refused ? 0 : outcome.reward;
    ArmRecord& arm = arms_[ended.arm];
    arm.count += 1;
    arm.sum += reward;
    arm.squares += reward * reward;
    --arm.under_way;
    range_.add(reward);
    arm.strategy->fold(ended.own, outcome);
  }

  std::string state() const override;
  Status restore(std::string_view state) override;

 private:
  ArmRecord* best() {
    double all = 0;
    for (const ArmRecord& arm : arms_) all += arm.count + static_cast<double>(arm.under_way);
    ArmRecord* found = nullptr;
    double most = 0;
    for (ArmRecord& arm : arms_) {
      if (arm.is_used_up) continue;
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
    out.number(arm.is_used_up ? 1 : 0).text(arm.strategy->state());
  }
  write(out, range_);
  out.count(under_way_);
  for (const UnderWay& each : under_way_) {
    out.number(each.ticket).number(static_cast<std::int64_t>(each.arm)).number(each.own);
  }
  return std::move(out).done();
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
    arm.is_used_up = in.number(0, 1) == 1;
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

}  // namespace

MadeStrategy make_bandit(const StrategyOptions& options, std::vector<Arm> arms) {
  double exploration = 1, discount = 0.99;
  Settings settings;
  settings.real("exploration", exploration, 0, 100).real("discount", discount, 0.01, 1);
  CAMBIUM_REQUIRE(settings.read(options.settings));
  return std::unique_ptr<Strategy>(
      std::make_unique<Bandit>(std::move(arms), exploration, discount));
}

}  // namespace cambium::search
