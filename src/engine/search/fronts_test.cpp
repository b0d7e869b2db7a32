// The search, `cambium study list` and the report show one Pareto front of one study.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/features.h"
#include "base/file.h"
#include "engine/search/studies.h"
#include "search/known.h"
#include "search/testing/fake_executor.h"
#include "spaces/candidate.h"
#include "store/study_testing.h"

namespace cambium::engine {
namespace {

using Ids = std::vector<std::string>;

struct Way {
  const char* version = "fake 1";
  const char* machine = "fake machine";
};

// A study in which every candidate has passed latency and a brief training.
class Fronts : public ::testing::Test {
 protected:
  Fronts() : study_(store::opened_study(file_)) {}

  // A study keeps the setup that it was begun with.
  void keep() {
    store::StudyHead head = store::study_head();
    head.options = to_json(setup_);
    ASSERT_TRUE(study_.set_head(head).ok());
  }

  Fingerprint add(const std::string& name) {
    if (titles_.empty()) keep();
    spaces::Candidate candidate{store::study_head().base, {}, std::nullopt};
    if (name != "original") candidate.edits = {{"coordinate", {"conv"}, name}};
    store::StudyCandidate row;
    row.identity = spaces::identity_of(candidate);
    row.document = spaces::to_json(candidate);
    row.strategy = "random";
    row.title = name;
    EXPECT_TRUE(study_.add(row).ok());
    titles_[row.identity.text().substr(0, 16)] = name;
    return row.identity;
  }

  store::Evaluation evaluation(Fingerprint candidate, const search::Stage& stage, const Way& way) {
    store::Evaluation evaluation;
    const bool is_timed = stage.evaluator == "latency";
    evaluation.key = {candidate,
                      stage.evaluator,
                      way.version,
                      stage.options,
                      stage.fidelity,
                      stage.seeds.front(),
                      is_timed ? fingerprint_of(std::string_view(way.machine)) : Fingerprint{}};
    return evaluation;
  }
  void value(Fingerprint candidate, const search::Stage& stage, double value, const Way& way = {}) {
    store::Evaluation done = evaluation(candidate, stage, way);
    done.values[stage.evaluator] = {value, 0, 1, false};
    ASSERT_TRUE(study_.add(done).ok());
  }
  void estimate(Fingerprint candidate, const search::Stage& stage, double value) {
    store::Evaluation pending = evaluation(candidate, stage, {""});
    pending.key.machine = {};
    pending.state = store::EvaluationState::Pending;
    pending.values[stage.evaluator] = {value, 0, 1, true};
    ASSERT_TRUE(study_.add(pending).ok());
  }
  void refuse(Fingerprint candidate, const search::Stage& stage, const Way& way = {}) {
    store::Evaluation refused = evaluation(candidate, stage, way);
    refused.state = store::EvaluationState::Refused;
    refused.reason = "NotPromising";
    ASSERT_TRUE(study_.add(refused).ok());
  }
  void cost(Fingerprint candidate, double macs) {
    store::Evaluation cost;
    cost.key = {candidate, "cost", "5", "{}", 0, 0, {}};
    cost.values["macs"] = {macs, 0, 1, false};
    ASSERT_TRUE(study_.add(cost).ok());
  }
  // The name of a candidate and what it is worth.
  void add(const std::string& name, double accuracy, double seconds, double macs = 100) {
    const Fingerprint it = add(name);
    cost(it, macs);
    value(it, latency_, seconds);
    value(it, accuracy_, accuracy);
  }

  // ---- the three fronts, by the titles of their candidates, sorted; without the original, which
  // the list and the report show in any case

