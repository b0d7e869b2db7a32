// A search that is killed again and again, by every strategy: the study is whole each time, nothing
// that it held is evaluated again, and in the end it holds what a search holds that was left alone.
#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <poll.h>

#include "base/conversation.h"
#include "base/process.h"
#include "base/random.h"
#include "search/testing/fake_executor.h"
#include "search/testing/toy_search.h"
#include "store/study_sound_testing.h"
#include "store/study_testing.h"

namespace cambium::search {
namespace {

struct Case {
  const char* strategy;
  const char* space;
};

// Eight cases, so that the process is killed more than sixty times in all.
constexpr int kKills = 9;

// What a process said until it ended or was killed.
struct Life {
  std::vector<std::string> evaluations;
  std::string rows;
  bool is_done = false;
};

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

class Killed : public ::testing::TestWithParam<Case> {
 protected:
  // Kills it after so many evaluations and a moment more; before it has made one, if 0.
  Life live(std::uint64_t order, std::size_t evaluations, double moment) const {
    Life life;
    auto process = Conversation::start(
        {CAMBIUM_TOY_SEARCH, file_, GetParam().strategy, GetParam().space, std::to_string(order)},
        {});
    CAMBIUM_CHECK(process.ok(), process.rejection().message());
    const auto take = [&](const std::string& line) {
      if (line == "done") {
        life.is_done = true;
      } else if (life.is_done) {
        life.rows += line + "\n";
      } else if (line.rfind("evaluation ", 0) == 0) {
        life.evaluations.push_back(line.substr(11));
      }
    };
    while (life.evaluations.size() < evaluations && !process->is_over()) {
      pollfd source{process->descriptor(), POLLIN, 0};
      (void)::poll(&source, 1, 1000);
      while (const auto line = process->hear()) take(*line);
    }
    sleep_for(moment);
    const std::string how = process->end();
    while (const auto line = process->hear()) take(*line);
    EXPECT_TRUE(life.is_done || how.rfind("killed by SIGKILL", 0) == 0) << how;
    return life;
  }

  // What it holds but for when it came by it: candidates with their tickets, then evaluations.
  static std::string text_of(store::StudyStore& study) {
    const store::WholeStudy all = store::whole(study);
    // When one seed refuses in the finals, it is chance which of the others had been evaluated.
    std::set<Fingerprint> refused;
    for (const store::Evaluation& each : all.evaluations) {
      if (each.key.fidelity == 10 && each.state == store::EvaluationState::Refused) {
        refused.insert(each.key.candidate);
      }
    }
    std::set<std::string> lines;
    for (const store::Evaluation& each : all.evaluations) {
      if (each.key.fidelity == 10 && refused.count(each.key.candidate) > 0) continue;
      std::string line = testing::text_of(each.key) + " " + each.reason + " " + each.detail;
      for (const auto& [name, value] : each.values) {
        line += " " + name + "=" + std::to_string(value.value);
      }
      lines.insert(line + " " + std::to_string(each.curve.size()) + " points\n");
    }
    std::string text;
    for (const store::StudyCandidate& each : all.candidates) {
      text += std::to_string(each.ticket) + " " + each.identity.text() + " " + each.document + "\n";
    }
    for (const std::string& line : lines) text += line;
    return text;
  }

  // The keys of what is in the study for good.
  std::set<std::string> held() const {
    store::StudyStore study = store::opened_study(file_);
    std::set<std::string> keys;
    for (const store::Evaluation& evaluation : store::whole(study).evaluations) {
      EXPECT_NE(evaluation.state, store::EvaluationState::Pending);
      EXPECT_TRUE(keys.insert(testing::text_of(evaluation.key)).second) << "there twice";
    }
    return keys;
  }

  // Life after life on one study, until one is done; `rows` are those that it tells.
  void live_to_the_end(Rng& random, std::uint64_t most, int& kills, std::string& rows) const {
    std::set<std::string> before;
    for (std::uint64_t order = 1; rows.empty(); ++order) {
      ASSERT_LT(order, 200u) << "it comes no further";
      // Some are killed before they have begun.
      const bool is_early = random.chance(0.2);
      const Life life = live(order, is_early ? 0 : 1 + random.below(most),
                             random.uniform(0, is_early ? 0.04 : 0.002));
      ASSERT_EQ(store::unsoundness(file_), "") << "in life " << order;
      for (const std::string& evaluation : life.evaluations) {
        ASSERT_EQ(before.count(evaluation), 0u) << "again: " << evaluation;
      }
      const std::set<std::string> now = held();
      ASSERT_TRUE(std::includes(now.begin(), now.end(), before.begin(), before.end()));
      const auto lost = std::count_if(life.evaluations.begin(), life.evaluations.end(),
                                      [&](const auto& key) { return now.count(key) == 0; });
      ASSERT_LE(lost, 1) << "only what was being written when it was killed";
      before = now;
      rows = life.rows;
      kills += life.is_done ? 0 : 1;
    }
  }

