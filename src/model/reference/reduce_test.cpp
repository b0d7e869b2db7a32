// Hand-computed results of pooling and of the reductions.
#include <limits>

#include "model/reference/testing.h"

namespace cambium::model {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Pool pool(PoolFn fn, Ints kernel, Ints strides, Ints pads) {
  const Ints ones(kernel.size(), 1);
  return {fn, std::move(kernel), std::move(strides), std::move(pads), ones};
}

TEST(ReferencePool, MaximumIgnoresThePadding) {
  const Tensor x = floats({1, 1, 2, 2}, {-1, -2, -3, -4});
  expect_elements(run_one(pool(PoolFn::Max, {2, 2}, {1, 1}, {1, 1, 1, 1}), {x}), {1, 1, 3, 3},
                  {-1, -1, -2, -1, -1, -2, -3, -3, -4});
  const Tensor i = Tensor::of<std::int8_t>({1, 1, 3}, {-128, 5, 1});
  expect_elements(run_one(pool(PoolFn::Max, {2}, {1}, {0, 0}), {i}), {1, 1, 2}, {5, 5});
}

TEST(ReferencePool, MaximumReportsFlatIndices) {
  Pool op = pool(PoolFn::Max, {2, 2}, {2, 2}, {0, 0, 0, 0});
  op.with_indices = true;
  const Tensor x = counting({1, 2, 5, 5});
  const auto rows = *execute(op, std::vector<Tensor>{x});
  expect_elements(rows[1], {1, 2, 2, 2}, {6, 8, 16, 18, 31, 33, 41, 43});
  op.column_major_indices = true;
  const auto columns = *execute(op, std::vector<Tensor>{x});
  expect_elements(columns[1], {1, 2, 2, 2}, {6, 16, 8, 18, 31, 41, 33, 43});
  const Tensor tie = floats({1, 1, 1, 2}, {3, 3});
  op = pool(PoolFn::Max, {1, 2}, {1, 1}, {0, 0, 0, 0});
  op.with_indices = true;
  expect_elements((*execute(op, std::vector<Tensor>{tie}))[1], {1, 1, 1, 1}, {0});
}

TEST(ReferencePool, DilatedWindowsSkip) {
  Pool op = pool(PoolFn::Max, {2}, {1}, {0, 0});
  op.dilations = {2};
  expect_elements(run_one(op, {floats({1, 1, 4}, {3, 9, 1, 2})}), {1, 1, 2}, {3, 9});
}

TEST(ReferencePool, AverageCountsWhatItIsToldTo) {
  Pool op = pool(PoolFn::Average, {3}, {1}, {1, 1});
  const Tensor x = floats({1, 1, 3}, {3, 6, 9});
  expect_elements(run_one(op, {x}), {1, 1, 3}, {4.5, 6, 7.5});
  op.count_include_pad = true;
  expect_elements(run_one(op, {x}), {1, 1, 3}, {3, 6, 5});
  // The last window of ceil mode hangs over the padded input; what hangs over never counts.
  op = pool(PoolFn::Average, {3}, {2}, {0, 1});
  op.ceil_mode = op.count_include_pad = true;
  expect_elements(run_one(op, {floats({1, 1, 5}, {3, 3, 3, 3, 6})}), {1, 1, 3}, {3, 4, 3});
}

TEST(ReferencePool, AWindowThatSeesNothingIsDefined) {
  Pool op = pool(PoolFn::Max, {2}, {1}, {1, 1});
  op.dilations = {2};  // taps at -1 and 1 around the one element
  op.with_indices = true;
  const auto results = *execute(op, std::vector<Tensor>{floats({1, 1, 1}, {5})});
  expect_elements(results[0], {1, 1, 1}, {-kInfinity});
  expect_elements(results[1], {1, 1, 1}, {-1});
  op = pool(PoolFn::Average, {2}, {1}, {1, 1});
  op.dilations = {2};
  expect_elements(run_one(op, {floats({1, 1, 1}, {5})}), {1, 1, 1}, {0});
}

TEST(ReferenceReduce, ComputesEveryFunction) {
  const Tensor x = floats({2, 2, 2}, {1, -2, 3, 4, 5, 6, -7, 8});
  const auto over = [&](ReduceFn fn) { return run_one(Reduce{fn, {0, 2}, false}, {x}); };
  expect_elements(over(ReduceFn::Sum), {2}, {10, 8});
  expect_elements(over(ReduceFn::Mean), {2}, {2.5, 2});
  expect_elements(over(ReduceFn::Max), {2}, {6, 8});
  expect_elements(over(ReduceFn::Min), {2}, {-2, -7});
  expect_elements(over(ReduceFn::Prod), {2}, {-60, -672});
  expect_elements(over(ReduceFn::L1), {2}, {14, 22});
  expect_elements(over(ReduceFn::L2), {2}, {std::sqrt(66.0), std::sqrt(138.0)}, 1e-7);
  expect_elements(over(ReduceFn::SumSquare), {2}, {66, 138});
  expect_elements(over(ReduceFn::LogSum), {2}, {std::log(10.0), std::log(8.0)}, 1e-7);
  expect_elements(run_one(Reduce{ReduceFn::Sum, {1}, true}, {x}), {2, 1, 2}, {4, 2, -2, 14});
}

TEST(ReferenceReduce, LogSumExpIsStable) {
  const Tensor x = floats({4}, {1000, 1000, -1000, 1000});
  expect_elements(run_one(Reduce{ReduceFn::LogSumExp, {0}, false}, {x}), {}, {1000 + std::log(3.0)},
                  1e-7);
  const Tensor low = floats({2}, {-INFINITY, -INFINITY});
  expect_elements(run_one(Reduce{ReduceFn::LogSumExp, {0}, false}, {low}), {}, {-kInfinity});
}

TEST(ReferenceReduce, OverNoAxesIsTheIdentity) {
  const Tensor x = floats({2}, {-3, 4});
  for (const ReduceFn fn : {ReduceFn::Sum, ReduceFn::L2, ReduceFn::SumSquare}) {
    expect_elements(run_one(Reduce{fn, {}, true}, {x}), {2}, {-3, 4});
  }
}

TEST(ReferenceReduce, OverNothingIsTheNeutralElement) {
  const Tensor x = floats({2, 0}, {});
  const auto over = [](ReduceFn fn, const Tensor& t) {
    return run_one(Reduce{fn, {1}, false}, {t});
  };
  expect_elements(over(ReduceFn::Sum, x), {2}, {0, 0});
  expect_elements(over(ReduceFn::Prod, x), {2}, {1, 1});
  expect_elements(over(ReduceFn::Max, x), {2}, {-kInfinity, -kInfinity});
  expect_elements(over(ReduceFn::Min, x), {2}, {kInfinity, kInfinity});
  expect_elements(over(ReduceFn::Mean, x), {2}, {kNotANumber, kNotANumber});
  const Tensor i = Tensor::of<std::int8_t>({1, 0}, {});
  expect_elements(over(ReduceFn::Max, i), {1}, {-128});
  expect_elements(over(ReduceFn::Min, i), {1}, {127});
  expect_elements(over(ReduceFn::Mean, i), {1}, {0});
}

TEST(ReferenceReduce, IntegersWrapAndBoolsHaveExtremes) {
  const Tensor i = Tensor::of<std::int8_t>({3}, {100, 100, -7});
  const auto all = [](ReduceFn fn, const Tensor& t) {
    return run_one(Reduce{fn, {0}, false}, {t});
  };
  expect_elements(all(ReduceFn::Sum, i), {}, {-63});
  expect_elements(all(ReduceFn::Mean, i), {}, {64});
  expect_elements(all(ReduceFn::L1, i), {}, {-49});
  expect_elements(all(ReduceFn::Max, i), {}, {100});
  expect_elements(all(ReduceFn::L2, Tensor::of<std::int32_t>({2}, {3, 4})), {}, {5});
  expect_elements(all(ReduceFn::Max, bools({2}, {false, true})), {}, {1});
  expect_elements(all(ReduceFn::Min, bools({2}, {false, true})), {}, {0});
}

TEST(ReferenceReduce, NaNsStay) {
  const Tensor x = floats({3}, {1, NAN, 2});
  EXPECT_TRUE(std::isnan(run_one(Reduce{ReduceFn::Max, {0}, false}, {x}).to_doubles()[0]));
  EXPECT_TRUE(std::isnan(run_one(Reduce{ReduceFn::Min, {0}, false}, {x}).to_doubles()[0]));
}

TEST(ReferenceArgReduce, NamesTheFirstOrLastExtremum) {
  const Tensor x = floats({2, 3}, {5, 1, 5, 0, 0, 2});
  expect_elements(run_one(ArgReduce{true, false, true, 1}, {x}), {2, 1}, {0, 2});
  expect_elements(run_one(ArgReduce{true, true, false, 1}, {x}), {2}, {2, 2});
  expect_elements(run_one(ArgReduce{false, false, false, 1}, {x}), {2}, {1, 0});
  expect_elements(run_one(ArgReduce{false, true, false, 1}, {x}), {2}, {1, 1});
  expect_elements(run_one(ArgReduce{true, false, false, 0}, {x}), {3}, {0, 0, 0});
}

}  // namespace
}  // namespace cambium::model
