#include "schedule/rules/space.h"

#include <functional>
#include <set>

#include "program/text.h"
#include "program/walk.h"
#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

// The same with 12 rows or others.
std::string matmul_relu(int rows) {
  const std::string n = std::to_string(rows);
  return "program p(a: f32[" + n + ", 10] input, b: f32[10, 16] constant, y: f32[" + n +
         ", 16] output) {\n local t: f32[" + n + ", 16]\n for i in " + n +
         " { for j in 16 { for k in 10 {\n"
         "  block t(spatial i = i, spatial j = j, reduce k = k) {"
         " t[i, j] += a[i, k] * b[k, j] init 0.0 } } } }\n for i.2 in " +
         n +
         " { for j.2 in 16 {\n"
         "  block y(spatial i = i.2, spatial j = j.2) { y[i, j] = max(t[i, j], 0.0) } } } }";
}

// Splits the outermost loop of a block as sampled.
Status split_outermost(Draft& draft, const std::string& block) {
  const program::Loop* loop = nullptr;
  for (const program::Site& site : program::sites_of(draft.program())) {
    if (site.block->name == block) loop = site.loops.front();
  }
  const Ints factors = draft.perfect_tile("i", loop->extent(), 2, 64);
  CAMBIUM_REQUIRE(draft.apply(Split{std::string(loop->name()), factors, Tail::Exact}));
  return Ok{};
}

// Vectorizes the inner loop or not; refuses blocks other than y, after having asked.
Status maybe_vectorize(Draft& draft, const std::string& block) {
  const bool vectors = draft.branch("lanes", {"no", "yes"}) == 1;
  if (block != "y") return Rejection(Reason::NothingToDo, "lanes", "it is not y");
  if (!vectors) return Ok{};
  CAMBIUM_REQUIRE(draft.apply(Vectorize{"j.2"}));
  if (draft.branch("more", {"none", "twice", "none again"}) == 1) {
    CAMBIUM_REQUIRE(draft.apply(Vectorize{"j.2"}));  // refused: it is one already
  }
  return Ok{};
}

Space space_of_both() {
  return {{{"split", "splits the outermost loop", split_outermost},
           {"lanes", "vectorizes", maybe_vectorize}}};
}

struct Desk {
  explicit Desk(int rows = 12) : program(program::parse(cx, matmul_relu(rows)).value()) {}

  Schedule make(const Space& space, const DraftOptions& options) {
    return generate(cx, program, machine, space, options).value();
  }

  Context cx;
  Program program;
  Machine machine;
};

TEST(Space, GeneratesSchedulesThatAreReadyAndComputeTheSame) {
  Desk desk;
  std::set<std::string> texts;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Schedule schedule = desk.make(space_of_both(), {.seed = seed});
    EXPECT_TRUE(same_results(desk.cx, desk.program, schedule.program()));
    EXPECT_TRUE(program::check(desk.cx, schedule.program(), program::Stage::Ready).ok());
    const Decisions decisions = decisions_of(schedule.trace());
    EXPECT_TRUE(decisions.contains("split/t/i")) << to_text(schedule.trace());
    EXPECT_TRUE(decisions.contains("split/y/i"));
    EXPECT_FALSE(decisions.contains("lanes/t/lanes")) << "refused with its decisions";
    texts.insert(to_text(schedule.trace()));
  }
  EXPECT_GT(texts.size(), 10U);
}

TEST(Space, OffersBlocksFromTheLastToTheFirstWhileTheyAreThere) {
  Context cx;
  const Program program = program::parse(cx, R"(program p(x: f32[8] input, y: f32[8] output) {
    local t: f32[8]
    local u: f32[8]
    for i in 8 { block t(spatial i = i) { t[i] = x[i] + 1.0 } }
    for j in 8 { block u(spatial i = j) { u[i] = t[i] * t[i] } }
    for k in 8 { block y(spatial i = k) { y[i] = u[i] + 2.0 } } })")
                              .value();
  Names offered;
  const Rule rule{"inline-u", "", [&](Draft& draft, const std::string& block) -> Status {
                    offered.push_back(block);
                    CAMBIUM_REQUIRE(draft.apply(Inline{"u"}));
                    return Ok{};
                  }};
  const Machine machine;
  ASSERT_TRUE(generate(cx, program, machine, {{rule, rule}}, {}).ok());
  EXPECT_EQ(offered, (Names{"y", "t", "y", "t"}));
}

TEST(Space, GivesTheSameTraceForTheSameSeed) {
  Desk first, second;
  const DraftOptions options{.seed = 5};
  EXPECT_EQ(to_text(first.make(space_of_both(), options).trace()),
            to_text(second.make(space_of_both(), options).trace()));
}

