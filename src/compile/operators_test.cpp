// Every operator as native code, on the cases that lowering is tried on.
#include <set>

#include "compile/compile_testing.h"
#include "lower/lower_testing.h"
#include "lower/operator_cases.h"

namespace cambium::compile {
namespace {

void expect_equals_reference(const lower::OperatorCase& given) {
  SCOPED_TRACE(given.name);
  const model::Model model = lower::model_of(given);
  const std::size_t count = std::min(given.first_weight, given.inputs.size());
  const std::span<const model::Tensor> inputs(given.inputs.data(), count);
  auto compiled = compile(model);
  ASSERT_TRUE(compiled.ok()) << compiled.rejection().message();
  for (const KernelReport& kernel : compiled->kernels) {
    EXPECT_EQ(kernel.fallback, "") << given.name;
  }
  auto native = NativeModel::load(std::move(compiled).value());
  ASSERT_TRUE(native.ok()) << native.rejection().message();
  const auto want = execute(model, inputs);
  ASSERT_TRUE(want.ok()) << want.rejection().message();
  for (const int threads : {1, 2}) {
    ThreadPool pool(threads);
    const auto have = native->run(inputs, pool);
    ASSERT_TRUE(have.ok()) << have.rejection().message();
    for (std::size_t i = 0; i < want->size(); ++i) {
      EXPECT_LE(lower::disagreement((*have)[i], (*want)[i]), 1) << "output " << i;
    }
  }
}

class NativeOperator : public testing::TestWithParam<std::string> {};

TEST_P(NativeOperator, EqualsTheReference) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  for (const lower::OperatorCase& given : lower::operator_cases()) {
    if (kind_of(given.op) == GetParam()) expect_equals_reference(given);
  }
}

std::set<std::string> operators() {
  std::set<std::string> names;
  for (const lower::OperatorCase& given : lower::operator_cases()) {
    names.emplace(kind_of(given.op));
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, NativeOperator, testing::ValuesIn(operators()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cambium::compile
