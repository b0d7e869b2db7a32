#include "engine/search/evaluators.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "study/metric.h"

namespace cambium::engine {
namespace {

TEST(EvaluatorRegistry, EveryRowIsCompleteAndNamedOnce) {
  std::set<std::string> names;
  for (const EvaluatorRow& row : evaluator_rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.version().empty()) << row.name;
    EXPECT_NE(*row.purpose, 0) << row.name;
    EXPECT_EQ(find_evaluator(row.name), &row);
    EXPECT_NE(evaluator_help().find(row.name), std::string::npos);
  }
  EXPECT_EQ(find_evaluator("nothing"), nullptr);
}

// Otherwise jobs of a study would name a version that no worker answers for.
TEST(EvaluatorRegistry, EvaluatorsAnswerUnderTheNameAndVersionOfTheirRow) {
  for (const EvaluatorRow& row : evaluator_rows()) {
    ASSERT_EQ(row.make != nullptr, row.program == EvaluatorProgram::Measure) << row.name;
    if (row.make == nullptr) continue;
    const Evaluator made = row.make();
    EXPECT_EQ(made.name, row.name);
    EXPECT_EQ(made.version, row.version());
  }
}

// Whoever shows a metric looks up there which evaluator measures it.
TEST(EvaluatorRegistry, NamesTheMetricsThatTheStudyLayerExpectsOfEachEvaluator) {
  for (const study::Metric metric : study::kAllMetrics) {
    const study::MetricInfo& info = info_of(metric);
    for (const EvaluatorRow& row : evaluator_rows()) {
      const bool is_named = std::count(row.values.begin(), row.values.end(), info.name) > 0;
      EXPECT_EQ(is_named, info.evaluator == row.name) << row.name << " " << info.name;
    }
  }
}

// Reports show the values by these units: a row and the table of units name the same values.
TEST(EvaluatorRegistry, EveryValueThatIsNoMetricHasItsUnitInTheStudyLayer) {
  std::set<std::string_view> answered, listed;
  for (const EvaluatorRow& row : evaluator_rows()) {
    for (const std::string& value : row.values) {
      if (study::metric_named(value)) continue;
      EXPECT_TRUE(answered.insert(value).second) << value;
    }
  }
  for (const study::OtherValue& value : study::other_values()) {
    EXPECT_FALSE(study::metric_named(value.name)) << value.name;
    EXPECT_TRUE(listed.insert(value.name).second) << value.name;
    EXPECT_EQ(study::unit_of(value.name), value.unit) << value.name;
  }
  EXPECT_EQ(answered, listed);
}

// A study made elsewhere holds these keys.
TEST(EvaluatorRegistry, OffersTheMachineOnlyWhereResultsDependOnIt) {
  for (const EvaluatorRow& row : evaluator_rows()) {
    const auto offer = offer_of(row);
    if (!offer.ok()) continue;
    EXPECT_EQ(offer->machine != Fingerprint{}, row.is_of_machine) << row.name;
  }
}

}  // namespace
}  // namespace cambium::engine
