#include "engine/search/kept.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "store/study_testing.h"

namespace cambium::engine {
namespace {

SearchRun some_run() {
  SearchRun run;
  run.candidates = 7;
  run.seconds = 2.5;
  run.workers = 3;
  run.threads = 5;
  run.device = "cuda:0,cuda:1";
  run.job_seconds = 11;
  run.memory_bytes = 1 << 20;
  return run;
}

TEST(KeptSearch, ComesBackAsItWas) {
  SearchSetup setup;
  setup.model = "zoo:tiny";
  setup.tries = {"conv2d"};
  const std::string text = kept_text(setup, some_run(), {"cambium", "search"});
  const auto kept = parse_kept(text, {});
  ASSERT_TRUE(kept.ok()) << kept.rejection().message();
  EXPECT_EQ(kept->run, some_run());
  EXPECT_EQ(kept_text(kept->setup, kept->run, kept->command), text);
}

// Versions before this one kept less.
TEST(KeptSearch, OfAnOlderVersionRunsAsTheCallerSays) {
  nlohmann::json text = parse_json(kept_text({}, {}, {})).value();
  text.erase("run");
  text["budget"]["candidates"] = 9;
  SearchRun expected = some_run();
  expected.candidates = 9;
  expected.seconds = 0;
  EXPECT_EQ(parse_kept(json_text(text), some_run())->run, expected);
  text.erase("budget");
  EXPECT_EQ(parse_kept(json_text(text), some_run())->run, some_run());
}

TEST(KeptSearch, RefusesARunThatWouldNeverEnd) {
  for (const auto& [name, value] : std::vector<std::pair<std::string, nlohmann::json>>{
           {"workers", 0}, {"train_threads", -1}, {"job_seconds", -1.0}, {"worker_memory", -1}}) {
    nlohmann::json text = parse_json(kept_text({}, {}, {})).value();
    text["run"][name] = value;
    const auto kept = parse_kept(json_text(text), {});
    ASSERT_FALSE(kept.ok()) << name;
    EXPECT_EQ(kept.rejection().reason(), Reason::BadOption) << name;
  }
  nlohmann::json text = parse_json(kept_text({}, {}, {})).value();
  text["run"]["workers"] = "two";
  EXPECT_EQ(parse_kept(json_text(text), {}).rejection().reason(), Reason::MissingField);
}

// A study may come from anywhere, and say what no command line could.
TEST(KeptSearch, RefusesNumbersOutOfTheirRanges) {
  for (const auto& [place, value] :
       std::vector<std::pair<std::string, nlohmann::json>>{{"/run/workers", 2'000'000'000},
                                                           {"/run/workers", 0},
                                                           {"/run/train_threads", 1025},
                                                           {"/run/job_seconds", 1e300},
                                                           {"/run/worker_memory", -1},
                                                           {"/budget/candidates", 1'000'000'001},
                                                           {"/budget/seconds", -1.0},
                                                           {"/strategy/in_flight", 0},
                                                           {"/strategy/in_flight", 4097},
                                                           {"/seeds", 2'000'000'000},
                                                           {"/seeds", 0},
                                                           {"/finalists", 1001},
                                                           {"/finalists", -1},
                                                           {"/brief_epochs", -1},
                                                           {"/epochs", 1'000'000'001},
                                                           {"/brief_trials", -1},
                                                           {"/trials", 1'000'000'001},
                                                           {"/threads", 2'000'000'000},
                                                           {"/legality", "some"},
                                                           {"/legality_hooks", "ends"},
                                                           {"/legality_draws", 0},
                                                           {"/quick_latency", "none"},
                                                           {"/least_proxy", -0.5}}) {
    nlohmann::json text = parse_json(kept_text({}, {}, {})).value();
    text[nlohmann::json::json_pointer(place)] = value;
    const auto kept = parse_kept(json_text(text), {});
    ASSERT_FALSE(kept.ok()) << place << " " << value;
    EXPECT_EQ(kept.rejection().reason(), Reason::BadOption) << place << " " << value;
  }
}

// A search that went on in another way goes on like that, whatever the study was begun with.
TEST(KeptSearch, IsTheOneOfItsNameAsItRanLast) {
  const ScratchFolder folder;
  const std::string file = folder / "study";
  store::StudyStore study = store::opened_study(file);
  store::StudyHead head = store::study_head();
  head.options = kept_text({}, {}, {"begun"});
  ASSERT_TRUE(study.set_head(head).ok());
  ASSERT_TRUE(study.set_options("a", kept_text({}, some_run(), {"begun"})).ok());
  EXPECT_EQ(kept_search(file, "", {})->run, some_run());
  EXPECT_EQ(first_search(file, {})->run, some_run()) << "the head is written once";
  SearchSetup stricter;
  stricter.limits = {{study::Metric::Accuracy, "1%", true}};
  ASSERT_TRUE(study.set_options("a", kept_text(stricter, some_run(), {"begun"})).ok());
  ASSERT_EQ(setup_of(file)->limits.size(), 1U) << "what is best depends on it";
  SearchRun other = some_run();
  other.threads = 1;
  ASSERT_TRUE(study.set_options("b", kept_text({}, other, {"begun"})).ok());
  EXPECT_EQ(kept_search(file, "b", {})->run, other);
  EXPECT_EQ(kept_search(file, "", {}).rejection().reason(), Reason::BadOption);
  EXPECT_EQ(kept_search(file, "c", {}).rejection().reason(), Reason::BadOption);
}

// The one that a study was begun with may have a name of its own, and others may have come since.
TEST(KeptSearch, IsTheFirstOfSeveralWhateverItIsCalled) {
  const ScratchFolder folder;
  const std::string file = folder / "study";
  store::StudyStore study = store::opened_study(file);
  store::StudyHead head = store::study_head();
  head.options = kept_text({}, {}, {"begun"});
  ASSERT_TRUE(study.set_head(head).ok());
  SearchRun other = some_run();
  other.threads = 1;
  ASSERT_TRUE(study.set_options("z", kept_text({}, some_run(), {"begun"})).ok());
  ASSERT_TRUE(study.set_options(default_name({}), kept_text({}, other, {"later"})).ok());
  const auto first = first_search(file, {});
  ASSERT_TRUE(first.ok()) << first.rejection().message();
  EXPECT_EQ(first->name, "z");
  EXPECT_EQ(first->run, some_run());
}

}  // namespace
}  // namespace cambium::engine