  Ids sorted(Ids names) const {
    std::erase(names, "original");
    std::sort(names.begin(), names.end());
    return names;
  }
  Ids searched() {
    const search::Funnel funnel = setup_.funnel();
    search::Known known(funnel.explore, search::explored_objectives(funnel, setup_.reward.cost));
    const std::vector<search::StageValues> original(funnel.explore.size());
    EXPECT_TRUE(known.load(study_, executor_, {{}, &original}).ok());
    Ids names;
    for (const auto& entry : known.front()) {
      names.push_back(titles_.at(entry.identity.text().substr(0, 16)));
    }
    return sorted(names);
  }
  Ids listed() {
    const auto list = list_study(file_);
    EXPECT_TRUE(list.ok());
    Ids names;
    for (const StudyRow& row : list->rows) names.push_back(row.title);
    return sorted(names);
  }
  // The rows of the table of the front.
  Ids reported() {
    const std::string site = folder_ / "site";
    EXPECT_TRUE(report_study(file_, site).ok());
    const std::string page = *read_file(site + "/index.html");
    const std::size_t begin = page.find("<table id=\"front-table\">");
    if (begin == std::string::npos) return {};
    const std::string table = page.substr(begin, page.find("</table>", begin) - begin);
    Ids names;
    const std::string link = "href=\"c/";
    for (std::size_t at = table.find(link); at != std::string::npos;
         at = table.find(link, at + 1)) {
      names.push_back(titles_.at(table.substr(at + link.size(), 16)));
    }
    return sorted(names);
  }
  void expect_front(const Ids& names) {
    EXPECT_EQ(searched(), names);
    EXPECT_EQ(listed(), names);
    EXPECT_EQ(reported(), names);
  }

  SearchSetup setup_;
  const std::vector<search::Stage> stages_ = setup_.funnel().explore;
  const search::Stage latency_ = stages_.front(), accuracy_ = stages_.back();
  std::map<std::string, std::string> titles_;
  search::testing::FakeExecutor executor_;
  ScratchFolder folder_;
  const std::string file_ = folder_ / "study";
  store::StudyStore study_;
};

TEST_F(Fronts, AgreeOnWhatNothingDominates) {
  add("original", 0.90, 4);
  add("fast", 0.80, 1);
  add("twin of fast", 0.80, 1);
  add("good", 0.88, 2);
  add("beaten by good", 0.85, 3);
  add("beaten by the original", 0.89, 5);
  expect_front({"fast", "good"});
}

TEST_F(Fronts, AgreeOnEstimates) {
  add("measured", 0.80, 2);
  const Fingerprint guessed = add("guessed"), worse = add("guessed and worse");
  for (const Fingerprint each : {guessed, worse}) cost(each, 100);
  estimate(guessed, latency_, 0.1);
  value(guessed, accuracy_, 0.9);
  estimate(worse, latency_, 0.2);
  value(worse, accuracy_, 0.85);
  expect_front({"guessed", "measured"});
}

TEST_F(Fronts, AgreeOnMachinesAndVersions) {
  add("slow", 0.80, 2);
  add("fast", 0.80, 1);
  add("good", 0.90, 3);
  // Another machine is faster, and an older version saw more.
  const Fingerprint slow = add("slow"), good = add("good"), elsewhere = add("elsewhere");
  value(slow, latency_, 0.1, {"fake 1", "there"});
  value(slow, accuracy_, 0.99, {"fake 0"});
  value(good, accuracy_, 0.1, {"fake 0"});
  cost(elsewhere, 100);
  value(elsewhere, latency_, 0.01, {"fake 1", "there"});
  value(elsewhere, accuracy_, 0.95);
  expect_front({"fast", "good"});
  // A search on a machine without these evaluators, too.
  executor_.absent = {"latency", "accuracy"};
  expect_front({"fast", "good"});
}

TEST_F(Fronts, AgreeOnTheObjectivesOfTheSearch) {
  setup_.objectives = {study::Metric::Accuracy, study::Metric::Macs};
  add("few MACs", 0.80, 9, 10);
  add("fast", 0.80, 1, 20);
  add("good", 0.90, 9, 30);
  expect_front({"few MACs", "good"});
}

TEST_F(Fronts, AgreeOnRefusals) {
  setup_.objectives = {study::Metric::Latency, study::Metric::Macs};
  add("good", 0.90, 2, 20);
  const Fingerprint refused = add("refused"), answered = add("refused by an older version"),
                    unknown = add("not trained");
  for (const Fingerprint each : {refused, answered, unknown}) cost(each, 10);
  for (const Fingerprint each : {refused, unknown}) value(each, latency_, 1);
  value(answered, latency_, 1.5);
  refuse(refused, accuracy_);
  refuse(answered, accuracy_, {"fake 0"});
  value(answered, accuracy_, 0.8);
  expect_front({"refused by an older version"});
}

// The front of exploring does not hold full trainings; the others say who was trained how long.
TEST_F(Fronts, SayWhoWasTrainedBriefly) {
  add("brief", 0.80, 1);
  add("full", 0.85, 2);
  search::Stage full = accuracy_;
  full.fidelity = 20;
  value(add("full"), full, 0.95);
  EXPECT_EQ(listed(), (Ids{"brief", "full"}));
  EXPECT_EQ(reported(), (Ids{"brief", "full"}));
  const auto list = list_study(file_);
  for (const StudyRow& row : list->rows) EXPECT_EQ(row.is_brief, row.title == "brief");
  const std::string page = *read_file(folder_ / "site" + "/index.html");
  EXPECT_NE(page.find("<td class=\"brief\">2 epochs<small>brief</small></td>"), std::string::npos);
  EXPECT_NE(page.find("<td class=\"\">20 epochs</td>"), std::string::npos);
}

// ---- without trainings

class UntrainedFronts : public Fronts {
 protected:
  UntrainedFronts() {
    setup_.brief_epochs = 0;
    setup_.legality = "total";
    explore_ = setup_.funnel().explore;
  }

