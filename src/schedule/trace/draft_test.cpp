#include "schedule/trace/draft.h"

#include <gtest/gtest.h>

#include "program/text.h"

namespace cambium::schedule {
namespace {

constexpr std::string_view kCopyOf24 = R"(
  program p(x: f32[24] input, y: f32[24] output) {
    for i in 24 { block y(spatial i = i) { y[i] = x[i] } }
  })";

struct Desk {
  Context cx;
  Program program = program::parse(cx, kCopyOf24).value();
  Machine machine;

  Draft draft(const DraftOptions& options) { return Draft(cx, program, machine, options); }
};

TEST(Draft, KeepsKeysApart) {
  Desk desk;
  const DraftOptions options;
  Draft draft = desk.draft(options);
  draft.enter("tiling", "y");
  draft.perfect_tile("i", 24, 2, 24);
  draft.perfect_tile("i", 24, 2, 24);
  draft.perfect_tile("i", 24, 2, 24);
  draft.enter("tiling", "z");
  draft.perfect_tile("i", 24, 2, 24);
  Names keys;
  for (const Record& record : draft.schedule().trace()) keys.push_back(*key_of(record.step));
  EXPECT_EQ(keys, (Names{"tiling/y/i", "tiling/y/i#2", "tiling/y/i#3", "tiling/z/i"}));
}

// Decides all kinds of things and writes them down in a fixed order.
std::string all_decisions(Draft& draft, bool backwards) {
  std::map<int, std::string> found;
  for (int i = 0; i < 7; ++i) {
    const int which = backwards ? 6 - i : i;
    std::string text;
    const auto add = [&](const Ints& factors) {
      for (const std::int64_t f : factors) text += std::to_string(f) + " ";
    };
    const auto number = [](auto n) { return std::to_string(n); };
    switch (which) {
      case 0: text = number(draft.choose("choose", {"a", "b", "c", "d", "e"})); break;
      case 1: text = number(draft.branch("branch", {"a", "b", "c", "d", "e"})); break;
      case 2: add(draft.perfect_tile("perfect", 5040, 3, 64)); break;
      case 3: add(draft.imperfect_tile("loose", 1000, 3, 64)); break;
      case 4: add(draft.partitioned_tile("split", 1000, 3, 1, 16, 64)); break;
      case 5: text = draft.layout("layout", "w", {"as it is", "d1, d0", "d0, d1"}); break;
      default:
        text = draft.compute_location("place", "y", {"root", "i", "inline"}) + " " +
               number(draft.micro_kernel("kernel", {{6, 4}, {8, 3}, {14, 2}, {28, 1}}).rows) + " " +
               number(draft.choose_number("unroll", {1, 16, 64, 512}));
    }
    found[which] = text;
  }
  std::string text;
  for (const auto& [which, one] : found) text += one + "; ";
  return text;
}

TEST(Draft, DrawsTheSameWithTheSameSeed) {
  Desk desk;
  DraftOptions options;
  Draft first = desk.draft(options), second = desk.draft(options);
  EXPECT_EQ(all_decisions(first, false), all_decisions(second, false));
  EXPECT_EQ(to_text(first.schedule().trace()), to_text(second.schedule().trace()));
  options.seed = 2;
  Draft other = desk.draft(options);
  EXPECT_NE(all_decisions(other, false), all_decisions(first, false));
}

TEST(Draft, DrawsWhateverTheOrderOfTheQuestions) {
  Desk desk;
  const DraftOptions options;
  Draft first = desk.draft(options), second = desk.draft(options);
  EXPECT_EQ(all_decisions(first, false), all_decisions(second, true));
  EXPECT_EQ(decisions_of(first.schedule().trace()), decisions_of(second.schedule().trace()));
}

TEST(Draft, DrawsAllThatALawEverDrawsAlikeWhereThatIsAskedFor) {
  Desk desk;
  int drawn[2][3] = {};
  for (const bool is_uniform : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
      const DraftOptions options{seed, is_uniform ? Otherwise::Uniform : Otherwise::Drawn, {}, 1};
      Draft draft = desk.draft(options);
      ++drawn[is_uniform ? 1 : 0][draft.choose("o", {"never", "seldom", "often"}, 0, {0, 1, 99})];
    }
  }
  EXPECT_EQ(drawn[0][0], 0);
  EXPECT_EQ(drawn[1][0], 0);
  EXPECT_LT(drawn[0][1], 100);
  EXPECT_NEAR(drawn[1][1], 1500, 150);  // five deviations
}

