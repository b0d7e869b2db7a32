#include <algorithm>
#include <deque>

#include "base/settings.h"
#include "search/pareto_curve.h"
#include "search/strategies/all.h"
#include "search/strategies/tried.h"

// Evolution with Pareto selection (alphaNAS, appendix B.3). Parents are drawn from the candidates
// nearest to the front of the first objective and another one, which is chosen anew each time. As
// in the authors' program, nearest means near a random anchor on the front, so that no part of the
// front is neglected.
namespace cambium::search {
namespace {

constexpr int kRepeats =
    2000;  // failed or known children in a row until the space counts as used up

struct EvolutionSettings {
  std::int64_t initial = 8;        // first members, with the original
  std::int64_t population = 1000;  // above it, the oldest member that is not on the front dies
  bool ages = false;               // the oldest member dies, also on the front (Real et al. 2019)
  double top = 0.1;                // share of the population nearest to the front
  std::int64_t least_top = 10;
  double first_alone = 0.2;  // how often the first objective alone decides
  bool anchors = true;
  double crossover = 0.2;  // if the space crosses
  bool is_by_meaning = false;
};

Settings settings_of(EvolutionSettings& s) {
  Settings settings("the strategy");
  settings
      .whole("initial", s.initial, 1, 1000000,
             "number of first tickets, which are samples or mutations of the original")
      .whole("population", s.population, 1, 1000000, "largest number of members")
      .yes_no("aging", s.ages, "the oldest member is removed, even if it is on the front")
      .real("top", s.top, 0, 1,
            "share of the members that become parents: those nearest to the front")
      .whole("least-top", s.least_top, 1, 1000000, "smallest number of members that become parents")
      .real("first-alone", s.first_alone, 0, 1,
            "share of the parents that are chosen by the first objective alone")
      .yes_no("anchors", s.anchors,
              "choose parents near a random place on the front, not near the front as a whole")
      .real("crossover", s.crossover, 0, 1,
            "share of the children that have two parents, if the space crosses candidates");
  Sameness::add_setting(settings, s.is_by_meaning);
  return settings;
}

struct Member {
  spaces::Candidate candidate;
  study::Scores scores;
  double reward = 0;
};

class Evolution final : public Strategy {
 public:
  Evolution(const StrategyOptions& options, Fingerprint base, spaces::Space& space,
            EvolutionSettings settings)
      : seed_(options.seed),
        objectives_(options.objectives),
        original_{base, {}, std::nullopt},
        space_(space),
        settings_(settings),
        same_(space, settings.is_by_meaning) {}

  std::optional<Proposal> propose(Ticket ticket) override;
  void fold(Ticket ticket, const Outcome& outcome) override;
  std::string state() const override;
  Status restore(std::string_view state) override;

 private:
  std::optional<spaces::Candidate> newcomer(Rng& rng);
  std::optional<spaces::Candidate> child(Rng& rng);
  const Member& parent(Rng& rng) const;
  // Distance of each member from the place of the next parent; members without scores are left out.
  std::vector<std::pair<double, std::size_t>> weights(Rng& rng) const;
  void bury();

  std::uint64_t seed_;
  std::vector<study::Metric> objectives_;
  spaces::Candidate original_;
  spaces::Space& space_;
  EvolutionSettings settings_;
  Sameness same_;

