#include <algorithm>

#include <gtest/gtest.h>

#include "base/scratch_folder_testing.h"
#include "tune/parts.h"

namespace cambium::bench {
namespace {

void add(Results& results, const char* way, int seed, double seconds) {
  const nlohmann::json key = {
      {"part", "search"}, {"case", "GMM-0"}, {"trials", 64}, {"way", way}, {"seed", seed}};
  const std::string name = way + std::to_string(seed);
  EXPECT_TRUE(
      results
          .add(key,
               {{"seconds", seconds}, {"trace", name}, {"on_the_way", {{16, name + " at 16"}}}})
          .ok());
}

TEST(SearchText, PairsSeedsAndCountsWinsAndTheirLuck) {
  const ScratchFolder folder;
  Results results = Results::open(folder / "rows", host_machine()).value();
  EXPECT_EQ(search_text(results), "");
  for (int seed = 1; seed <= 3; ++seed) {
    add(results, "random", seed, 3e-3);
    add(results, "evolution", seed, seed * 1e-3);
  }
  const std::string text = search_text(results);
  EXPECT_EQ(text.find("After 16 trials"), std::string::npos) << "not compared yet: " << text;
  EXPECT_NE(text.find("After 64 trials"), std::string::npos) << text;
  EXPECT_NE(text.find("1.500 [1.500 3.000]  2/3"), std::string::npos) << text;
  EXPECT_NE(text.find("1.500  2 won 0 lost p=0.5"), std::string::npos) << text;
}

TEST(SearchText, ComparesDrawsByTheirLawsWithUniformOnesToo) {
  const ScratchFolder folder;
  Results results = Results::open(folder / "rows", host_machine()).value();
  add(results, "uniform", 1, 4e-3);
  add(results, "random", 1, 2e-3);
  const std::string text = search_text(results);
  EXPECT_NE(text.find("best by uniform"), std::string::npos) << text;
  EXPECT_NE(text.find("2.000 [2.000 2.000]  1/1"), std::string::npos) << text;
  EXPECT_EQ(text.find("0.500"), std::string::npos) << "and not the other way round: " << text;
}

TEST(SearchText, TakesTimesByComparisonWhereThereAreAny) {
  const ScratchFolder folder;
  Results results = Results::open(folder / "rows", host_machine()).value();
  add(results, "random", 1, 3e-3);
  add(results, "evolution", 1, 1e-3);
  const nlohmann::json winners = {{fingerprint_of(std::string("random1")).text(), 4e-3},
                                  {fingerprint_of(std::string("evolution1")).text(), 5e-3},
                                  {fingerprint_of(std::string("random1 at 16")).text(), 6e-3},
                                  {fingerprint_of(std::string("evolution1 at 16")).text(), 5e-3}};
  const nlohmann::json key = {{"part", "search"}, {"case", "GMM-0"}, {"trials", 64}, {"seeds", 1}};
  EXPECT_TRUE(results.add(key, {{"winners", winners}}).ok());
  const std::string text = search_text(results);
  EXPECT_NE(text.find("0.800 [0.800 0.800]  0/1"), std::string::npos) << text;
  EXPECT_NE(text.find("random                      1.500    1.000"), std::string::npos) << text;
  EXPECT_EQ(text.find("best by uniform"), std::string::npos) << "there is none: " << text;
  EXPECT_NE(text.find("After 16 trials"), std::string::npos) << text;
  EXPECT_NE(text.find("1.200 [1.200 1.200]  1/1"), std::string::npos) << text;
}

// As long as the run lasts in which it was refused; the next one tries it again.
TEST(SearchText, LeavesOutSearchesThatFoundNothing) {
  const ScratchFolder folder;
  Results results = Results::open(folder / "rows", host_machine()).value();
  add(results, "random", 1, 3e-3);
  add(results, "evolution", 1, 1e-3);
  const std::string before = search_text(results);
  const nlohmann::json key = {
      {"part", "search"}, {"case", "GMM-0"}, {"trials", 64}, {"way", "evolution"}, {"seed", 2}};
  EXPECT_TRUE(results.add(key, {{"refused", "all trials were refused"}}).ok());
  EXPECT_EQ(search_text(results), before);
}

TEST(SpeedKeys, TellAQuickRunFromAFullOne) {
  TuneBenchOptions quick;
  quick.quick = true;
  const std::vector<nlohmann::json> full = speed_keys({});
  EXPECT_EQ(full.size(), 6U);
  for (const nlohmann::json& key : speed_keys(quick)) {
    EXPECT_EQ(std::count(full.begin(), full.end(), key), 0) << key;
  }
}

TEST(Results, DoAgainWhatWasRefusedOrMissingOnly) {
  const ScratchFolder folder;
  const nlohmann::json done = {{"part", "x"}, {"case", "a"}},
                       refused = {{"part", "x"}, {"case", "b"}},
                       missing = {{"part", "x"}, {"case", "c"}};
  {
    Results results = Results::open(folder / "rows", host_machine()).value();
    EXPECT_TRUE(results.add(done, {{"ratio", 1}}).ok());
    EXPECT_TRUE(results.add(refused, {{"refused", "why"}}).ok());
    EXPECT_TRUE(results.add(missing, {{"missing", "why"}}).ok());
    EXPECT_EQ(results.rows().size(), 3U);
  }
  const Results results = Results::open(folder / "rows", host_machine()).value();
  EXPECT_NE(results.find(done), nullptr);
  EXPECT_EQ(results.find(refused), nullptr);
  EXPECT_EQ(results.find(missing), nullptr);
  EXPECT_EQ(Results::open(folder / "rows", *machine_named("aarch64"))->rows().size(), 0U);
}

}  // namespace
}  // namespace cambium::bench
