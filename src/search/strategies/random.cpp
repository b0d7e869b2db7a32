#include "base/settings.h"
#include "search/strategies/all.h"
#include "search/strategies/tried.h"

namespace cambium::search {
namespace {

// Many seeds may give nothing, and in a nearly used up space most draws are known.
constexpr int kDraws = 30000;
constexpr int kRepeats = 1000;

class RandomStrategy final : public Strategy {
 public:
  RandomStrategy(std::uint64_t seed, Fingerprint base, spaces::Space& space, std::int64_t walk,
                 bool is_by_meaning)
      : seed_(seed), base_(base), space_(space), walk_(walk), same_(space, is_by_meaning) {}

  std::optional<Proposal> propose(Ticket ticket) override {
    const Rng rng = Rng(seed_).split(static_cast<std::uint64_t>(ticket));
    int repeats = 0;
    for (std::uint64_t i = 0; i < kDraws && repeats < kRepeats; ++i) {
      auto candidate = draw(rng.split(i));
      if (!candidate) continue;
      if (tried_.add(same_.key_of(*candidate))) {
        return Proposal{std::move(*candidate), std::string(space_.name())};
      }
      ++repeats;
    }
    return std::nullopt;
  }

  void fold(Ticket, const Outcome&) override {}

  std::string state() const override {
    SnapshotWriter out;
    out.text("random");
    tried_.write(out);
    return std::move(out).done();
  }

  Status restore(std::string_view state) override {
    SnapshotReader in(state);
    in.expect("random");
    Tried tried;
    tried.read(in);
    CAMBIUM_REQUIRE(in.finish());
    tried_ = std::move(tried);
    return Ok{};
  }

 private:
  std::optional<spaces::Candidate> draw(Rng rng) {
    spaces::Candidate candidate{base_, {}, std::nullopt};
    if (auto* samples = space_.samples()) {
      auto edits = samples->sample(rng.next_u64());
      if (!edits) return std::nullopt;
      candidate.edits = std::move(*edits);
    } else if (auto* tree = space_.tree()) {
      auto descent = tree->descend(tree->root(), rng);
      if (!descent || !descent->is_wanted()) return std::nullopt;
      candidate.edits = std::move(descent->edits);
    } else {
      for (std::int64_t steps = rng.between(1, walk_); steps > 0; --steps) {
        auto child = space_.mutates()->mutate(candidate, rng.next_u64());
        if (child) candidate = std::move(*child);
      }
      if (!candidate.parent) return std::nullopt;
    }
    return candidate;
  }

  std::uint64_t seed_;
  Fingerprint base_;
  spaces::Space& space_;
  std::int64_t walk_;
  Sameness same_;
  Tried tried_;
};

struct RandomSettings {
  std::int64_t walk = 8;
  bool is_by_meaning = false;
};

Settings settings_of(RandomSettings& s) {
  Settings settings("the strategy");
  settings.whole("walk", s.walk, 1, 1000,
                 "largest number of mutations from the original, if the space only mutates");
  Sameness::add_setting(settings, s.is_by_meaning);
  return settings;
}

}  // namespace

std::vector<SettingInfo> random_settings() {
  RandomSettings settings;
  return settings_of(settings).list();
}

MadeStrategy make_random(const StrategyOptions& options, Fingerprint base, spaces::Space& space) {
  RandomSettings settings;
  CAMBIUM_REQUIRE(settings_of(settings).read(options.settings));
  if (space.samples() == nullptr && space.tree() == nullptr && space.mutates() == nullptr) {
    return Rejection(Reason::NoFacet, "random", "samples edits, has a tree or mutates candidates");
  }
  return std::unique_ptr<Strategy>(std::make_unique<RandomStrategy>(
      options.seed, base, space, settings.walk, settings.is_by_meaning));
}

}  // namespace cambium::search
