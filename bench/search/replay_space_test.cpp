#include "search/replay_space.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/file.h"
#include "model/fingerprint.h"
#include "search/planted.h"
#include "search/race.h"
#include "search/setting.h"

namespace cambium::bench {
namespace {

using State = spaces::TreeOfEdits::State;

const SearchSetting& setting() {
  static const SearchSetting made = setting_of(SearchBenchOptions{}).value();
  return made;
}

// Samples of the space with planted numbers, and the space of them alone.
struct Recorded {
  explicit Recorded(std::size_t count) {
    std::set<std::string> seen;
    for (std::uint64_t seed = 1; rows.size() < count; ++seed) {
      const auto edits = setting().space->samples()->sample(seed);
      if (!edits.ok() || !seen.insert(edits->front().document).second) continue;
      rows.push_back({{model::structure_of(setting().base), *edits, std::nullopt},
                      planted_scores(*setting().space, edits->front()).value()});
    }
    space = ReplaySpace::make(setting().base, *setting().space, rows).value();
  }

  std::vector<TableRow> rows;
  std::unique_ptr<ReplaySpace> space;
};

// The table that docs/results/search_ablations.md replays: what a space offers must not lose it.
TEST(ReplaySpaceTest, HoldsTheRecordedTableWhole) {
  const auto lines = read_file(CAMBIUM_SEARCH_TABLES "/tiny_resnet.jsonl");
  ASSERT_TRUE(lines.ok());
  const auto table = parse_table(*lines);
  ASSERT_TRUE(table.ok()) << table.rejection().message();
  EXPECT_GE(table->rows.size(), 300u);
  const auto space = ReplaySpace::make(setting().base, *setting().space, table->rows);
  ASSERT_TRUE(space.ok()) << space.rejection().message();
  EXPECT_EQ((*space)->rows().size(), table->rows.size());
}

TEST(ReplaySpaceTest, OffersWhatWasRecordedAndNothingElse) {
  const Recorded recorded(40);
  EXPECT_EQ(recorded.space->rows().size(), 40u);
  spaces::TreeOfEdits& tree = *recorded.space->tree();
  std::set<State> met;
  std::set<std::size_t> found;
  std::map<State, int> parents;
  const auto visit = [&](auto&& self, State state) -> void {
    if (!met.insert(state).second) return;
    const auto edits = tree.finished(state);
    if (edits) found.insert(recorded.space->row_of(edits->front()));
    const std::size_t count = tree.actions(state).size();
    EXPECT_TRUE(edits.has_value() || count > 0) << "a dead end";
    for (std::size_t i = 0; i < count; ++i) {
      ++parents[tree.next(state, i)];
      self(self, tree.next(state, i));
    }
  };
  visit(visit, tree.root());
  EXPECT_EQ(found.size(), 40u);
  int shared = 0;
  for (const auto& [state, count] : parents) shared += count > 1;
  EXPECT_GT(shared, 40) << "steps come in several orders";
}

// The real tree takes every way that is left, and comes to the same.
TEST(ReplaySpaceTest, IsAPartOfTheRealTree) {
  const Recorded recorded(10);
  spaces::TreeOfEdits& mine = *recorded.space->tree();
  spaces::TreeOfEdits& real = *setting().space->tree();
  Rng rng(3);
  for (int i = 0; i < 20; ++i) {
    const auto descent = mine.descend(mine.root(), rng).value();
    State state = real.root();
    for (const auto& action : descent.actions) {
      const auto& open = real.actions(state);
      const auto place = std::find_if(open.begin(), open.end(), [&](const auto& other) {
        return other.label == action.label && other.kind == action.kind;
      });
      ASSERT_NE(place, open.end()) << action.label;
      state = real.next(state, static_cast<std::size_t>(place - open.begin()));
    }
    EXPECT_EQ(real.finished(state), descent.edits);
  }
}

TEST(ReplaySpaceTest, RefusesATableOfNothingThatTheTreeHas) {
  const Recorded recorded(1);
  std::vector<TableRow> rows = recorded.rows;
  rows[0].candidate.edits.push_back(rows[0].candidate.edits[0]);
  const auto space = ReplaySpace::make(setting().base, *setting().space, rows);
  EXPECT_EQ(space.rejection().reason(), Reason::NoProposal);
}

TEST(ReplaySpaceTest, IsSearchedBetterByTheTreeThanAtRandom) {
  const Recorded recorded(200);
  const search::RewardOptions reward = planted_reward(study::Metric::Macs);
  const Judge judge = [&](const spaces::Candidate& candidate) {
    search::Outcome outcome;
    outcome.candidate = candidate;
    outcome.scores = recorded.rows[recorded.space->row_of(candidate.edits[0])].scores;
    outcome.reward = search::reward_of(reward, outcome.scores, planted_original());
    return outcome;
  };
  const auto found = [&](const std::string& strategy) {
    RaceOptions options;
    options.strategy = strategy;
    options.tickets = 50;
    std::vector<double> best;
    const std::vector<SearchRun> runs = race(options, {}, *recorded.space, judge).value();
    for (const SearchRun& run : runs) {
      best.push_back(run.best(50));
      EXPECT_EQ(run.rewards.size(), 50u);
    }
    return quartiles_of(std::move(best)).mean;
  };
  EXPECT_GT(found("tree"), found("random"));
}

}  // namespace
}  // namespace cambium::bench
