#include "lower/lower.h"

#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/thread_seconds_testing.h"
#include "lower/lower_testing.h"
#include "lower/operator_cases.h"
#include "model/builder.h"
#include "model/composite.h"
#include "model/reference/execute.h"
#include "program/text.h"

namespace cambium::lower {
namespace {

using model::Value;

void expect_as_reference(const OperatorCase& given, const model::Model& model,
                         const Layouts& layouts, const std::string& how) {
  const auto expected = model::execute(given.op, given.inputs);
  ASSERT_TRUE(expected.ok()) << expected.rejection().message();
  const std::vector<model::NodeId> nodes = computing_nodes(model);
  Values values;
  for (std::size_t i = 0; i < model.inputs().size(); ++i) {
    values.emplace(Value{model.inputs()[i], 0}, given.inputs[i]);
  }
  const Status done = run_group(model, nodes, layouts, values);
  ASSERT_TRUE(done.ok()) << given.name << ", " << how << ": " << done.rejection().message();
  for (std::uint32_t slot = 0; slot < expected->size(); ++slot) {
    EXPECT_LE(disagreement(values.at({nodes.back(), slot}), expected->at(slot)), 1)
        << given.name << ", " << how << ", result " << slot;
  }
}

// One test per operator: a process for each case would cost more than the cases.
class LowerOperator : public testing::TestWithParam<std::string> {};

TEST_P(LowerOperator, ComputesWhatTheReferenceDoesInEveryLayout) {
  int count = 0;
  for (const OperatorCase& given : operator_cases()) {
    if (model::kind_of(given.op) != GetParam()) continue;
    const model::Model model = model_of(given);
    expect_as_reference(given, model, {}, "as it is");
    expect_as_reference(given, model, channels_last_layouts(model), "channels last");
    Rng rng(1);
    for (int i = 0; i < 2; ++i) {
      expect_as_reference(given, model, random_layouts(model, rng), "layout " + std::to_string(i));
    }
    ++count;
  }
  EXPECT_GT(count, 0) << "an operator without a case";
}

std::vector<std::string> operators() {
  std::vector<std::string> names;
#define CAMBIUM_X(op, name, fewest, most, outputs) \
  if (fewest > 0 && std::string_view(name) != "composite") names.push_back(name);
  CAMBIUM_FOR_EACH_OP(CAMBIUM_X)  // inputs and weights are parameters, composites are expanded
#undef CAMBIUM_X
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, LowerOperator, testing::ValuesIn(operators()),
                         [](const auto& test) { return test.param; });

TEST(LowerTest, RefusesValuesWithoutElements) {
  model::Builder builder("empty");
  const Value x = builder.input("x", {DType::F32, {0, 3}});
  builder.output("y", builder.add(model::Reduce{model::ReduceFn::Sum, {0}, true}, {x}, "total"));
  const model::Model model = std::move(builder).finish().value();
  program::Context cx;
  const auto lowered = lower(cx, model, computing_nodes(model));
  ASSERT_FALSE(lowered.ok());
  EXPECT_EQ(lowered.rejection().reason(), Reason::NotLowered);
  EXPECT_EQ(lowered.rejection().message(),
            "node 'total': reduce_sum cannot be lowered: f32[0, 3] has no elements");
}

TEST(LowerTest, RefusesACompositeThatWasNotExpanded) {
  model::Builder body("body"), builder("m");
  body.output("y", body.add(model::Unary{}, {body.input("x", {DType::F32, {2}})}));
  const auto composite = model::composite_of("test", "", std::move(body).finish().value());
  builder.output("y", builder.add(composite.value(), {builder.input("x", {DType::F32, {2}})}));
  const model::Model model = std::move(builder).finish().value();
  program::Context cx;
  const auto lowered = lower(cx, model, computing_nodes(model));
  ASSERT_FALSE(lowered.ok());
  EXPECT_EQ(lowered.rejection().reason(), Reason::NotLowered);
}

TEST(LowerTest, RefusesAGroupThatComputesNothing) {
  model::Builder builder("empty");
  builder.output("y", builder.input("x", {DType::F32, {3}}));
  const model::Model model = std::move(builder).finish().value();
  program::Context cx;
  const auto lowered = lower(cx, model, model.inputs());
  ASSERT_FALSE(lowered.ok());
  EXPECT_EQ(lowered.rejection().reason(), Reason::NotLowered);
}

// What the blocks compute, without loops and declarations.
std::vector<std::string> formulas(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(' '));
    const bool computes = line.find("= ") != std::string::npos && line.rfind("block ", 0) != 0;
    if (computes) found.push_back(line);
  }
  return found;
}

std::vector<std::string> formulas_of(model::Op op, const model::Ints& x, const model::Ints& w,
                                     const Order& order = {}) {
  const OperatorCase given{
      "y", std::move(op), {random_tensor(DType::F32, x, 1), random_tensor(DType::F32, w, 2)}, 1};
  const model::Model model = model_of(given);
  Layouts layouts;
  for (const model::NodePtr& node : model.nodes()) {
    if (node->as<model::Weight>() == nullptr) layouts.set({node->id, 0}, order);
  }
  program::Context cx;
  const auto lowered = lower(cx, model, computing_nodes(model), layouts);
  EXPECT_TRUE(lowered.ok()) << lowered.rejection().message();
  return formulas(program::to_text(cx, lowered->program));
}