// The law prefers divisors: 1, 7 and 49 of 49.
TEST(Draft, DrawsTilesWithTailsBySizeAloneWhereThatIsAskedFor) {
  Desk desk;
  constexpr int kDraws = 4900;
  int drawn[50] = {};
  for (std::uint64_t seed = 1; seed <= kDraws; ++seed) {
    const DraftOptions options{seed, Otherwise::Uniform, {}, 1};
    Draft draft = desk.draft(options);
    const Ints factors = draft.imperfect_tile("t", 49, 2, 49);
    ASSERT_EQ(factors[0], (49 + factors[1] - 1) / factors[1]);
    ++drawn[factors[1]];
  }
  for (int factor = 1; factor <= 49; ++factor) EXPECT_NEAR(drawn[factor], 100, 50) << factor;
}

TEST(Draft, TakesWhatIsWantedSnapped) {
  Desk desk;
  DraftOptions options;
  options.wanted["r/y/i"] = {{3, 7}, {}};
  options.wanted["r/y/o"] = {{0}, "large"};
  options.wanted["r/y/k"] = {{0}, "13x2"};
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    options.seed = seed;
    Draft draft = desk.draft(options);
    draft.enter("r", "y");
    EXPECT_EQ(draft.perfect_tile("i", 24, 2, 24), (Ints{3, 8}));
    EXPECT_EQ(draft.choose("o", {"small", "large"}), 1U);
    EXPECT_EQ(draft.micro_kernel("k", {{6, 4}, {14, 2}}), (MicroKernel{14, 2}));
  }
}

TEST(Draft, TakesWhatIsPreferredWhereNothingIsWanted) {
  Desk desk;
  const DraftOptions options{1, Otherwise::Preferred, {{"i", {{3, 8}, {}}}}, 2};
  Draft draft = desk.draft(options);
  EXPECT_EQ(draft.perfect_tile("i", 24, 2, 24, {6, 4}), (Ints{3, 8}));
  EXPECT_EQ(draft.perfect_tile("j", 24, 2, 24, {6, 4}), (Ints{6, 4}));
  EXPECT_EQ(draft.perfect_tile("k", 24, 2, 24), (Ints{24, 1}));
  EXPECT_EQ(draft.imperfect_tile("l", 24, 2, 24, {0, 5}), (Ints{5, 5}));
  EXPECT_EQ(draft.partitioned_tile("m", 24, 2, 1, 16, 32), (Ints{2, 16}));
  EXPECT_EQ(draft.choose("o", {"a", "b", "a"}, 2), 0U) << "options of one text are one option";
  EXPECT_EQ(draft.choose("p", {"a", "b"}, 1, {1, 0}), 1U) << "though it is never drawn";
  EXPECT_EQ(draft.choose_number("n", {1, 4, 9}, 1), 4);
  EXPECT_EQ(draft.micro_kernel("s", {{6, 4}, {14, 2}}, 1), (MicroKernel{14, 2}));
  EXPECT_EQ(draft.compute_location("q", "y", {"root", "i"}, 1), "i");
  EXPECT_EQ(draft.layout("w", "x", {"as it is", "d0"}, 1), "d0");
  EXPECT_EQ(draft.threads(), 2);
}

TEST(Draft, GoesBackWithItsDecisions) {
  Desk desk;
  const DraftOptions options;
  Draft draft = desk.draft(options);
  draft.choose("kept", {"a", "b"});
  const std::string before = to_text(draft.schedule().trace());
  const Schedule::Mark mark = draft.schedule().mark();
  const Ints factors = draft.perfect_tile("i", 24, 2, 24);
  ASSERT_TRUE(draft.apply(Split{"i", factors, Tail::Exact}).ok());
  draft.schedule().back_to(mark);
  EXPECT_EQ(to_text(draft.schedule().trace()), before);
  EXPECT_EQ(program::to_text(desk.cx, draft.program()), program::to_text(desk.cx, desk.program));
  EXPECT_EQ(draft.perfect_tile("i", 24, 2, 24), factors) << "the key is free again";
}

TEST(Draft, TellsSamplesFromSteps) {
  const Step split = Split{"i", {2, 4}, Tail::Exact};
  const Step note = Annotate{};
  const Step branch = SampleCategorical{"k", {"a", "b"}, {}, true, 0};
  const Step tile = SamplePerfectTile{"t", 4, 2, 4, {2, 2}};
  EXPECT_FALSE(is_sample(split));
  EXPECT_FALSE(is_sample(note));
  EXPECT_TRUE(is_sample(branch));
  EXPECT_TRUE(is_structural(branch));
  EXPECT_TRUE(is_sample(tile));
  EXPECT_FALSE(is_structural(tile));
  EXPECT_TRUE(neighbours_of(split).empty());
  EXPECT_EQ(neighbours_of(branch).size(), 1U);
}

}  // namespace
}  // namespace cambium::schedule
