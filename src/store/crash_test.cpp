#include <map>

#include <gtest/gtest.h>

#include "base/process.h"
#include "base/random.h"
#include "base/text.h"
#include "store/store_testing.h"

namespace cambium::store {
namespace {

// Numbers that the writer has said before it was killed after `seconds`.
std::vector<std::uint64_t> acknowledged(const std::string& path, std::uint64_t first,
                                        double seconds) {
  ProcessRequest request;
  request.argv = {CAMBIUM_CRASH_WRITER, path, std::to_string(first)};
  request.limits.wall_seconds = seconds;
  request.limits.output_bytes = 8 << 20;
  const auto outcome = run_process(request);
  EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->death, Death::WallTime) << outcome->text();
  EXPECT_FALSE(outcome->output_cut);
  std::vector<std::uint64_t> numbers;
  std::vector<std::string_view> lines = split(outcome->output, '\n');
  lines.pop_back();  // what follows the last line break
  for (const std::string_view line : lines) {
    numbers.push_back(static_cast<std::uint64_t>(parse_int(line).value()));
  }
  return numbers;
}

TEST(TuningStoreCrash, LosesNothingThatWasAcknowledgedBeforeAKill) {
  const ScratchFolder folder;
  const std::string path = folder / "tuning.db";
  Rng random(7);
  std::vector<std::uint64_t> all;
  for (std::uint64_t round = 0; round < 12; ++round) {
    const auto numbers = acknowledged(path, round * 1'000'000, random.uniform(0.02, 0.25));
    all.insert(all.end(), numbers.begin(), numbers.end());
    auto store = TuningStore::open(path);
    ASSERT_TRUE(store.ok()) << store.rejection().message();
    std::map<std::uint64_t, Trial> trials;
    auto there = store->trials(key_number(0));
    ASSERT_TRUE(there.ok()) << there.rejection().message();
    for (Trial& trial : *there) {
      trials.emplace(static_cast<std::uint64_t>(trial.number), std::move(trial));
    }
    for (const std::uint64_t number : all) {
      Trial want = trial_number(number);
      ASSERT_TRUE(trials.contains(number)) << "trial " << number << " in round " << round;
      want.id = trials.at(number).id;
      ASSERT_EQ(trials.at(number), want) << "trial " << number << " in round " << round;
    }
    // Each round at most one more, which was written and not yet acknowledged.
    ASSERT_LE(trials.size(), all.size() + round + 1);
  }
  EXPECT_GT(all.size(), 100U);
}

TEST(TuningStoreCrash, LetsTwoProcessesWriteAtOnceWhileOneIsKilled) {
  const ScratchFolder folder;
  const std::string path = folder / "tuning.db";
  auto store = TuningStore::open(path);
  ASSERT_TRUE(store.ok()) << store.rejection().message();
  std::size_t theirs = 0;
  for (std::uint64_t round = 0; round < 3; ++round) {
    theirs += acknowledged(path, round * 1'000'000, 0.1).size();
    const auto added = store->add(key_number(1), trial_number(round));
    ASSERT_TRUE(added.ok()) << added.rejection().message();
  }
  EXPECT_GE(store->trials(key_number(0))->size(), theirs);
  EXPECT_EQ(store->trials(key_number(1))->size(), 3U);
}

}  // namespace
}  // namespace cambium::store