TEST(Space, DecidesAlikeWhateverTheOrderOfIndependentRules) {
  Desk desk;
  Space other = space_of_both();
  std::swap(other.rules[0], other.rules[1]);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const DraftOptions options{.seed = seed};
    EXPECT_EQ(decisions_of(desk.make(space_of_both(), options).trace()),
              decisions_of(desk.make(other, options).trace()));
  }
}

TEST(Space, ReplaysItsTracesBitForBit) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Desk desk, other;
    const Schedule schedule = desk.make(space_of_both(), {.seed = seed});
    const std::string text = to_text(schedule.trace());
    const auto again = replay(other.cx, other.program, parse_trace(text).value());
    ASSERT_TRUE(again.ok()) << again.rejection().message();
    EXPECT_EQ(to_text(again->trace()), text);
    EXPECT_EQ(program::to_text(other.cx, again->program()),
              program::to_text(desk.cx, schedule.program()));
  }
}

TEST(Space, GivesTheSameTraceWhenAllItsDecisionsAreWanted) {
  Desk desk;
  const Schedule schedule = desk.make(space_of_both(), {.seed = 9});
  DraftOptions options{.seed = 1};
  options.wanted = decisions_of(schedule.trace());
  EXPECT_EQ(to_text(desk.make(space_of_both(), options).trace()), to_text(schedule.trace()));
}

TEST(Space, MendsDecisionsOfAnotherShape) {
  Desk desk, larger(56);
  DraftOptions options{1, Otherwise::Preferred, {}, 1};
  options.wanted["split/t/i"] = {{2, 6}, {}};
  desk.make(space_of_both(), options);
  const Schedule schedule = larger.make(space_of_both(), options);
  EXPECT_EQ(decisions_of(schedule.trace()).at("split/t/i").numbers, (Ints{8, 7}));
  EXPECT_TRUE(same_results(larger.cx, larger.program, schedule.program()));
}

// Steps keep programs sound; a rule that goes around them is found by verifying.
TEST(Space, RefusesWhatDoesNotVerify) {
  Desk desk;
  const Rule wrong{"wrong", "", [](Draft& draft, const std::string&) -> Status {
                     CAMBIUM_TRY(const Program half, program::parse(draft.context(), R"(
                         program p(a: f32[12, 10] input, b: f32[10, 16] constant,
                                   y: f32[12, 16] output) {
                           for i in 6 { for j in 16 {
                             block y(spatial i = i, spatial j = j) { y[i, j] = 0.0 }
                           } } })"));
                     draft.schedule() = Schedule(draft.context(), half);
                     return Ok{};
                   }};
  const auto schedule = generate(desk.cx, desk.program, desk.machine, {{wrong}}, {});
  ASSERT_FALSE(schedule.ok());
  EXPECT_EQ(schedule.rejection().reason(), Reason::OutputNotWritten)
      << schedule.rejection().message();
}

TEST(Space, EnumeratesItsStructures) {
  Desk desk;
  const auto found = structures(desk.cx, desk.program, desk.machine, space_of_both());
  std::vector<std::string> texts;
  for (const Decisions& wanted : found) {
    std::string text;
    for (const auto& [key, decision] : wanted) text += key + "=" + decision.option + " ";
    texts.push_back(text);
    // Whatever else is drawn, the structure is this one.
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const Schedule schedule = desk.make(space_of_both(), {.seed = seed, .wanted = wanted});
      for (const auto& [key, decision] : wanted) {
        EXPECT_EQ(decisions_of(schedule.trace()).at(key), decision);
      }
    }
  }
  EXPECT_EQ(texts, (Names{"lanes/y/lanes=no ", "lanes/y/lanes=yes lanes/y/more=none ",
                          "lanes/y/lanes=yes lanes/y/more=none again "}));
  EXPECT_EQ(structures(desk.cx, desk.program, desk.machine, space_of_both(), 2).size(), 2U);
}

TEST(Space, LeavesOutRulesByName) {
  const auto fewer = without(space_of_both(), {"split"});
  ASSERT_TRUE(fewer.ok());
  ASSERT_EQ(fewer->rules.size(), 1U);
  EXPECT_EQ(fewer->rules[0].name, "lanes");
  const auto unknown = without(space_of_both(), {"lanes", "lane"});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.rejection().reason(), Reason::UnknownRule);
  EXPECT_EQ(unknown.rejection().message(), "unknown rule 'lane'; expected one of split");
}

