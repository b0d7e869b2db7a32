#include <algorithm>

#include <gtest/gtest.h>

#include "model/fingerprint.h"
#include "model/random_model.h"
#include "model/text.h"
#include "model/verify.h"

namespace cambium::model {
namespace {

TEST(ModelText, RoundTripsRandomModels) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Model model = random_model(seed);
    const std::string text = to_text(model);
    const auto again = parse_text(text);
    ASSERT_TRUE(again.ok()) << "seed " << seed << ": " << again.rejection().message();
    ASSERT_EQ(to_text(*again), text) << "seed " << seed;
    ASSERT_EQ(content_of(*again), content_of(model)) << "seed " << seed;
    ASSERT_TRUE(std::equal(model.blocks().begin(), model.blocks().end(), again->blocks().begin(),
                           again->blocks().end()));
    const auto sound = verify(*again);
    ASSERT_TRUE(sound.ok()) << sound.rejection().message();
  }
}

}  // namespace
}  // namespace cambium::model
