// The cases that lowering is tried on, as PyTorch source. PyTorch on a CPU lacks most functions of
// f16 and of small whole numbers, so only cases of these types are run: f32, f64, i32, i64, bool.
#include <algorithm>
#include <string_view>

#include <gtest/gtest.h>

#include "lower/operator_cases.h"
#include "model/pytorch/check_testing.h"

namespace cambium::model {
namespace {

bool is_common(const Model& model) {
  const auto& nodes = model.nodes();
  return std::all_of(nodes.begin(), nodes.end(), [](const NodePtr& node) {
    return std::all_of(node->outputs.begin(), node->outputs.end(), [](const TensorType& type) {
      const DType t = type.dtype;
      return t == DType::F32 || t == DType::F64 || t == DType::I32 || t == DType::I64 ||
             t == DType::Bool;
    });
  });
}

// Where PyTorch answers otherwise: for what is no number, and for numbers that do not fit.
constexpr std::string_view kOtherwise[] = {
    "sign_edges",      "thresholded_relu_edges", "hard_sigmoid_edges", "argmax_nan",  "argmin_nan",
    "argmax_last_nan", "argmin_last_nan",        "cast_f64_i32",       "cast_f64_i64"};

TEST(PytorchOperators, ComputeWhatTheReferenceDoes) {
  PytorchCheck check;
  std::vector<std::string> refused;
  for (const lower::OperatorCase& given : lower::operator_cases()) {
    SCOPED_TRACE(given.name);
    const Model model = lower::model_of(given);
    if (!is_common(model) || std::find(std::begin(kOtherwise), std::end(kOtherwise), given.name) !=
                                 std::end(kOtherwise)) {
      continue;
    }
    const auto source = pytorch_source(model);
    if (!source.ok()) {
      EXPECT_EQ(source.rejection().reason(), Reason::UnsupportedOperator);
      refused.push_back(source.rejection().message());
      continue;
    }
    std::vector<Tensor> inputs = given.inputs;
    inputs.resize(std::min(inputs.size(), given.first_weight), Tensor::scalar<float>(0));
    check.add(model, inputs);
  }
  EXPECT_GT(check.count(), 200);
  EXPECT_LT(std::ssize(refused), check.count() / 10) << refused.front();
  check.run();
}

}  // namespace
}  // namespace cambium::model
