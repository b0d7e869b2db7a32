// How the times of generated code compare on a machine that has nothing else to do.
#include <gtest/gtest.h>

#include "measure/gemm_kernels_testing.h"

namespace cambium::measure {
namespace {

TEST(Path, ATallTileIsFasterThanAFlatOne) {
  Gemm gemm;
  const int n = 8 * gemm.lanes;
  const auto test = make_case(gemm.cx, lowered_gemm(gemm.cx, 48, n, 100, 4 * gemm.lanes));
  ASSERT_TRUE(test.ok()) << test.rejection().message();
  const codegen::ObjectCode tall = gemm.code(48, n, 100, 6), flat = gemm.code(48, n, 100, 1);
  Runner r = runner();
  const auto ranked = r.rank({tall, *test}, 1);
  ASSERT_TRUE(ranked.ok()) << ranked.rejection().message();
  EXPECT_GT(ranked->value, 1e-7);
  EXPECT_LT(ranked->value, 1e-2);
  const auto compared = r.compare({tall, *test}, {flat, *test}, 1);
  ASSERT_TRUE(compared.ok()) << compared.rejection().message();
  EXPECT_GT(compared->ratio, 1.02) << "a tile of one row loads four vectors for four products";
}

}  // namespace
}  // namespace cambium::measure
