#include <unordered_set>

#include "base/settings.h"
#include "search/strategies/all.h"
#include "search/strategies/tried.h"

namespace cambium::search {
namespace {

// Enumerates the leaves of a tree, depth first, each state once.
class Leaves final : public spaces::EnumeratesEdits {
 public:
  explicit Leaves(spaces::TreeOfEdits& tree) : tree_(tree) { restart(); }

  void restart() override {
    stack_ = {tree_.root()};
    met_ = {stack_[0]};
  }

  std::optional<spaces::Edits> next() override {
    while (!stack_.empty()) {
      const auto state = stack_.back();
      stack_.pop_back();
      if (auto edits = tree_.finished(state)) return edits;
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
  EnumerateStrategy(Fingerprint base, spaces::Space& space, bool is_by_meaning)
      : base_(base), space_(space), same_(space, is_by_meaning) {
    if (space.enumerates() == nullptr) leaves_.emplace(*space.tree());
    list().restart();
  }

  std::optional<Proposal> propose(Ticket) override {
    while (auto edits = list().next()) {
      ++taken_;
      Proposal proposal{{base_, std::move(*edits), std::nullopt}, std::string(space_.name())};
      if (tried_.add(same_.key_of(proposal.candidate))) return proposal;
    }
    return std::nullopt;
  }

  void fold(Ticket, const Outcome&) override {}

  std::string state() const override {
    SnapshotWriter out;
    out.text("enumerate").number(taken_);
    return std::move(out).done();
  }

  // Skips the edits that were taken: there is no other way to a place in the list.
  Status restore(std::string_view state) override {
    SnapshotReader in(state);
    in.expect("enumerate");
    const std::int64_t count = in.number(0, std::int64_t{1} << 40);
    CAMBIUM_REQUIRE(in.finish());
    list().restart();
    tried_ = {};
    for (taken_ = 0; taken_ < count; ++taken_) {
      auto edits = list().next();
      if (!edits) break;
      tried_.add(same_.key_of({base_, std::move(*edits), std::nullopt}));
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
  Sameness same_;
  Tried tried_;
};

Settings settings_of(bool& is_by_meaning) {
  Settings settings("the strategy");
  Sameness::add_setting(settings, is_by_meaning);
  return settings;
}

}  // namespace

std::vector<SettingInfo> enumerate_settings() {
  bool is_by_meaning = false;
  return settings_of(is_by_meaning).list();
}

MadeStrategy make_enumerate(const StrategyOptions& options, Fingerprint base,
                            spaces::Space& space) {
  bool is_by_meaning = false;
  CAMBIUM_REQUIRE(settings_of(is_by_meaning).read(options.settings));
  if (space.enumerates() == nullptr && space.tree() == nullptr) {
    return Rejection(Reason::NoFacet, "enumerate", "enumerates edits or has a tree");
  }
  return std::unique_ptr<Strategy>(std::make_unique<EnumerateStrategy>(base, space, is_by_meaning));
}

}  // namespace cambium::search
