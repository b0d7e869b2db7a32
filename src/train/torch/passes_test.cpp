#include "train/passes.h"

#include <gtest/gtest.h>

#include "base/features.h"
#include "base/quantile.h"
#include "model/builder.h"

namespace cambium::train {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace): many operators are named

Model convolution(std::int64_t channels, std::size_t spatial) {
  Builder b("conv");
  Ints dims(spatial + 2, 8), kernel(spatial + 2, 1);
  dims[0] = 2;
  dims[1] = kernel[0] = kernel[1] = channels;
  const Value x = b.input("x", {DType::F32, dims});
  const Value w = b.weight("w", Tensor::lazy({DType::F32, kernel}, {Fill::Law::Normal, 1, 1}));
  b.output("y", b.add(Conv{Ints(spatial, 1), Ints(2 * spatial, 0), Ints(spatial, 1), 1}, {x, w}));
  return std::move(b).finish().value();
}

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
  EXPECT_GT(median(times->at(1)), median(times->at(0)));  // a thousand times the work
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
