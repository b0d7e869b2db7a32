#include "base/host_memory.h"

#include <gtest/gtest.h>

namespace cambium {
namespace {

TEST(HostMemory, IsThatOfThisMachine) {
  EXPECT_GT(host_memory(), 0x1p24);
  EXPECT_LT(host_memory(), 0x1p50);
}

TEST(HostMemory, IsNamedInARefusalUnlessAnotherDeviceIs) {
  const Rejection here = not_enough_memory("a model", 0x1p50);
  EXPECT_EQ(here.reason(), Reason::NotEnoughMemory);
  EXPECT_EQ(
      here.message().rfind("a model needs at least 1073741824 MiB of memory; this machine has ", 0),
      0U)
      << here.message();
  EXPECT_EQ(not_enough_memory("a batch", 0x1p21, "GPU 0 has 1.50 GiB").message(),
            "a batch needs at least 2 MiB of memory; GPU 0 has 1.50 GiB");
}

}  // namespace
}  // namespace cambium
