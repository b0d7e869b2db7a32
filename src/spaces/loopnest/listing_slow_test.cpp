// All functions of three moves. Slow: half a minute on a busy machine.
#include <ctime>
#include <set>

#include <gtest/gtest.h>

#include "model/zoo/net.h"
#include "spaces/loopnest/listing.h"
#include "spaces/loopnest/loopnest_testing.h"
#include "spaces/loopnest/options.h"

namespace cambium::spaces::loopnest {
namespace {

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// A layer of ResNet-34 for CIFAR.
TEST(ListingSlow, HasAllFunctionsOfThreeMovesInTenSeconds) {
  model::zoo::Net net("net", {});
  net.output(net.conv(net.input_image(64, 32), "site", {.out = 64, .kernel = 3}));
  VariantsByShape shapes(LoopNestOptions{}.limits());
  Survey survey(std::move(net).finish().value(), shapes);
  const double begin = processor_seconds();
  Listing listing(survey, {"site", {0}}, 3);
  std::set<Fingerprint> functions;
  std::size_t count = 0;
  for (auto listed = listing.next(); listed; listed = listing.next(), ++count) {
    functions.insert(listed->variant->function);
  }
  EXPECT_LT(processor_seconds() - begin, 10);
  EXPECT_GT(count, 20'000u);
  EXPECT_EQ(functions.size(), count);
}

}  // namespace
}  // namespace cambium::spaces::loopnest
