#include <gtest/gtest.h>

#include "model/onnx/round_trip_testing.h"
#include "model/random_model.h"

namespace cambium::model {
namespace {

TEST(RoundTrip, RandomModelsComeBackWithAllTheyHold) {
  const ScratchFolder folder;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Model model = random_model(seed);
    expect_round_trip(model, folder / "random.onnx");
    const auto read = import_onnx(folder / "random.onnx");
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(content_of(read->model), content_of(model));
  }
}

}  // namespace
}  // namespace cambium::model
