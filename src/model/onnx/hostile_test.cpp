// Files that are broken or mean harm: one line that names the place and the rule, no crash, and no
// memory that the file did not bring along.
#include <filesystem>
#include <fstream>
#include <limits>

#include <gtest/gtest.h>

#include "base/scratch_folder_testing.h"
#include "model/onnx/decode.h"
#include "model/onnx/document_testing.h"

namespace cambium::model::onnx_io {
namespace {

namespace fs = std::filesystem;

std::string refusal(const Graph& graph, Reason reason, std::int64_t opset = 17) {
  const auto result = imported(document(opset, graph));
  if (result.ok()) return "was not refused";
  EXPECT_EQ(result.rejection().reason(), reason) << result.rejection().message();
  return result.rejection().message();
}

Graph one(NodeRecord record, std::vector<Initializer> initializers = {},
          const Ints& dims = {2, 3}) {
  const std::string last = record.outputs[0];
  return {"", {std::move(record)}, std::move(initializers), {fixed("x", dims)}, {output(last)}};
}

TEST(Hostile, RefusesWhatIsNotAModel) {
  for (const std::string& bytes : {std::string(), std::string("hello, world"),
                                   std::string(100, '\xff'), std::string("\x3a\x00", 2)}) {
    const auto result = import_onnx_bytes(bytes, "");
    ASSERT_FALSE(result.ok());
  }
}

TEST(Hostile, RefusesEveryTruncationOfAModelOrReadsAWholeOne) {
  const std::string bytes = bytes_of(document(
      17, one(node("Add", {"x", "w"}, {"y"}), {{"w", Tensor::of<float>({3}, {1, 2, 3}), {}}})));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(import_onnx_bytes(bytes.substr(0, length), "").ok()) << length;
  }
}

TEST(Hostile, NamesANodeOfACycle) {
  Graph graph{"",
              {node("Relu", {"b"}, {"a"}), node("Tanh", {"a"}, {"b"})},
              {},
              {fixed("x", {2})},
              {output("a")}};
  EXPECT_EQ(refusal(graph, Reason::Cycle), "the graph has a cycle through node 'the_Relu'");
}

TEST(Hostile, NamesValuesThatAreComputedNowhereOrTwice) {
  EXPECT_EQ(refusal(one(node("Relu", {"z"}, {"y"})), Reason::UndefinedValue),
            "node 'the_Relu' (Relu): the node reads 'z', which no node computes");
  EXPECT_EQ(refusal(one(node("Relu", {"x"}, {"x"})), Reason::DuplicateValue),
            "node 'the_Relu' (Relu): value 'x' is computed twice");
  Graph twice = one(node("Relu", {"x"}, {"y"}));
  twice.nodes.push_back(node("Tanh", {"x"}, {"y"}));
  refusal(twice, Reason::DuplicateValue);
  Graph missing = one(node("Relu", {"x"}, {"y"}));
  missing.outputs = {output("nothing")};
  refusal(missing, Reason::UndefinedValue);
}

TEST(Hostile, SaysWhichOperatorsAndVersionsItKnows) {
  EXPECT_EQ(
      refusal(one(node("NoSuchThing", {"x"}, {"y"})), Reason::UnsupportedOperator),
      "node 'the_NoSuchThing' (NoSuchThing): operator NoSuchThing is not supported (opset 17)");
  EXPECT_EQ(refusal(one(node("Gelu", {"x"}, {"y"})), Reason::UnsupportedVersion),
            "node 'the_Gelu' (Gelu): Gelu of opset 17 is not supported; opsets 20 to 21 are");
  EXPECT_EQ(refusal(one(node("Relu", {"x"}, {"y"})), Reason::UnsupportedOpset, 99),
            "opset 99 is not supported; opsets 1 to 21 are");
  NodeRecord foreign = node("FusedGemm", {"x"}, {"y"});
  foreign.domain = "com.example";
  EXPECT_EQ(refusal(one(foreign), Reason::UnsupportedOperator),
            "node 'the_FusedGemm' (FusedGemm): operator FusedGemm is not supported (domain "
            "com.example)");
}

TEST(Hostile, RefusesAttributesThatItDoesNotKnow) {
  EXPECT_EQ(refusal(one(node("Relu", {"x"}, {"y"}, {{"slope", 0.5F}})), Reason::BadAttribute),
            "node 'the_Relu' (Relu): attribute slope: is not known of Relu at opset 17");
  refusal(one(node("LeakyRelu", {"x"}, {"y"}, {{"alpha", std::int64_t{1}}})), Reason::BadAttribute);
}

TEST(Hostile, RefusesWrongInputCountsAndRanks) {
  refusal(one(node("Relu", {}, {"y"})), Reason::WrongInputCount);
  refusal(one(node("Relu", {"x", "x"}, {"y"})), Reason::WrongInputCount);
  refusal(one(node("Add", {"", "x"}, {"y"})), Reason::WrongInputCount);
  refusal(one(node("Conv", {"x", "x"}, {"y"})), Reason::ShapeMismatch);
  refusal(one(node("MatMul", {"x", "x"}, {"y"})), Reason::ShapeMismatch);
}

TEST(Hostile, RefusesElementTypesThatAModelCannotHave) {
  EXPECT_EQ(
      refusal(one(node("Cast", {"x"}, {"y"}, {{"to", std::int64_t{8}}})), Reason::UnsupportedType),
      "node 'the_Cast' (Cast): attribute 'to' is strings, which is not supported");
}

TEST(Hostile, RefusesNegativeAndHugeDimensions) {
  refusal(one(node("Relu", {"x"}, {"y"}), {}, {2, -3}), Reason::NegativeDimension);
  const std::int64_t huge = std::int64_t{1} << 40;
  refusal(one(node("Relu", {"x"}, {"y"}), {}, {huge, huge, huge}), Reason::TensorTooLarge);
  refusal(one(node("Expand", {"x", "s"}, {"y"}), {ints("s", {huge, huge, 2, 3})}),
          Reason::TensorTooLarge);
  refusal(one(node("Tile", {"x", "s"}, {"y"}), {ints("s", {huge, huge})}), Reason::TensorTooLarge);
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  refusal(one(node("Reshape", {"x", "s"}, {"y"}), {ints("s", {largest, largest, -1})}),
          Reason::ShapeMismatch);
  refusal(
      one(node("Range", {"a", "b", "c"}, {"y"}), {{"a", Tensor::scalar<std::int64_t>(0), {}},
                                                  {"b", Tensor::scalar<std::int64_t>(largest), {}},
                                                  {"c", Tensor::scalar<std::int64_t>(1), {}}}),
      Reason::ShapeMismatch);
}

TEST(Hostile, DoesNotMakeLargeConstantsThatTheFileDoesNotHold) {
  const std::int64_t large = std::int64_t{1} << 32;
  Graph graph = one(node("ConstantOfShape", {"s"}, {"c"}), {ints("s", {large, 4})});
  graph.nodes.push_back(node("Exp", {"c"}, {"y"}));
  graph.outputs = {output("y")};
  const auto result = imported(document(17, graph));
  ASSERT_TRUE(result.ok()) << result.rejection().message();
  EXPECT_EQ(count_of(result->model, "exp"), 1) << "was computed while reading";
}

TEST(Hostile, LimitsTheConstantsThatManyNodesMakeFromShapesAlone) {
  Graph graph = one(node("CumSum", {"x", "axis"}, {"v0"}),
                    {{"axis", Tensor::scalar<std::int64_t>(0), {}}}, {4096});
  for (int i = 0; i < 100; ++i) {
    graph.nodes.push_back(
        node("CumSum", {"v" + std::to_string(i), "axis"}, {"v" + std::to_string(i + 1)}));
  }
  graph.outputs = {output("v100")};
  refusal(graph, Reason::TooLarge);
  const std::int64_t large = std::int64_t{1} << 32;
  Tensor zero = Tensor::of<std::int64_t>({1}, {0});
  refusal(one(node("ConstantOfShape", {"s"}, {"c"}, {{"value", zero}}), {ints("s", {large})}),
          Reason::TooLarge);
}

TEST(Hostile, DoesNotSpendHoursOnConstantsWhileReading) {
  Graph graph{"", {}, {ints("s", {1000, 1000})}, {}, {}};
  graph.nodes = {node("ConstantOfShape", {"s"}, {"v0"})};
  for (int i = 0; i < 50; ++i) {
    graph.nodes.push_back(node("MatMul", {"v" + std::to_string(i), "v" + std::to_string(i)},
                               {"v" + std::to_string(i + 1)}));
  }
  graph.outputs = {output("v50")};
  const auto result = imported(document(17, graph));
  ASSERT_TRUE(result.ok()) << result.rejection().message();
  EXPECT_GT(count_of(result->model, "matmul"), 40);
}

TEST(Hostile, RefusesNamesThatAreNotUtf8) {
  EXPECT_EQ(refusal(one(node("Relu", {"x"}, {"y\xff"})), Reason::OnnxMalformed),
            "this is not a valid ONNX model: the name of an input or output is not UTF-8");
}

TEST(Hostile, RefusesNamesThatWouldNotFitOneLine) {
  EXPECT_EQ(refusal(one(node("Relu", {"x"}, {"a\nb"})), Reason::OnnxMalformed),
            "this is not a valid ONNX model: the name of an input or output contains a control "
            "character");
  refusal(one(node("Relu", {"x"}, {std::string(5000, 'y')})), Reason::OnnxMalformed);
}

TEST(Hostile, RefusesGraphsThatAreNestedTooDeeply) {
  Graph graph = one(node("Relu", {"x"}, {"y"}));
  for (int i = 0; i < 10; ++i) {
    graph = one(node("If", {"c"}, {"y"}, {{"then_branch", std::make_shared<const Graph>(graph)}}));
  }
  EXPECT_NE(refusal(graph, Reason::OnnxMalformed).find("graphs are nested too deeply"),
            std::string::npos);
}

TEST(Hostile, RefusesFunctionsOfTheModel) {
  Document with_function = document(17, one(node("MyLayer", {"x"}, {"y"})));
  with_function.functions = {"MyLayer"};
  const auto result = imported(with_function);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.rejection().message(),
            "node 'the_MyLayer' (MyLayer): operator MyLayer is not supported: it is a function of "
            "the model");
}

