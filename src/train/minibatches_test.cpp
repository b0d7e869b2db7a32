#include "train/minibatches.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace cambium::train {
namespace {

bool same_values(const model::Tensor& a, const model::Tensor& b) {
  const auto left = a.as<float>(), right = b.as<float>();
  return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

TEST(Minibatches, AreTheSameForTheSameSeedAndNeverTwiceTheSameImages) {
  auto one = Minibatches::open({}, 3), same = Minibatches::open({}, 3),
       other = Minibatches::open({}, 4);
  ASSERT_TRUE(one.ok() && same.ok() && other.ok());
  const auto first = one->take(4), second = one->take(4);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->labels.size(), 4u);
  EXPECT_TRUE(same_values(first->inputs, same->take(4)->inputs));
  EXPECT_FALSE(same_values(first->inputs, second->inputs));
  EXPECT_FALSE(same_values(first->inputs, other->take(4)->inputs));
}

TEST(Minibatches, RefuseADataSetThatIsNotThere) {
  EXPECT_FALSE(Minibatches::open("cifar10:/nowhere", 1).ok());
}

}  // namespace
}  // namespace cambium::train
