#include <unordered_set>

#include "search/settings.h"
#include "search/strategies/all.h"
#include "search/strategies/tried.h"

namespace cambium::search {
namespace {

// The leaves of a tree, depth first, no state twice.
class Leaves final : public spaces::EnumeratesEdits {
 public:
  explicit Leaves(spaces::TreeOfEdits& tree) : tree_(tree) { restart(); }

  void restart() override {
    stack_ = {tree_.root()};
    met_ = {stack_[0]};
  }

  std::optional<spaces::Edit> next() override {
    while (!stack_.empty()) {
      const auto state = stack_.back();
      stack_.pop_back();
      if (auto edit = tree_.finished(state)) return edit;
      for (std::size_t i = tree_.actions(state).size(); i > 0; --i) {
        const auto child = tree_.next(state, i - 1);
        if (met_.insert(child).second) stack_.push_back(child);
      }
    }
    return std::nullopt;
  }

 private:
  using State = spaces::TreeOfEdits::State;
  spaces::TreeOfEdits& tree_;
  std::vector<State> stack_;
  std::unordered_set<State> met_;
};

class EnumerateStrategy final : public Strategy {
 public:
  EnumerateStrategy(Fingerprint base, spaces::Space& space) : base_(base), space_(space) {
    if (space.enumerates() == nullptr) leaves_.emplace(*space.tree());
    list().restart();
  }

  std::optional<Proposal> propose(Ticket) override {
    while (auto edit = list().next()) {
      ++taken_;
      Proposal proposal{{base_, {std::move(*edit)}, std::nullopt}, std::string(space_.name())};
      if (tried_.add(key_of(proposal.candidate))) return proposal;
    }
    return std::nullopt;
  }

  void fold(Ticket, const Outcome&) override {}

  std::string state() const override {
    SnapshotWriter out;
    out.text("enumerate").number(taken_);
    return std::move(out).done();
  }

  // Walks again over what was taken: a list has no other way to a place in it.
  Status restore(std::string_view state) override {
    SnapshotReader in(state);
    in.expect("enumerate");
    const std::int64_t count = in.number(0, std::int64_t{1} << 40);
    CAMBIUM_REQUIRE(in.finish());
    list().restart();
    tried_ = {};
    for (taken_ = 0; taken_ < count; ++taken_) {
      const auto edit = list().next();
      if (!edit) break;
      tried_.add(key_of({base_, {*edit}, std::nullopt}));
    }
    return Ok{};
  }

 private:
  spaces::EnumeratesEdits& list() {
    return leaves_ ? static_cast<spaces::EnumeratesEdits&>(*leaves_) : *space_.enumerates();
  }

  Fingerprint base_;
  spaces::Space& space_;
  std::optional<Leaves> leaves_;
  std::int64_t taken_ = 0;
  Tried tried_;
};

}  // namespace

MadeStrategy make_enumerate(const StrategyOptions& options, Fingerprint base,
                            spaces::Space& space) {
  CAMBIUM_REQUIRE(Settings().read(options.settings));
  if (space.enumerates() == nullptr && space.tree() == nullptr) {
    return Rejection(Reason::NoFacet, "enumerate", "enumerates edits or has a tree");
  }
  return std::unique_ptr<Strategy>(std::make_unique<EnumerateStrategy>(base, space));
}

}  // namespace cambium::search
