// How passes compare on a machine that has nothing else to do.
#include <vector>

#include <gtest/gtest.h>

#include "base/features.h"
#include "base/quantile.h"
#include "train/passes.h"
#include "train/torch/passes_testing.h"

namespace cambium::train {
namespace {

TEST(Passes, AThousandTimesTheWorkTakesLonger) {
  if (!require_feature("torch").ok()) GTEST_SKIP() << "built without libtorch";
  set_threads(1);
  const std::vector<PassCase> cases{{convolution(8, 2), false, Precision::F32},
                                    {convolution(256, 2), false, Precision::F32}};
  PassOptions options;
  options.rounds = 3;
  options.seconds = 0.002;
  const auto times = time_passes(cases, options);
  ASSERT_TRUE(times.ok()) << times.rejection().message();
  EXPECT_GT(median(times->at(1)), median(times->at(0)));
}

}  // namespace
}  // namespace cambium::train
