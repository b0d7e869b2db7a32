#include "search/table.h"

#include <gtest/gtest.h>

#include "base/scratch_folder_testing.h"
#include "engine/search/setup.h"
#include "store/study_store.h"

namespace cambium::bench {
namespace {

using study::Metric;

spaces::Candidate candidate(const std::string& document) {
  spaces::Candidate made{fingerprint_of("base"), {}, std::nullopt};
  if (!document.empty()) made.edits.push_back({"coordinate", {"a", "b"}, document});
  return made;
}

SearchTable small() {
  SearchTable table;
  table.model = "zoo:tiny-resnet";
  table.bind = {{"batch", "1"}};
  table.data = "fashion-mnist";
  table.spaces = "[]";
  table.epochs = 2;
  table.original.set(Metric::Accuracy, {0.9});
  for (const char* document : {"x", "y", "z"}) {
    TableRow row{candidate(document), {}};
    row.scores.set(Metric::Accuracy, {0.8});
    row.scores.set(Metric::Latency, {1e-3, 0, document[0] == 'x'});
    table.rows.push_back(std::move(row));
  }
  return table;
}

TEST(SearchTableTest, ComesBackFromItsLines) {
  const std::string lines = to_lines(small());
  const auto table = parse_table(lines);
  ASSERT_TRUE(table.ok()) << table.rejection().message();
  EXPECT_EQ(to_lines(*table), to_lines(parse_table(to_lines(*table)).value()));
  ASSERT_EQ(table->rows.size(), 3u);
  EXPECT_EQ(table->model, "zoo:tiny-resnet");
  EXPECT_EQ(table->original.at(Metric::Accuracy)->value, 0.9);
  int estimates = 0;
  for (const TableRow& row : table->rows) estimates += row.scores.at(Metric::Latency)->is_estimate;
  EXPECT_EQ(estimates, 1);
  EXPECT_FALSE(table->has(Metric::Latency)) << "the original has none";
}

TEST(SearchTableTest, RefusesABadLineByItsNumber) {
  std::string lines = to_lines(small());
  const auto not_json = parse_table(lines + "{");
  EXPECT_EQ(not_json.rejection().reason(), Reason::BadSyntax);
  EXPECT_NE(not_json.rejection().message().find("line 5"), std::string::npos);
  const auto no_values = parse_table(lines + R"({"candidate":{}})");
  EXPECT_EQ(no_values.rejection().reason(), Reason::MissingField);
  EXPECT_EQ(parse_table("{}").rejection().reason(), Reason::MissingField);
  EXPECT_EQ(parse_table(lines.substr(0, lines.find('\n'))).rejection().reason(),
            Reason::MissingField);
}

class TableOfStudy : public ::testing::Test {
 protected:
  void SetUp() override {
    store::StudyStore study = store::StudyStore::open(file_).value();
    engine::SearchSetup setup;
    setup.model = "zoo:tiny-resnet";
    setup.data = "fashion-mnist";
    ASSERT_TRUE(
        study.set_head({fingerprint_of("base"), setup.model, setup.data, to_json(setup), "abc"})
            .ok());
    add(study, "", 0.9);
    add(study, "good", 0.8);
    add(study, "refused", std::nullopt);
  }

  // Trained briefly with two seeds, and then fully.
  static void add(store::StudyStore& study, const std::string& document,
                  std::optional<double> accuracy) {
    const spaces::Candidate made = candidate(document);
    store::StudyCandidate kept;
    kept.identity = spaces::identity_of(made);
    kept.document = spaces::to_json(made);
    ASSERT_TRUE(study.add(kept).ok());
    if (!accuracy) return;
    const auto evaluate = [&](double epochs, std::uint64_t seed, double value) {
      store::Evaluation evaluation;
      evaluation.key = {kept.identity, "accuracy", "1", "{}", epochs, seed, {}};
      evaluation.values["accuracy"] = {value, 0, 1, false};
      ASSERT_TRUE(study.add(evaluation).ok());
    };
    evaluate(10, 1, 0.99);
    evaluate(2, 1, *accuracy - 0.01);
    evaluate(2, 2, *accuracy + 0.01);
  }

  ScratchFolder folder_;
  std::string file_ = folder_ / "study";
};

TEST_F(TableOfStudy, HasTheBriefTrainingsOfTrainedCandidates) {
  const auto table = table_of_study(file_);
  ASSERT_TRUE(table.ok()) << table.rejection().message();
  EXPECT_EQ(table->epochs, 2);
  EXPECT_EQ(table->commit, "abc");
  EXPECT_NEAR(table->original.at(Metric::Accuracy)->value, 0.9, 1e-12);
  ASSERT_EQ(table->rows.size(), 1u);
  EXPECT_EQ(table->rows[0].candidate, candidate("good"));
  EXPECT_NEAR(table->rows[0].scores.at(Metric::Accuracy)->value, 0.8, 1e-12);
}

TEST_F(TableOfStudy, RefusesAStudyInWhichNothingWasTrained) {
  const std::string other = folder_ / "other";
  {
    store::StudyStore study = store::StudyStore::open(other).value();
    ASSERT_TRUE(
        study.set_head({fingerprint_of("base"), "m", "d", to_json(engine::SearchSetup()), ""})
            .ok());
    add(study, "", 0.9);
  }
  EXPECT_EQ(table_of_study(other).rejection().reason(), Reason::NoSuchCandidate);
  EXPECT_EQ(table_of_study(folder_ / "none").rejection().reason(), Reason::NotFound);
}

}  // namespace
}  // namespace cambium::bench
