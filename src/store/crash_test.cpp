#include <map>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/text.h"
#include "store/store_testing.h"
#include "store/writer_testing.h"

namespace cambium::store {
namespace {

// Numbers that the writer has said before it was killed.
std::vector<std::uint64_t> acknowledged(const std::string& path, std::uint64_t first, Rng& random) {
  std::vector<std::uint64_t> numbers;
  for (const std::string& line :
       said_before_kill({CAMBIUM_CRASH_WRITER, path, std::to_string(first)}, 20, random)) {
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
    const auto numbers = acknowledged(path, round * 1'000'000, random);
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
  Rng random(9);
  std::size_t theirs = 0;
  for (std::uint64_t round = 0; round < 3; ++round) {
    theirs += acknowledged(path, round * 1'000'000, random).size();
    const auto added = store->add(key_number(1), trial_number(round));
    ASSERT_TRUE(added.ok()) << added.rejection().message();
  }
  EXPECT_GE(store->trials(key_number(0))->size(), theirs);
  EXPECT_EQ(store->trials(key_number(1))->size(), 3U);
}

}  // namespace
}  // namespace cambium::store
