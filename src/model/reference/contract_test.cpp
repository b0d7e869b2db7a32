// Hand-computed results of the contractions.
#include "model/reference/testing.h"

namespace cambium::model {
namespace {

TEST(ReferenceConv, SlidesTheKernelOverThePaddedInput) {
  const Tensor x = counting({1, 1, 3, 3});
  const Tensor w = floats({1, 1, 2, 2}, {1, 2, 3, 4});
  expect_elements(run_one(Conv{{1, 1}, {0, 0, 0, 0}, {1, 1}, 1}, {x, w}), {1, 1, 2, 2},
                  {27, 37, 57, 67});
  // Padded at the beginning by one, stride two: windows at (-1, -1), (-1, 1), (1, -1), (1, 1).
  expect_elements(run_one(Conv{{2, 2}, {1, 1, 0, 0}, {1, 1}, 1}, {x, w, floats({1}, {100})}),
                  {1, 1, 2, 2}, {100, 111, 130, 167});
}

TEST(ReferenceConv, GroupsAndDilationsPickTheirInputs) {
  const Tensor x = counting({1, 2, 5});
  const Tensor w = floats({4, 1, 2}, {1, 0, 0, 1, 1, 1, 2, 0});
  expect_elements(run_one(Conv{{1}, {0, 0}, {3}, 2}, {x, w}), {1, 4, 2},
                  {0, 1, 3, 4, 13, 15, 10, 12});
}

TEST(ReferenceConv, RoundsOnceAtTheEnd) {
  // 1 + 2^-11 is no half; summed in half precision the small terms would all be lost.
  const Tensor x =
      Tensor::of<F16>({1, 3, 1}, {F16(1), F16(std::ldexp(1, -11)), F16(std::ldexp(1, -11))});
  const Tensor w = Tensor::of<F16>({1, 3, 1}, {F16(1), F16(1), F16(1)});
  expect_elements(run_one(Conv{{1}, {0, 0}, {1}, 1}, {x, w}), {1, 1, 1}, {1 + std::ldexp(1, -10)});
}

TEST(ReferenceConvTranspose, SpreadsEachInputOverAWindow) {
  const Tensor x = floats({1, 1, 3}, {1, 2, 3});
  const Tensor w = floats({1, 1, 3}, {1, 10, 100});
  expect_elements(run_one(ConvTranspose{{1}, {0, 0}, {1}, {0}, 1}, {x, w}), {1, 1, 5},
                  {1, 12, 123, 230, 300});
  expect_elements(run_one(ConvTranspose{{2}, {1, 1}, {1}, {1}, 1}, {x, w}), {1, 1, 6},
                  {10, 102, 20, 203, 30, 300});
  expect_elements(run_one(ConvTranspose{{1}, {0, 0}, {2}, {0}, 1}, {x, w}), {1, 1, 7},
                  {1, 2, 13, 20, 130, 200, 300});
}

TEST(ReferenceConvTranspose, GroupsKeepToThemselves) {
  const Tensor x = floats({1, 2, 2}, {1, 2, 3, 4});
  const Tensor w = floats({2, 2, 1}, {1, 2, 3, 4});
  expect_elements(
      run_one(ConvTranspose{{1}, {0, 0}, {1}, {0}, 2}, {x, w, floats({4}, {0, 0, 0, 1})}),
      {1, 4, 2}, {1, 2, 2, 4, 9, 12, 13, 17});
}

TEST(ReferenceMatMul, FollowsNumpy) {
  const Tensor a = counting({2, 3}), b = counting({3, 2});
  expect_elements(run_one(MatMul{}, {a, b}), {2, 2}, {10, 13, 28, 40});
  const Tensor v = floats({3}, {1, 2, 3});
  expect_elements(run_one(MatMul{}, {v, v}), {}, {14});
  expect_elements(run_one(MatMul{}, {a, v}), {2}, {8, 26});
  expect_elements(run_one(MatMul{}, {v, b}), {2}, {16, 22});
  // Batch dimensions stretch on both sides.
  expect_elements(run_one(MatMul{}, {counting({2, 1, 1, 2}), counting({3, 2, 1})}), {2, 3, 1, 1},
                  {1, 3, 5, 3, 13, 23});
  expect_elements(run_one(MatMul{}, {floats({2, 0}, {}), floats({0, 2}, {})}), {2, 2},
                  {0, 0, 0, 0});
}

TEST(ReferenceMatMul, IntegersWrap) {
  const Tensor a = Tensor::of<std::int32_t>({1, 2}, {0x40000000, -3});
  const Tensor b = Tensor::of<std::int32_t>({2, 1}, {4, 5});
  expect_elements(run_one(MatMul{}, {a, b}), {1, 1}, {-15});
}

TEST(ReferenceGemm, ScalesTransposesAndAdds) {
  const Tensor a = counting({3, 2}), b = counting({2, 3});
  expect_elements(run_one(Gemm{0.5, 2, true, true}, {a, b, floats({2, 1}, {10, 20})}), {2, 2},
                  {25, 34, 46.5, 60});
  expect_elements(run_one(Gemm{1, 1, false, false}, {a, b, floats({3}, {0, 1, 2})}), {3, 3},
                  {3, 5, 7, 9, 15, 21, 15, 25, 35});
  const Tensor i = Tensor::of<std::int32_t>({1, 1}, {7});
  expect_elements(run_one(Gemm{2, -1, false, false}, {i, i, i}), {1, 1}, {91});
}

TEST(ReferenceEinsum, ContractsWhatTheEquationSays) {
  const Tensor a = counting({2, 3}), b = counting({3, 2});
  expect_elements(run_one(Einsum{"ij,jk->ik"}, {a, b}), {2, 2}, {10, 13, 28, 40});
  expect_elements(run_one(Einsum{"ij,jk->ki"}, {a, b}), {2, 2}, {10, 28, 13, 40});
  expect_elements(run_one(Einsum{"ij->"}, {a}), {}, {15});
  expect_elements(run_one(Einsum{"ij->ji"}, {a}), {3, 2}, {0, 3, 1, 4, 2, 5});
  expect_elements(run_one(Einsum{"ij->j"}, {a}), {3}, {3, 5, 7});
  expect_elements(run_one(Einsum{"i,j->ij"}, {floats({2}, {1, 2}), floats({2}, {3, 4})}), {2, 2},
                  {3, 4, 6, 8});
}

TEST(ReferenceEinsum, RepeatedIndicesTakeTheDiagonal) {
  const Tensor m = counting({3, 3});
  expect_elements(run_one(Einsum{"ii->i"}, {m}), {3}, {0, 4, 8});
  expect_elements(run_one(Einsum{"ii->"}, {m}), {}, {12});
  expect_elements(run_one(Einsum{"ii,i->i"}, {m, floats({3}, {1, 2, 3})}), {3}, {0, 8, 24});
  expect_elements(run_one(Einsum{"ii,jj->ij"}, {counting({2, 2}), counting({2, 2})}), {2, 2},
                  {0, 0, 0, 9});
}

TEST(ReferenceEinsum, JoinsMoreThanTwo) {
  const Tensor v = floats({2}, {1, 2}), m = counting({2, 2});
  expect_elements(run_one(Einsum{"i,ij,j->"}, {v, m, v}), {}, {18});
  expect_elements(run_one(Einsum{"bi,bj,b->ij"}, {m, m, v}), {2, 2}, {8, 12, 12, 19});
  expect_elements(run_one(Einsum{"a,b,c->cab"}, {v, v, v}), {2, 2, 2}, {1, 2, 2, 4, 2, 4, 4, 8});
}

TEST(ReferenceEinsum, RefusesAnIntermediateThatNoTensorMayBe) {
  const std::vector<Tensor> wide(2, Tensor::lazy({DType::F32, {1, 1 << 19}}, {}));
  const auto outer = execute(
      Einsum{"ab,cd,bd->ac"},
      std::vector<Tensor>{wide[0], wide[1], Tensor::lazy({DType::F32, {1 << 19, 1 << 19}}, {})});
  ASSERT_FALSE(outer.ok());
  EXPECT_EQ(outer.rejection().reason(), Reason::TensorTooLarge);
}

}  // namespace
}  // namespace cambium::model
