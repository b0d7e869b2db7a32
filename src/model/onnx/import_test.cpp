#include "model/onnx/import.h"

#include <gtest/gtest.h>

#include "model/onnx/document_testing.h"
#include "model/reference/execute.h"

namespace cambium::model::onnx_io {
namespace {

Graph relu_graph(const std::vector<Dim>& dims) {
  return {"", {node("Relu", {"x"}, {"y"})}, {}, {info("x", dims)}, {output("y")}};
}

std::string refused(const Result<Imported>& result, Reason reason) {
  if (result.ok()) return "was not refused";
  EXPECT_EQ(result.rejection().reason(), reason) << result.rejection().message();
  return result.rejection().message();
}

std::string refused(const Graph& graph, Reason reason, std::int64_t opset = 17) {
  return refused(imported(document(opset, graph)), reason);
}

TEST(Import, SaysAloudThatAFreeLeadingDimensionIsOne) {
  const auto result = imported(document(17, relu_graph({{{}, "N"}, {3, ""}})));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->notes,
            std::vector<std::string>{"N = 1 (a free leading dimension; --bind N=N changes it)"});
  EXPECT_EQ(result->model.node(result->model.inputs()[0]).outputs[0].dims, (Ints{1, 3}));
}

TEST(Import, CallsAnUnnamedLeadingDimensionBatch) {
  ImportOptions options;
  options.bind = {{"batch", 5}};
  const auto result = imported(document(17, relu_graph({{{}, ""}, {3, ""}})), options);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->notes.empty());
  EXPECT_EQ(result->model.node(result->model.inputs()[0]).outputs[0].dims, (Ints{5, 3}));
}

TEST(Import, NamesTheDimensionTheInputAndTheOptionOfAFreeDimension) {
  EXPECT_EQ(refused(relu_graph({{1, ""}, {{}, "length"}}), Reason::UnboundDimension),
            "dimension 'length' of input 'x' is free; fix it with --bind length=N");
  EXPECT_EQ(refused(relu_graph({{1, ""}, {{}, ""}}), Reason::UnboundDimension),
            "dimension 'x.1' of input 'x' is free; fix it with --bind x.1=N");
}

TEST(Import, SuggestsANameForABindingThatNoInputHas) {
  ImportOptions options;
  options.bind = {{"lenght", 5}};
  const auto result = imported(document(17, relu_graph({{1, ""}, {{}, "length"}})), options);
  EXPECT_EQ(
      refused(result, Reason::UnknownBinding),
      "--bind lenght: the model has no free dimension with this name; did you mean 'length'?");
  options.bind = {{"length", 0}};
  refused(imported(document(17, relu_graph({{1, ""}, {{}, "length"}})), options),
          Reason::SizeNotPositive);
}

TEST(Import, FoldsTheShapeArithmeticThatPytorchExports) {
  Graph graph{
      "",
      {node("Shape", {"x"}, {"shape"}), node("Gather", {"shape", "zero"}, {"n"}),
       node("Unsqueeze", {"n", "axes"}, {"n1"}),
       node("Concat", {"n1", "rest"}, {"target"}, {{"axis", std::int64_t{0}}}),
       node("Reshape", {"x", "target"}, {"y"})},
      {{"zero", Tensor::scalar<std::int64_t>(0), {}}, ints("axes", {0}), ints("rest", {-1})},
      {info("x", {{{}, "N"}, {3, ""}, {4, ""}})},
      {output("y")}};
  ImportOptions options;
  options.bind = {{"N", 2}};
  const auto result = imported(document(17, graph), options);
  ASSERT_TRUE(result.ok()) << result.rejection().message();
  EXPECT_EQ(result->model.nodes().size(), 2u);  // the input and the reshape
  EXPECT_EQ(result->model.type(result->model.outputs()[0].value).dims, (Ints{2, 12}));
}

