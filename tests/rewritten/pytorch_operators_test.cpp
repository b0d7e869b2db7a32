// Every case that lowering is tried on, as PyTorch source; some are refused for their types.
#include <gtest/gtest.h>

#include "lower/operator_cases.h"
#include "model/pytorch/check_testing.h"

namespace cambium::model {
namespace {

TEST(PytorchOperators, ComputeWhatTheReferenceDoes) {
  PytorchCheck check;
  int refused = 0;
  for (const lower::OperatorCase& given : lower::operator_cases()) {
    SCOPED_TRACE(given.name);
    const Model model = lower::model_of(given);
    const auto source = pytorch_source(model);
    if (!source.ok()) {
      const Reason reason = source.rejection().reason();
      EXPECT_TRUE(reason == Reason::UnsupportedType || reason == Reason::UnsupportedOperator);
      ++refused;
      continue;
    }
    std::vector<Tensor> inputs = given.inputs;
    inputs.resize(std::min(inputs.size(), given.first_weight), Tensor::scalar<float>(0));
    check.add(model, inputs);
  }
  RecordProperty("refused", refused);
  EXPECT_LT(refused, check.count() / 10);
  check.run();
}

}  // namespace
}  // namespace cambium::model