  Fingerprint add(const std::string& name, double fisher_change, double seconds) {
    const Fingerprint it = Fronts::add(name);
    cost(it, 100);
    store::Evaluation legality = evaluation(it, explore_[0], {});
    legality.values["fisher_change"] = {fisher_change, 0.1, 8, false};
    legality.values["legal"] = {fisher_change < 0 ? -1.0 : 1.0, 0, 1, false};
    EXPECT_TRUE(study_.add(legality).ok());
    value(it, explore_[1], seconds);
    return it;
  }

  std::vector<search::Stage> explore_;
};

TEST_F(UntrainedFronts, AgreeOnFisherPotentialAgainstLatency) {
  ASSERT_EQ(explore_.size(), 2u);
  add("original", 0, 4);
  add("fast", 0.01, 1);
  add("good", 0.2, 2);
  add("beaten by good", 0.1, 3);
  expect_front({"fast", "good"});
  EXPECT_EQ(list_study(file_)->objectives,
            (std::vector{study::Metric::FisherChange, study::Metric::Latency}));
  // As soon as some are trained, these are compared, and with each other alone.
  search::Stage full = accuracy_;
  full.fidelity = 20;
  value(Fronts::add("good"), full, 0.9);
  value(Fronts::add("beaten by good"), full, 0.95);
  EXPECT_EQ(listed(), (Ids{"beaten by good", "good"}));
  EXPECT_EQ(reported(), (Ids{"beaten by good", "good"}));
}

// A probe has all its values, and is refused all the same.
TEST_F(UntrainedFronts, AgreeOnProbesThatTheFunnelRefused) {
  add("original", 0, 4);
  add("good", 0.2, 2);
  store::Evaluation refusal;
  refusal.key.candidate = add("fast and illegal", -0.2, 1);
  refusal.key.evaluator = study::kFunnelEvaluator;
  refusal.key.version = "1";
  refusal.key.options = study::refusal_options(default_name(setup_), "latency");
  refusal.key.fidelity = 2;
  refusal.state = store::EvaluationState::Refused;
  refusal.reason = "NotPromising";
  ASSERT_TRUE(study_.add(refusal).ok());
  expect_front({"good"});
}

}  // namespace
}  // namespace cambium::engine