// A TensorProto, written byte by byte: dims, element type, raw data.
std::string tensor_bytes(const std::string& dims, char type, const std::string& raw) {
  return dims + '\x10' + type + '\x4a' + static_cast<char>(raw.size()) + raw;
}

TEST(Hostile, RefusesTensorsWhoseDataDoNotFillThem) {
  const std::string two = "\x08\x02";
  EXPECT_TRUE(decode_tensor(tensor_bytes(two, 1, std::string(8, '\0'))).ok());
  const auto wrong = decode_tensor(tensor_bytes(two, 1, std::string(7, '\0')));
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.rejection().message(), "tensor '': 7 bytes are given, f32[2] needs 8");
  EXPECT_EQ(wrong.rejection().reason(), Reason::BadTensorData);
  // 2^62 entries, and none of them there
  const std::string many = "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x40";
  const auto bomb = decode_tensor(tensor_bytes(many, 1, ""));
  ASSERT_FALSE(bomb.ok());
  EXPECT_EQ(bomb.rejection().reason(), Reason::TensorTooLarge);
  const auto strings = decode_tensor(tensor_bytes(two, 8, ""));
  ASSERT_FALSE(strings.ok());
  EXPECT_EQ(strings.rejection().message(), "tensor '' is of strings, which is not supported");
}

