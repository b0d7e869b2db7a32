// What a machine reaches that has nothing else to do.
#include <gtest/gtest.h>

#include "base/scratch_folder_testing.h"
#include "measure/ceilings.h"

namespace cambium::measure {
namespace {

TEST(Ceilings, AreThoseOfAProcessor) {
  const ScratchFolder folder;
  const auto probed = with_ceilings(host_machine(), folder / "ceilings.json");
  ASSERT_TRUE(probed.ok()) << probed.rejection().message();
  const Ceilings& c = *probed->ceilings;
  EXPECT_GT(c.fma_gflops, 1);
  EXPECT_GT(c.l1_gbs, c.dram_gbs);
  EXPECT_GE(c.all_fma_gflops, 0.5 * c.fma_gflops);
}

}  // namespace
}  // namespace cambium::measure