TEST(Import, RefusesAShapeThatDependsOnAnInputAndTakesItAsAConstant) {
  const Graph graph{"",
                    {node("Reshape", {"x", "shape"}, {"y"})},
                    {},
                    {fixed("x", {2, 3}), fixed("shape", {1}, DType::I64)},
                    {output("y")}};
  EXPECT_EQ(refused(graph, Reason::NotConstant),
            "node 'the_Reshape' (Reshape): input 'shape' (shape) must be constant, but it depends "
            "on 'shape'");
  ImportOptions options;
  options.constants.emplace("shape", Tensor::of<std::int64_t>({1}, {6}));
  const auto result = imported(document(17, graph), options);
  ASSERT_TRUE(result.ok()) << result.rejection().message();
  EXPECT_EQ(result->model.inputs().size(), 1u);
  options.constants.emplace("sharp", Tensor::of<std::int64_t>({1}, {6}));
  refused(imported(document(17, graph), options), Reason::UnknownConstant);
}

TEST(Import, NormalizesAllAxesFromTheGivenOneBeforeOpset13) {
  const Graph graph{"",
                    {node("Softmax", {"x"}, {"y"}, {{"axis", std::int64_t{1}}})},
                    {},
                    {fixed("x", {1, 2, 2})},
                    {output("y")}};
  const std::vector<Tensor> x = {Tensor::of<float>({1, 2, 2}, {0, 0, 0, 0})};
  for (const auto& [opset, each] : {std::pair{12, 0.25F}, std::pair{13, 0.5F}}) {
    const auto result = imported(document(opset, graph));
    ASSERT_TRUE(result.ok()) << result.rejection().message();
    const auto y = execute(result->model, x);
    ASSERT_TRUE(y.ok());
    EXPECT_FLOAT_EQ((*y)[0].as<float>()[3], each) << "opset " << opset;
  }
}

TEST(Import, InlinesTheBranchOfAnIfWhoseConditionIsKnown) {
  const auto branch = [](const char* type) {
    return std::make_shared<const Graph>(
        Graph{"branch", {node(type, {"x"}, {"inner"})}, {}, {}, {output("inner")}});
  };
  const auto graph = [&](bool condition) {
    return Graph{"",
                 {node("If", {"c"}, {"y"},
                       {{"then_branch", branch("Relu")}, {"else_branch", branch("Tanh")}})},
                 {{"c", Tensor::scalar<bool>(condition), {}}},
                 {fixed("x", {2})},
                 {output("y")}};
  };
  for (const bool condition : {false, true}) {
    const auto result = imported(document(13, graph(condition)));
    ASSERT_TRUE(result.ok()) << result.rejection().message();
    EXPECT_EQ(count_of(result->model, condition ? "relu" : "tanh"), 1);
    EXPECT_EQ(result->model.nodes().size(), 2u);
  }
}

TEST(Import, SortsNodesThatAreMerelyUnordered) {
  const Graph graph{"",
                    {node("Tanh", {"m"}, {"y"}), node("Relu", {"x"}, {"m"})},
                    {},
                    {fixed("x", {2})},
                    {output("y")}};
  const auto result = imported(document(17, graph));
  ASSERT_TRUE(result.ok()) << result.rejection().message();
  EXPECT_EQ(result->model.nodes().size(), 3u);
}

TEST(Import, KeepsGoingPastADeadNodeThatItDoesNotKnow) {
  const Graph graph{"",
                    {node("Relu", {"x"}, {"y"}), node("NoSuchThing", {"x"}, {"unused"})},
                    {},
                    {fixed("x", {2})},
                    {output("y")}};
  EXPECT_TRUE(imported(document(17, graph)).ok());
}

TEST(Import, NotesAnOutputThatIsNotWhatTheFileDeclares) {
  Graph graph = relu_graph({{2, ""}});
  graph.outputs = {fixed("y", {3})};
  const auto result = imported(document(17, graph));
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->notes.size(), 1u);
  EXPECT_EQ(result->notes[0], "output 'y' is f32[2], but the file declares another type");
}

TEST(Import, KeepsOneWeightWhereTwoNodesShareIt) {
  const Graph graph{"",
                    {node("Add", {"x", "w"}, {"a"}), node("Mul", {"a", "w"}, {"y"})},
                    {{"w", Tensor::of<float>({2}, {1, 2}), {}}},
                    {fixed("x", {2})},
                    {output("y")}};
  const auto result = imported(document(17, graph));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(count_of(result->model, "weight"), 1);
}

}  // namespace
}  // namespace cambium::model::onnx_io