TEST(Hostile, ReadsOddBoolsAsTrue) {
  const auto read = decode_tensor(tensor_bytes("\x08\x02", 9, std::string("\x02\x00", 2)));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->to_ints(), (Ints{1, 0}));
}

class ExternalFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "model");
    write(folder_ / "secret", std::string(64, 's'));
    write(folder_ / "model/weights", std::string(64, '\0'));
    fs::create_symlink(folder_ / "secret", folder_ / "model/link");
  }

  static void write(const fs::path& file, const std::string& content) {
    std::ofstream(file, std::ios::binary) << content;
  }

  // The rule that an initializer of four floats at these places breaks; empty: none.
  std::string refused(const std::vector<ExternalRange>& ranges) const {
    Graph graph = one(node("Relu", {"x"}, {"y"}));
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      graph.initializers.push_back(
          {"w" + std::to_string(i), Tensor::of<float>({4}, {0, 0, 0, 0}), ranges[i]});
    }
    const auto result = import_onnx_bytes(bytes_of(document(17, graph)), folder_ / "model");
    if (result.ok()) return "";
    EXPECT_EQ(result.rejection().reason(), Reason::BadExternalData);
    return result.rejection().message();
  }

  ScratchFolder folder_;
};

TEST_F(ExternalFiles, AreReadFromTheFolderOfTheModel) {
  EXPECT_EQ(refused({{"weights", 0, 16}, {"weights", 16, 16}, {"weights", 0, 16}}), "");
}

TEST_F(ExternalFiles, MustNotLieElsewhere) {
  EXPECT_EQ(refused({{"../secret", 0, 16}}),
            "tensor 'w0': external data '../secret': the location must not contain '..'");
  EXPECT_EQ(refused({{folder_ / "secret", 0, 16}}).find("must be relative") == std::string::npos,
            false);
  EXPECT_EQ(refused({{"link", 0, 16}}),
            "tensor 'w0': external data 'link': it lies outside the model's folder");
  EXPECT_NE(refused({{"nothing", 0, 16}}), "");
  EXPECT_NE(refused({{".", 0, 16}}), "");
  EXPECT_NE(refused({{"", 0, 16}}), "");
}

TEST_F(ExternalFiles, MustHoldWhatIsReadFromThem) {
  EXPECT_NE(refused({{"weights", 56, 16}}), "");
  EXPECT_NE(refused({{"weights", 65, 16}}), "");
  EXPECT_NE(refused({{"weights", std::numeric_limits<std::int64_t>::max(), 16}}), "");
  EXPECT_NE(refused({{"weights", 0, std::numeric_limits<std::int64_t>::max()}}), "");
  EXPECT_NE(refused({{"weights", 0, 8}}), "");
}

TEST_F(ExternalFiles, MustNotBeReadOverAndOverThroughOverlaps) {
  std::vector<ExternalRange> ranges;
  for (int i = 0; i < 12; ++i) ranges.push_back({"weights", 4 * i, 16});
  EXPECT_EQ(refused(ranges), "tensor 'w4': external data 'weights': tensors overlap in it");
}

TEST(Hostile, RefusesExternalDataWithoutAFolder) {
  Graph graph = one(node("Relu", {"x"}, {"y"}));
  graph.initializers.push_back({"w", Tensor::of<float>({1}, {0}), ExternalRange{"weights", 0, 4}});
  refusal(graph, Reason::BadExternalData);
}

}  // namespace
}  // namespace cambium::model::onnx_io
