#include <gtest/gtest.h>

#include "base/features.h"
#include "train/device.h"

namespace cambium::train {
namespace {

TEST(OutOfBuild, RefusesWithoutLibtorchAndOnlyThen) {
  const bool is_in = require_feature("torch").ok();
  const auto device = device_of("cpu");
  EXPECT_EQ(device.ok(), is_in);
  if (!is_in) {
    EXPECT_EQ(device.rejection().reason(), Reason::Unavailable);
    return;
  }
  EXPECT_EQ(device->text(), "cpu");
}

TEST(Device, RefusesWhatIsNone) {
  if (!require_feature("torch").ok()) GTEST_SKIP() << "built without libtorch";
  for (const char* text : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x"}) {
    const auto device = device_of(text);
    ASSERT_FALSE(device.ok()) << text;
    EXPECT_EQ(device.rejection().reason(), Reason::BadOption) << text;
  }
  const auto far = device_of("cuda:1000");
  ASSERT_FALSE(far.ok());
  EXPECT_EQ(far.rejection().reason(), Reason::Unavailable);
  EXPECT_TRUE(device_of("auto").ok());
}

}  // namespace
}  // namespace cambium::train
