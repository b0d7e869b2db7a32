#include "compile/live_pair.h"

#include <gtest/gtest.h>

#include "model/builder.h"

namespace cambium::compile {
namespace {

using model::Value;

// A chain of matrix products, each of the given width, on one row; the first is read again by a sum
// at the end if `again`.
model::Model chain(const std::vector<std::int64_t>& widths, bool again) {
  model::Builder b("chain");
  Value at = b.input("x", {DType::F32, {1, 3}});
  std::int64_t before = 3;
  std::vector<Value> all;
  for (const std::int64_t width : widths) {
    const Value weight = b.weight(
        "", model::Tensor::lazy({DType::F32, {before, width}}, {model::Fill::Law::Normal, 1, 7}));
    at = b.add(model::MatMul{}, {at, weight});
    all.push_back(at);
    before = width;
  }
  if (again) at = b.add(model::Binary{model::BinaryFn::Add}, {at, all[0]});
  b.output("y", at);
  return std::move(b).finish().value();
}

TEST(LargestLivePair, IsThatOfNeighboursInAChain) {
  EXPECT_EQ(largest_live_pair(chain({8, 16, 4, 100}, false)), 4 * (8 + 16));
  EXPECT_EQ(largest_live_pair(chain({8, 4, 16, 2}, false)), 4 * (4 + 16));
}

TEST(LargestLivePair, KnowsWhatIsReadAgain) {
  // The first value waits for the sum, so it meets the third, which it would not in a chain.
  EXPECT_EQ(largest_live_pair(chain({50, 1, 60, 2, 50}, true)), 4 * (50 + 60));
  EXPECT_EQ(largest_live_pair(chain({50, 1, 60, 2, 50}, false)), 4 * (60 + 2));
}

TEST(LargestLivePair, LeavesOutWhatTheCallerHolds) {
  EXPECT_EQ(largest_live_pair(chain({8}, false)), 0);
}

}  // namespace
}  // namespace cambium::compile