using Lines = std::vector<std::string>;

TEST(LowerTest, AGroupIsOneProgramWhoseInnerValuesAreLocals) {
  model::Builder builder("group");
  const Value x = builder.input("x", {DType::F32, {1, 2, 4, 4}});
  const Value w = builder.weight("w", random_tensor(DType::F32, {3, 2, 3, 3}, 1));
  const Value b = builder.weight("b", random_tensor(DType::F32, {3}, 2));
  const Value c = builder.add(model::Conv{{1, 1}, {1, 1, 1, 1}, {1, 1}, 1}, {x, w, b}, "conv/1");
  const Value r = builder.add(model::Unary{model::UnaryFn::Relu}, {c}, "relu");
  builder.output("s", builder.add(model::Unary{model::UnaryFn::Tanh}, {r}, "tanh"));
  const model::Model model = std::move(builder).finish().value();
  Layouts layouts;
  for (const Value value : {x, c, r}) layouts.set(value, channels_last(4));
  program::Context cx;
  const std::vector<model::NodeId> group{c.node, r.node};
  const auto lowered = lower(cx, model, group, layouts);
  ASSERT_TRUE(lowered.ok()) << lowered.rejection().message();
  EXPECT_EQ(lowered->arguments, (std::vector<Value>{x, w, b}));
  EXPECT_EQ(lowered->results, (std::vector<Value>{r}));
  EXPECT_EQ(
      formulas(program::to_text(cx, lowered->program)),
      (Lines{
          "conv_1.pad[i, k, l, j] = select([0 <= k - 1 && k - 1 < 4 && 0 <= l - 1 && l - 1 < 4], "
          "x[i, k - 1, l - 1, j], 0.0)",
          "conv_1.acc[n, oh, ow, oc] += conv_1.pad[n, oh + kh, ow + kw, ic] * "
          "w[oc, ic, kh, kw] init 0.0",
          "conv_1[i, k, l, j] = conv_1.acc[i, k, l, j] + b[j]",
          "relu[i, k, l, j] = max(0.0, conv_1[i, k, l, j])"}));
}

TEST(LowerTest, GroupsOfChannelsAreAnIteratorOnlyWhereTheyShareFilters) {
  const model::Ints none{0, 0, 0, 0}, one{1, 1};
  EXPECT_EQ(formulas_of(model::Conv{{2, 2}, none, one, 2}, {1, 4, 5, 5}, {6, 2, 3, 3}),
            (Lines{"y[n, 3*g + oc, oh, ow] += x0[n, 2*g + ic, 2*oh + kh, 2*ow + kw] * "
                   "x1[3*g + oc, ic, kh, kw] init 0.0"}));
  EXPECT_EQ(formulas_of(model::Conv{one, none, one, 4}, {1, 4, 5, 5}, {4, 1, 3, 3}),
            (Lines{"y[n, c, oh, ow] += x0[n, c, oh + kh, ow + kw] * x1[c, 0, kh, kw] init 0.0"}));
}

TEST(LowerTest, TransposedConvolutionsMultiplyNoZeros) {
  // Stride 2 and kernel 4: every output sees two taps, and none is asked whether it is there.
  const Lines found =
      formulas_of(model::ConvTranspose{{2}, {1, 1}, {1}, {0}, 1}, {1, 2, 5}, {2, 3, 4});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1],
            "y[n, oc, 2*ow + pw] += y.pad[n, ic, ow + 1 + (pw + 1)/2 - kw] * "
            "x1[ic, oc, (pw + 1) % 2 + 2*kw] init 0.0");
}

TEST(LowerTest, TransposedConvolutionsOfFewChannelsMultiplyElementsWhereTheyAre) {
  const model::ConvTranspose op{{2, 2}, {1, 1, 1, 1}, {1, 1}, {0, 0}, 1};
  const Lines found = formulas_of(op, {1, 8, 5, 5}, {8, 3, 4, 4}, channels_last(4));
  ASSERT_EQ(found.size(), 4u) << "weights, products, sums of taps, and where these go";
  EXPECT_EQ(found[1], "y.products[i, k, l, j] += x0[i, k, l, ic] * y.matrix[ic, j] init 0.0");
  EXPECT_EQ(found[2].substr(0, found[2].find(" +=")), "y.phases[i, k, l, m, n, j]");
}

double seconds_to_lower_concat(std::size_t parts) {
  model::Builder b("concat");
  const Value x = b.input("x", {DType::F32, {1, 2}});
  const Value y = b.add(model::Concat{1}, std::vector<Value>(parts, x));
  b.output("y", y);
  const auto model = std::move(b).finish();
  EXPECT_TRUE(model.ok());
  return seconds_of([&] {
    program::Context cx;
    EXPECT_TRUE(lower(cx, *model, computing_nodes(*model)).ok());
  });
}

TEST(Lower, OfAConcatTakesATimeThatGrowsAsItsPartsDo) {
  // 16 times as many parts: 16 times as long, or 256 times where each looks at those before it.
  EXPECT_LT(seconds_to_lower_concat(8000), 80 * seconds_to_lower_concat(500));
}

}  // namespace
}  // namespace cambium::lower