TEST(Space, IsFoundByItsName) {
  for (const std::string& name : space_names()) {
    const auto found = space_named(name);
    ASSERT_TRUE(found.ok()) << name;
    EXPECT_FALSE(found->rules.empty()) << name;
  }
  EXPECT_EQ(space_named("stock")->rules.size(), stock_space().rules.size());
  const auto unknown = space_named("stok");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.rejection().reason(), Reason::BadOption);
  EXPECT_EQ(unknown.rejection().message(), "there is no space 'stok': there are whole, stock");
}

TEST(Space, TellsTracesOfOtherRulesApart) {
  Desk desk;
  const Trace trace = desk.make(space_of_both(), {.seed = 2}).trace();
  EXPECT_TRUE(is_of(space_of_both(), trace));
  EXPECT_FALSE(is_of(without(space_of_both(), {"split"}).value(), trace));
  EXPECT_TRUE(is_of(Space{}, {})) << "nothing was asked";
}

TEST(Space, DropsDeadInstructions) {
  Desk desk;
  Schedule schedule(desk.cx, desk.program);
  const auto apply = [&](const Step& step) { ASSERT_TRUE(schedule.apply(step).ok()); };
  apply(SampleCategorical{"one", {"only"}, {}, false, 0});
  apply(SamplePerfectTile{"fixed", 7, 2, 4, {7, 1}});
  apply(SamplePerfectTile{"open", 12, 2, 4, {3, 4}});
  apply(Annotate{Part::Loop, "j.2", "unroll", "", 2});
  apply(Annotate{Part::Loop, "j.2", "unroll", "", 4});
  apply(Split{"i.2", {3, 4}, Tail::Exact});
  const Trace live = without_dead(desk.cx, desk.program, schedule.trace()).value();
  ASSERT_EQ(live.size(), 3U) << to_text(live);
  EXPECT_EQ(*key_of(live[0].step), "open");
  EXPECT_EQ(std::get<Annotate>(live[1].step).number, 4);
  EXPECT_EQ(program::to_text(desk.cx, replay(desk.cx, desk.program, live)->program()),
            program::to_text(desk.cx, schedule.program()));
}

TEST(Space, RefusesToTidyATraceThatDoesNotReplay) {
  Desk desk;
  const Trace trace = parse_trace("vectorize(loop: nowhere)\n").value();
  const auto live = without_dead(desk.cx, desk.program, trace);
  ASSERT_FALSE(live.ok());
  EXPECT_EQ(live.rejection().reason(), Reason::UnknownName);
}

// What a rule of somebody else may ask by mistake must not end the process.
TEST(Space, RefusesQuestionsThatHaveNoAnswer) {
  const std::vector<std::function<void(Draft&)>> questions = {
      [](Draft& d) { d.choose("none", {}); },
      [](Draft& d) { d.branch("none", {}); },
      [](Draft& d) { d.choose_number("none", {}); },
      [](Draft& d) {
        d.choose("preferred", {"a", "b"}, 2);
      },
      [](Draft& d) {
        d.choose("few weights", {"a", "b"}, 0, {1});
      },
      [](Draft& d) {
        d.choose("no weight", {"a", "b"}, 0, {0, 0});
      },
      [](Draft& d) {
        d.choose("negative weight", {"a", "b"}, 0, {2, -1});
      },
      [](Draft& d) { d.compute_location("nowhere", "y", {}); },
      [](Draft& d) { d.layout("none", "y", {}); },
      [](Draft& d) { d.micro_kernel("no shapes", {}); },
      [](Draft& d) {
        d.micro_kernel("no rows", {{0, 4}});
      },
      [](Draft& d) { EXPECT_EQ(d.perfect_tile("no extent", 0, 3, 64).size(), 3u); },
      [](Draft& d) { d.imperfect_tile("no parts", 16, 0, 64); },
      [](Draft& d) { d.partitioned_tile("nowhere", 16, 2, 5, 4, 64); },
  };
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const Space space{{{"odd", "asks", [&](Draft& draft, const std::string&) -> Status {
                          questions[i](draft);
                          return Ok{};
                        }}}};
    for (const Otherwise otherwise : {Otherwise::Drawn, Otherwise::Preferred}) {
      Desk desk;
      const DraftOptions options{1, otherwise, {}, 1};
      const auto made = generate(desk.cx, desk.program, desk.machine, space, options);
      ASSERT_FALSE(made.ok()) << i;
      EXPECT_EQ(made.rejection().reason(), Reason::BadDecision) << i;
      EXPECT_TRUE(structures(desk.cx, desk.program, desk.machine, space).empty()) << i;
    }
  }
}

}  // namespace
}  // namespace cambium::schedule