  std::deque<Member> members_;  // the oldest first
  Tried tried_;
};

// Higher is better.
double gain_of(const study::Scores& scores, study::Metric metric) {
  const double value = scores.at(metric)->value;
  return more_is_better(metric) ? value : -value;
}

std::vector<std::pair<double, std::size_t>> Evolution::weights(Rng& rng) const {
  std::vector<std::pair<double, std::size_t>> result;
  if (objectives_.empty()) {
    for (std::size_t i = 0; i < members_.size(); ++i) result.emplace_back(-members_[i].reward, i);
    return result;
  }
  const study::Metric first = objectives_[0];
  const bool is_alone = objectives_.size() == 1 || rng.chance(settings_.first_alone);
  const study::Metric second =
      is_alone ? first : objectives_[1 + rng.below(objectives_.size() - 1)];
  std::vector<CurvePlace> places;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const study::Scores& scores = members_[i].scores;
    if (!scores.at(first) || !scores.at(second)) continue;
    places.push_back({gain_of(scores, first), gain_of(scores, second)});
    result.emplace_back(-places.back().first, i);
  }
  if (is_alone || places.empty()) return result;
  const ParetoCurve curve(places);
  const CurvePlace anchor = curve.anchor(rng);
  for (std::size_t i = 0; i < places.size(); ++i) {
    result[i].first =
        settings_.anchors ? curve.distance(places[i], anchor) : curve.distance(places[i]);
  }
  return result;
}

const Member& Evolution::parent(Rng& rng) const {
  auto weighed = weights(rng);
  if (weighed.empty()) return members_[rng.below(members_.size())];
  const auto share = static_cast<std::size_t>(settings_.top * static_cast<double>(weighed.size()));
  const std::size_t top =
      std::min(weighed.size(), std::max(share, static_cast<std::size_t>(settings_.least_top)));
  std::nth_element(weighed.begin(), weighed.begin() + static_cast<std::ptrdiff_t>(top) - 1,
                   weighed.end());
  std::sort(weighed.begin(), weighed.begin() + static_cast<std::ptrdiff_t>(top));
  return members_[weighed[rng.below(top)].second];
}

std::optional<spaces::Candidate> Evolution::newcomer(Rng& rng) {
  if (auto* samples = space_.samples()) {
    auto edits = samples->sample(rng.next_u64());
    if (edits) return spaces::Candidate{original_.base, std::move(*edits), std::nullopt};
    return std::nullopt;
  }
  auto mutated = space_.mutates()->mutate(original_, rng.next_u64());
  if (!mutated) return std::nullopt;
  return std::move(*mutated);
}

std::optional<spaces::Candidate> Evolution::child(Rng& rng) {
  if (members_.empty()) return newcomer(rng);
  const Member& first = parent(rng);
  const std::uint64_t seed = rng.next_u64();
  auto made = space_.crosses() != nullptr && rng.chance(settings_.crossover)
                  ? space_.crosses()->cross(first.candidate, parent(rng).candidate, seed)
                  : space_.mutates()->mutate(first.candidate, seed);
  if (!made) return std::nullopt;
  return std::move(*made);
}

std::optional<Proposal> Evolution::propose(Ticket ticket) {
  const Rng rng = Rng(seed_).split(static_cast<std::uint64_t>(ticket));
  for (std::uint64_t i = 0; i < kRepeats; ++i) {
    Rng draws = rng.split(i);
    std::optional<spaces::Candidate> candidate;
    if (ticket == 0) {
      candidate = original_;
    } else {
      candidate = ticket < settings_.initial ? newcomer(draws) : child(draws);
    }
    if (!candidate) continue;
    if (tried_.add(same_.key_of(*candidate))) {
      return Proposal{std::move(*candidate), std::string(space_.name())};
    }
  }
  return std::nullopt;
}

void Evolution::fold(Ticket, const Outcome& outcome) {
  if (outcome.is_refused) return;
  members_.push_back({outcome.candidate, outcome.scores, outcome.reward});
  while (members_.size() > static_cast<std::size_t>(settings_.population)) bury();
}

void Evolution::bury() {
  std::vector<std::size_t> front;
  if (!settings_.ages && objectives_.empty()) {
    const auto best =
        std::max_element(members_.begin(), members_.end(),
                         [](const auto& a, const auto& b) { return a.reward < b.reward; });
    front.push_back(static_cast<std::size_t>(best - members_.begin()));
  } else if (!settings_.ages) {
    std::vector<study::Scores> scores;
    for (const Member& member : members_) scores.push_back(member.scores);
    front = study::pareto_front(scores, objectives_);
    std::sort(front.begin(), front.end());
  }
  std::size_t oldest = 0;
  while (std::binary_search(front.begin(), front.end(), oldest)) ++oldest;
  if (oldest == members_.size()) oldest = 0;  // all members are on the front
  members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(oldest));
}

std::string Evolution::state() const {
  SnapshotWriter out;
  out.text("evolution").count(members_);
  for (const Member& member : members_) {
    out.text(to_json(member.candidate)).real(member.reward);
    for (std::size_t i = 0; i < study::kMetrics; ++i) {
      const auto& value = member.scores.at(static_cast<study::Metric>(i));
      out.number(!value ? 0 : value->is_estimate ? 2 : 1);
      if (value) out.real(value->value);
    }
  }
  tried_.write(out);
  return std::move(out).done();
}

Status Evolution::restore(std::string_view state) {
  SnapshotReader in(state);
  in.expect("evolution");
  std::deque<Member> members;
  for (std::size_t count = in.count(); members.size() < count && in.ok();) {
    Member member;
    const std::string_view json = in.text();
    if (!in.ok()) break;
    CAMBIUM_TRY(member.candidate, spaces::parse_candidate(json));
    member.reward = in.real();
    for (std::size_t i = 0; i < study::kMetrics; ++i) {
      const std::int64_t is_known = in.number(0, 2);
      if (is_known == 0) continue;
      member.scores.set(static_cast<study::Metric>(i), {in.real(), 0, is_known == 2});
    }
    members.push_back(std::move(member));
  }
  Tried tried;
  tried.read(in);
  CAMBIUM_REQUIRE(in.finish());
  members_ = std::move(members);
  tried_ = std::move(tried);
  return Ok{};
}

}  // namespace

std::vector<SettingInfo> evolution_settings() {
  EvolutionSettings settings;
  return settings_of(settings).list();
}

MadeStrategy make_evolution(const StrategyOptions& options, Fingerprint base,
                            spaces::Space& space) {
  EvolutionSettings settings;
  CAMBIUM_REQUIRE(settings_of(settings).read(options.settings));
  if (space.mutates() == nullptr) {
    return Rejection(Reason::NoFacet, "evolution", "mutates candidates");
  }
  return std::unique_ptr<Strategy>(std::make_unique<Evolution>(options, base, space, settings));
}

}  // namespace cambium::search
