// Every operator through libtorch: forward against the reference executor, gradients against finite
// differences of the reference executor in f64, on the cases that lowering is tried on.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/random.h"
#include "lower/lower_testing.h"
#include "lower/operator_cases.h"
#include "model/builder.h"
#include "model/reference/execute.h"
#include "train/torch/network_testing.h"

namespace cambium::train {
namespace {

using lower::OperatorCase;
using model::Tensor;

// Where libtorch means something else, or has nothing, and no network that is trained cares.
const std::map<std::string, std::string> kDiffers{
    {"argmin_nan", "libtorch takes a NaN for the extremum"},
    {"argmin_last_nan", "libtorch takes a NaN for the extremum"},
    {"argmax_nan", "libtorch takes a NaN for the extremum"},
    {"argmax_last_nan", "libtorch takes a NaN for the extremum"},
    {"hard_sigmoid_edges", "of a NaN: NaN, where the reference has 1"},
};

std::vector<Tensor> given_inputs(const OperatorCase& given) {
  const std::size_t count = std::min(given.first_weight, given.inputs.size());
  return {given.inputs.begin(), given.inputs.begin() + static_cast<std::ptrdiff_t>(count)};
}

void expect_equals_reference(const OperatorCase& given) {
  SCOPED_TRACE(given.name);
  const model::Model model = lower::model_of(given);
  const std::vector<Tensor> inputs = given_inputs(given);
  const auto want = execute(model, inputs);
  ASSERT_TRUE(want.ok()) << want.rejection().message();
  for (const bool channels_last : {false, true}) {
    RunOptions options;
    options.channels_last = channels_last;
    const auto have = run_network(model, inputs, options);
    if (!have.ok()) {
      const Reason reason = have.rejection().reason();
      EXPECT_TRUE(reason == Reason::UnsupportedType || reason == Reason::UnsupportedOperator)
          << have.rejection().message();
      return;
    }
    for (std::size_t i = 0; i < want->size(); ++i) {
      EXPECT_LE(lower::disagreement(have->outputs[i], (*want)[i]), 4) << "output " << i;
    }
  }
}

// The same operator over f64, all of its operands inputs; nothing if it has none that is floating.
struct Smooth {
  model::Model model;
  std::vector<Tensor> inputs;
};

std::optional<Smooth> smooth_form(const OperatorCase& given) {
  OperatorCase wide = given;
  wide.first_weight = 99;
  bool floating = false;
  for (Tensor& input : wide.inputs) {
    if (!is_floating(input.dtype())) continue;
    floating = true;
    input = Tensor::of<double>(input.dims(), input.to_doubles());
    for (const double element : input.to_doubles()) {
      if (!std::isfinite(element)) return std::nullopt;
    }
  }
  if (const auto* cast = std::get_if<model::Cast>(&wide.op)) {
    if (!is_floating(cast->to)) return std::nullopt;
    wide.op = model::Cast{DType::F64};
  }
  if (!floating) return std::nullopt;
  return Smooth{lower::model_of(wide), wide.inputs};
}

double weighted_sum(const model::Model& model, const std::vector<Tensor>& inputs,
                    const std::vector<Tensor>& factors) {
  const auto outputs = execute(model, inputs).value();
  double sum = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!is_floating(outputs[i].dtype())) continue;
    const auto values = outputs[i].to_doubles(), weights = factors[i].to_doubles();
    for (std::size_t j = 0; j < values.size(); ++j) {
      if (values[j] != 0 || weights[j] != 0) sum += values[j] * weights[j];
    }
  }
  return sum;
}

std::vector<Tensor> random_factors(const model::Model& model) {
  std::vector<Tensor> factors;
  for (const model::Output& output : model.outputs()) {
    const model::TensorType& type = model.type(output.value);
    factors.push_back(lower::random_tensor(DType::F64, type.dims, 77 + factors.size()));
  }
  return factors;
}

Tensor moved(const Tensor& tensor, std::size_t at, double by) {
  std::vector<double> elements = tensor.to_doubles();
  elements[at] += by;
  return Tensor::of<double>(tensor.dims(), elements);
}

// Elements that were compared: those where the slopes to both sides agree.
int expect_gradients(const OperatorCase& given) {
  SCOPED_TRACE(given.name);
  const auto smooth = smooth_form(given);
  if (!smooth) return 0;
  const std::vector<Tensor> factors = random_factors(smooth->model);
  const double here = weighted_sum(smooth->model, smooth->inputs, factors);
  if (!std::isfinite(here)) return 0;
  const auto gradients = input_gradients(smooth->model, smooth->inputs, factors);
  if (!gradients.ok()) return 0;
  Rng rng(5);
  int compared = 0;
  for (std::size_t i = 0; i < smooth->inputs.size(); ++i) {
    if (!is_floating(smooth->inputs[i].dtype()) || smooth->inputs[i].elements() == 0) continue;
    const std::vector<double> have = (*gradients)[i].to_doubles();
    for (int sample = 0; sample < 6; ++sample) {
      const std::size_t at = rng.below(have.size());
      constexpr double kStep = 1e-5;
      std::vector<Tensor> inputs = smooth->inputs;
      inputs[i] = moved(smooth->inputs[i], at, kStep);
      const double above = weighted_sum(smooth->model, inputs, factors);
      inputs[i] = moved(smooth->inputs[i], at, -kStep);
      const double below = weighted_sum(smooth->model, inputs, factors);
      const double right = (above - here) / kStep, left = (here - below) / kStep;
      const double size = std::max({1.0, std::fabs(here), std::fabs(right), std::fabs(left)});
      if (!std::isfinite(right) || !std::isfinite(left) || std::fabs(right - left) > 1e-2 * size) {
        continue;
      }
      ++compared;
      EXPECT_NEAR(have[at], (right + left) / 2, 1e-5 * size) << "input " << i << " element " << at;
    }
  }
  return compared;
}

std::set<std::string> operators() {
  std::set<std::string> names;
  for (const OperatorCase& given : lower::operator_cases()) names.emplace(kind_of(given.op));
  return names;
}

class TorchOperator : public testing::TestWithParam<std::string> {};

TEST_P(TorchOperator, EqualsTheReference) {
  for (const OperatorCase& given : lower::operator_cases()) {
    if (kind_of(given.op) != GetParam() || kDiffers.contains(given.name)) continue;
    expect_equals_reference(given);
  }
}

TEST_P(TorchOperator, HasTheGradientThatDifferencesShow) {
  int compared = 0;
  for (const OperatorCase& given : lower::operator_cases()) {
    if (kind_of(given.op) == GetParam()) compared += expect_gradients(given);
  }
  if (GetParam() != "arg_reduce") {
    EXPECT_GT(compared, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(All, TorchOperator, testing::ValuesIn(operators()),
                         [](const auto& test) { return test.param; });

TEST(TorchOperators, AreAllOfTheModel) {
  std::set<std::string> all;
#define CAMBIUM_X(op, name, fewest, most, outputs) all.insert(name);
  CAMBIUM_FOR_EACH_OP(CAMBIUM_X)
#undef CAMBIUM_X
  all.erase("input");
  all.erase("weight");
  all.erase("composite");  // runs as the operators of its body
  EXPECT_EQ(operators(), all);
}

}  // namespace
}  // namespace cambium::train
