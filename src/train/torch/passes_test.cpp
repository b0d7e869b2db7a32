#include "train/passes.h"

#include <gtest/gtest.h>

#include "base/features.h"
#include "train/torch/passes_testing.h"

namespace cambium::train {
namespace {

TEST(Passes, AreTimedInEveryRound) {
  if (!require_feature("torch").ok()) GTEST_SKIP() << "built without libtorch";
  set_threads(1);
  const std::vector<PassCase> cases{{convolution(8, 2), true, Precision::F32},
                                    {convolution(256, 2), false, Precision::F32}};
  PassOptions options;
  options.rounds = 3;
  options.seconds = 0.002;
  const auto times = time_passes(cases, options);
  ASSERT_TRUE(times.ok()) << times.rejection().message();
  ASSERT_EQ(times->size(), 2u);
  for (const std::vector<double>& rounds : *times) {
    ASSERT_EQ(rounds.size(), 3u);
    for (const double seconds : rounds) EXPECT_GT(seconds, 0);
  }
  EXPECT_TRUE(time_passes({}, options)->empty());
}

TEST(Passes, RefuseWhatLibtorchDoesNotCompute) {
  const std::vector<PassCase> cases{{convolution(1, 4)}};
  const auto times = time_passes(cases, {});
  ASSERT_FALSE(times.ok());
  EXPECT_EQ(times.rejection().reason(),
            require_feature("torch").ok() ? Reason::UnsupportedOperator : Reason::Unavailable);
}

}  // namespace
}  // namespace cambium::train
