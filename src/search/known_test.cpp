#include "search/known.h"

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/fingerprint.h"

namespace cambium::search {
namespace {

Fingerprint named(const char* name) {
  return fingerprint_of(std::string_view(name));
}

Scores scored(double accuracy, double latency) {
  Scores scores;
  scores.set(Metric::Accuracy, {accuracy});
  scores.set(Metric::Latency, {latency});
  return scores;
}

TEST(Known, SendsWhatHoldsTheLimitsToTheFinalsBeforeTheRest) {
  const std::vector<Metric> objectives = {Metric::Accuracy, Metric::Latency};
  Known known({}, objectives);
  const Fingerprint original = named("original"), good = named("good"), fast = named("fast"),
                    slower = named("slower");
  known.add(original, scored(0.91, 2.0));
  known.add(good, scored(0.90, 1.0));
  known.add(fast, scored(0.50, 0.1));    // on the front, and useless
  known.add(slower, scored(0.85, 1.2));  // beaten by `good`
  const std::vector<Limit> limits = {{Metric::Accuracy, 0.8}};
  const auto names = [&](std::size_t most, const std::vector<Limit>& held) {
    std::vector<Fingerprint> out;
    for (const Known::Entry& entry : known.finalists(most, original, scored(0.91, 2.0), {}, held)) {
      out.push_back(entry.identity);
    }
    return out;
  };
  EXPECT_EQ(names(2, limits), (std::vector{good, slower}));
  EXPECT_EQ(names(9, limits), (std::vector{good, slower, fast}));
  EXPECT_EQ(names(2, {}), (std::vector{good, fast}));
}

}  // namespace
}  // namespace cambium::search
