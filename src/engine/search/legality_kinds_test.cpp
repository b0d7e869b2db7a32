#include "engine/search/legality_kinds.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "engine/search/evaluator.h"
#include "engine/search/evaluators.h"
#include "store/study_testing.h"

namespace cambium::engine {
namespace {

using nlohmann::json;

// Documents of these tests are lists of kinds: "group cut".
std::vector<std::string> words(const spaces::Edit& edit) {
  std::vector<std::string> kinds;
  for (const std::string_view word : split(edit.document, ' ')) kinds.emplace_back(word);
  return kinds;
}

class Kinds : public ::testing::Test {
 protected:
  Fingerprint add(std::vector<std::pair<std::string, std::string>> documents) {
    spaces::Candidate candidate;
    for (auto& [site, document] : documents) {
      candidate.edits.push_back({"toy", {site}, std::move(document)});
    }
    store::StudyCandidate row;
    row.identity = spaces::identity_of(candidate);
    row.document = spaces::to_json(candidate);
    EXPECT_TRUE(study_.add(row).ok());
    return row.identity;
  }

  // `ratios`: of the layers that changed; nothing: it has no score.
  void judge(Fingerprint candidate, double legal,
             const std::map<std::string, std::optional<double>>& ratios = {},
             const std::string& options = "{}") {
    store::Evaluation evaluation;
    evaluation.key.candidate = candidate;
    evaluation.key.evaluator = kLegality;
    evaluation.key.version = "1";
    evaluation.key.options = options;
    evaluation.values["legal"] = {legal, 0, 1, false};
    json layers = {{{"name", "kept"}, {"ratio", 0.5}, {"is_changed", false}}};
    for (const auto& [name, ratio] : ratios) {
      layers.push_back(
          {{"name", name}, {"ratio", ratio ? json(*ratio) : json()}, {"is_changed", true}});
    }
    const std::string text = json_text({{"layers", layers}});
    const auto bytes = std::as_bytes(std::span(text));
    EXPECT_TRUE(study_.add(evaluation, {{kFisherLayers, {bytes.begin(), bytes.end()}}}).ok());
  }

  LegalityByKind found() {
    auto found = legality_by_kind(study_, words);
    EXPECT_TRUE(found.ok()) << found.rejection().message();
    return std::move(found).value();
  }

  const LegalityCount& of(const LegalityByKind& found, const std::string& kind) {
    for (const LegalityCount& count : found.kinds) {
      if (count.kind == kind) return count;
    }
    ADD_FAILURE() << "no kind " << kind;
    return found.all;
  }

  ScratchFolder folder_;
  store::StudyStore study_ = store::opened_study(folder_ / "s.study");
};

TEST_F(Kinds, CountTheVerdictsOfTheCandidatesThatHaveThem) {
  add({});  // the original
  judge(add({{"a", "group"}}), 1);
  judge(add({{"a", "cut"}}), -1);
  judge(add({{"a", "group cut"}}), -1);
  judge(add({{"a", "group"}, {"b", "cut"}}), 0);
  add({{"b", "cut"}});  // refused by a limit before it was judged
  const LegalityByKind all = found();
  EXPECT_EQ(all.all.candidates, 5);
  EXPECT_EQ(all.all.judged, 4);
  EXPECT_EQ(all.all.illegal, 2);
  EXPECT_EQ(all.all.undecided, 1);
  ASSERT_EQ(all.kinds.size(), 2u);
  EXPECT_EQ(all.kinds[0].kind, "cut") << "the most frequent first";
  EXPECT_EQ(all.kinds[0].space, "toy");
  EXPECT_EQ(of(all, "cut").candidates, 4);
  EXPECT_EQ(of(all, "cut").judged, 3);
  EXPECT_EQ(of(all, "cut").illegal, 2);
  EXPECT_EQ(of(all, "cut").undecided, 1);
  EXPECT_EQ(of(all, "group").candidates, 3);
  EXPECT_EQ(of(all, "group").illegal, 1);
}

TEST_F(Kinds, CountTheLayersThatTheStepsStandAt) {
  judge(add({{"a", "group"}, {"b", "cut"}, {"block", "cut"}}), 1,
        {{"a", 1.5},
         {"b", 0.25},
         {"block.conv1", 0.5},
         {"block.conv2", 2.0},
         {"blocks", 0.5},                // another name
         {"block.new", std::nullopt}});  // nothing compares with it
  const LegalityByKind all = found();
  EXPECT_EQ(of(all, "group").layers, 1);
  EXPECT_EQ(of(all, "group").fallen, 0);
  EXPECT_EQ(of(all, "cut").layers, 3);
  EXPECT_EQ(of(all, "cut").fallen, 2);
  EXPECT_EQ(all.all.layers, 5) << "one at no site";
  EXPECT_EQ(all.all.fallen, 3);
}

TEST_F(Kinds, TakeTheLowestVerdictOfSeveralSearches) {
  const Fingerprint candidate = add({{"a", "group"}});
  judge(candidate, -1, {}, R"({"of":"layers"})");
  judge(candidate, 1, {}, R"({"of":"total"})");
  EXPECT_EQ(found().all.judged, 1);
  EXPECT_EQ(found().all.illegal, 1);
}

TEST_F(Kinds, AreNoneWhereNothingWasJudged) {
  add({{"a", "group"}});
  EXPECT_EQ(found().all.judged, 0);
  EXPECT_EQ(found().all.candidates, 1);
}

// A study may come from anywhere.
TEST_F(Kinds, SkipWhatTheyCannotRead) {
  store::StudyCandidate broken;
  broken.identity = fingerprint_of("broken");
  broken.document = "no candidate";
  ASSERT_TRUE(study_.add(broken).ok());
  const Fingerprint candidate = add({{"a", "group"}});
  store::Evaluation evaluation;
  evaluation.key.candidate = candidate;
  evaluation.key.evaluator = kLegality;
  evaluation.values["legal"] = {-1, 0, 1, false};
  for (const std::string text : {"{", R"({"layers": [1, {"name": 2, "is_changed": true}]})"}) {
    const auto bytes = std::as_bytes(std::span(text));
    evaluation.key.options += "x";
    ASSERT_TRUE(study_.add(evaluation, {{kFisherLayers, {bytes.begin(), bytes.end()}}}).ok());
    EXPECT_EQ(of(found(), "group").illegal, 1) << text;
    EXPECT_EQ(of(found(), "group").layers, 0);
  }
}

TEST(KnownStepKinds, AreThoseOfTheSpace) {
  const StepKinds kinds = known_step_kinds();
  EXPECT_EQ(kinds({"coordinate", {"a"}, "x  n, high(split(co, r1), g), unfold(h, r2)\n"}),
            (std::vector<std::string>{"MERGE", "SPLIT", "UNFOLD"}));
  EXPECT_TRUE(kinds({"nowhere", {"a"}, "x"}).empty()) << "of a newer program";
}

}  // namespace
}  // namespace cambium::engine