  ScratchFolder folder_;
  std::string file_;
};

INSTANTIATE_TEST_SUITE_P(
    All, Killed,
    ::testing::Values(Case{"random", "toy-tree"}, Case{"enumerate", "toy-tree"},
                      Case{"tree", "toy-tree"}, Case{"evolution", "toy-blocks"},
                      Case{"random", "both"}, Case{"mixed", "both"}, Case{"compose", "toy-sites"},
                      Case{"neighbours", "toy-sites"}),
    [](const auto& each) {
      std::string name = each.param.strategy;
      const std::string space = each.param.space;
      if (space == "toy-sites") return name + "OnSites";
      return name + (space == "both" ? "OnBoth" : space == "toy-tree" ? "OnTree" : "OnBlocks");
    });

TEST_P(Killed, SearchGoesOnAsIfItHadBeenLeftAlone) {
  testing::ToySearch alone(GetParam().space);
  testing::FakeExecutor executor;
  const SearchOptions options = testing::toy_options(GetParam().strategy);
  const auto report = alone.run(options, executor);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  Rng random = Rng(3).split(GetParam().strategy).split(GetParam().space);
  // Kills spread over all that there is to do, the finals included. Where the machine is so busy
  // that a search comes to its end before, another one is begun.
  const auto most = static_cast<std::uint64_t>(2 * executor.count() / (kKills + 2));
  int kills = 0;
  for (int study = 0; kills < kKills; ++study) {
    ASSERT_LT(study, 20);
    file_ = folder_ / ("study" + std::to_string(study));
    std::string rows;
    ASSERT_NO_FATAL_FAILURE(live_to_the_end(random, most, kills, rows));
    EXPECT_EQ(rows, testing::rows_text(*report));
    store::StudyStore held = store::opened_study(file_);
    EXPECT_EQ(text_of(held), text_of(*alone.study));
    EXPECT_EQ(held.state(options.name).value(), alone.study->state(options.name).value());
  }
  RecordProperty("kills", kills);
}

// ---- a disk that is full

TEST(FullDisk, EndsTheSearchWhichGoesOnWithoutLossOnceThereIsRoom) {
  const ScratchFolder folder;
  const std::string file = folder / "study.db";
  ProcessRequest request;
  // No file may grow beyond this: the log of the study is what grows.
  request.argv = {"sh",
                  "-c",
                  "ulimit -f 1000; trap '' XFSZ; exec \"$@\"",
                  "sh",
                  CAMBIUM_TOY_SEARCH,
                  file,
                  "random",
                  "both",
                  "1"};
  const auto full = run_process(request);
  ASSERT_TRUE(full.ok());
  EXPECT_EQ(full->text(), "exit code 3");
  EXPECT_NE(full->errors.find("disk"), std::string::npos) << full->errors;
  EXPECT_GT(std::count(full->output.begin(), full->output.end(), '\n'), 5) << "it had begun";
  EXPECT_EQ(store::unsoundness(file), "");
  request.argv.erase(request.argv.begin(), request.argv.begin() + 4);
  const auto rest = run_process(request);
  ASSERT_TRUE(rest.ok() && rest->succeeded()) << rest->errors;
  testing::ToySearch alone("both");
  testing::FakeExecutor executor;
  const auto report = alone.run(testing::toy_options("random"), executor);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(rest->output.substr(rest->output.find("done\n") + 5), testing::rows_text(*report));
  // All but what could not be written was there.
  const auto lines = std::count(full->output.begin(), full->output.end(), '\n') +
                     std::count(rest->output.begin(), rest->output.end(), '\n');
  EXPECT_LE(lines, executor.count() + 1 + 1 + 3) << "one again, `done` and three rows";
}

}  // namespace
}  // namespace cambium::search
