#include "search/settings.h"
#include "search/strategies/all.h"
#include "search/strategies/tried.h"

namespace cambium::search {
namespace {

// Most seeds of a space may give nothing; most draws of a space that is nearly used up are known.
constexpr int kDraws = 30000;
constexpr int kRepeats = 1000;

class RandomStrategy final : public Strategy {
 public:
  RandomStrategy(std::uint64_t seed, Fingerprint base, spaces::Space& space, std::int64_t walk)
      : seed_(seed), base_(base), space_(space), walk_(walk) {}

  std::optional<Proposal> propose(Ticket ticket) override {
    const Rng rng = Rng(seed_).split(static_cast<std::uint64_t>(ticket));
    int repeats = 0;
    for (std::uint64_t i = 0; i < kDraws && repeats < kRepeats; ++i) {
      auto candidate = draw(rng.split(i));
      if (!candidate) continue;
      if (tried_.add(key_of(*candidate))) {
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
      auto edit = samples->sample(rng.next_u64());
      if (!edit) return std::nullopt;
      candidate.edits.push_back(std::move(*edit));
    } else if (auto* tree = space_.tree()) {
      auto descent = tree->descend(tree->root(), rng);
      if (!descent || !descent->is_wanted()) return std::nullopt;
      candidate.edits.push_back(std::move(descent->edit));
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
  Tried tried_;
};

}  // namespace

MadeStrategy make_random(const StrategyOptions& options, Fingerprint base, spaces::Space& space) {
  std::int64_t walk = 8;
  CAMBIUM_REQUIRE(Settings().whole("walk", walk, 1, 1000).read(options.settings));
  if (space.samples() == nullptr && space.tree() == nullptr && space.mutates() == nullptr) {
    return Rejection(Reason::NoFacet, "random", "samples edits, has a tree or mutates candidates");
  }
  return std::unique_ptr<Strategy>(
      std::make_unique<RandomStrategy>(options.seed, base, space, walk));
}

}  // namespace cambium::search
