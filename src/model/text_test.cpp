#include "model/text.h"

#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/thread_seconds_testing.h"
#include "model/builder.h"
#include "model/fingerprint.h"

namespace cambium::model {
namespace {

constexpr const char* kTiny = R"(cambium model 1 "tiny"
block @0 "layer1.0" "basic"
%0 "x" = input : f32[1, 1, 8, 8]
%1 "conv1.weight" = weight normal(0.1, 7) : f32[4, 1, 3, 3]
%2 "conv1.bias" = weight [0, 0.5, -1.25, 1e-05] : f32[4]
%3 "conv1" = conv(%0, %1, %2) {strides = [1, 1], pads = [1, 1, 1, 1], dilations = [1, 1], groups = 1} : f32[1, 4, 8, 8] @0
%4 "relu" = unary.relu(%3) : f32[1, 4, 8, 8] @0
%5 "halves" = split(%4) {axis = 1, sizes = [2, 2]} : f32[1, 2, 8, 8], f32[1, 2, 8, 8]
%6 "sum" = binary.add(%5, %5.1) : f32[1, 2, 8, 8]
output "y" = %6
)";

std::string refusal_of(std::string_view text) {
  const auto model = parse_text(text);
  return model.ok() ? "accepted" : model.rejection().message();
}

// `kTiny` with one piece of it replaced.
std::string tiny_with(std::string_view old, std::string_view fresh) {
  std::string text = kTiny;
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), fresh);
}

TEST(ModelText, ReadsBackExactlyWhatItPrints) {
  const auto model = parse_text(kTiny);
  ASSERT_TRUE(model.ok()) << model.rejection().message();
  EXPECT_EQ(to_text(*model), kTiny);
  ASSERT_EQ(model->blocks().size(), 1u);
  EXPECT_EQ(model->blocks()[0], (Block{"layer1.0", "basic"}));
}

TEST(ModelText, IgnoresCommentsAndLayout) {
  const auto model = parse_text(tiny_with("%4 \"relu\" =", "# the only one\n  %4 \"relu\"\n="));
  ASSERT_TRUE(model.ok()) << model.rejection().message();
  EXPECT_EQ(to_text(*model), kTiny);
}

TEST(ModelText, KeepsEveryBitOfEveryElementType) {
  const double kInfinity = std::numeric_limits<double>::infinity();
  const double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values = {0.1, -0.0, 1e-45, kInfinity, -kInfinity, 3, 1.0 / 3, 65504};
  Builder b("types");
  const Value x = b.input("x", {DType::F32, {2}});
  b.output("x", x);
  int count = 0;
#define CAMBIUM_X(enumerator, name, type)                                               \
  {                                                                                     \
    std::vector<type> elements;                                                         \
    for (const double value : values) {                                                 \
      const bool fits = is_floating(DType::enumerator) || std::abs(value) < 100;        \
      elements.push_back(static_cast<type>(fits ? std::abs(value) : 1.0));              \
      if (is_floating(DType::enumerator)) elements.back() = static_cast<type>(value);   \
    }                                                                                   \
    std::vector<std::byte> bytes(elements.size() * sizeof(type));                       \
    for (std::size_t i = 0; i < elements.size(); ++i) {                                 \
      reinterpret_cast<type*>(bytes.data())[i] = elements[i];                           \
    }                                                                                   \
    b.output(name, b.weight(name, Tensor({DType::enumerator, {8}}, std::move(bytes)))); \
    ++count;                                                                            \
  }
  CAMBIUM_FOR_EACH_DTYPE(CAMBIUM_X)
#undef CAMBIUM_X
  b.output("nan", b.weight("nan", Tensor::of<double>({2}, {kNan, -kNan})));
  b.output("many", b.weight("many", Tensor::of<float>({100}, std::vector<float>(100, 0.1f))));
  b.output("none", b.weight("none", Tensor::of<float>({0, 3}, {})));
  b.output("clip", b.add(Activation{ActivationFn::Clip, -kInfinity, 0.1}, {x}));
  const Model model = std::move(b).finish().value();
  EXPECT_EQ(count, 13);
  const auto again = parse_text(to_text(model));
  ASSERT_TRUE(again.ok()) << again.rejection().message();
  EXPECT_EQ(content_of(*again), content_of(model));
  EXPECT_EQ(to_text(*again), to_text(model));
}

TEST(ModelText, KeepsAwkwardNames) {
  Builder b("quote \" backslash \\ line\nbell\a \xc3\xa9");
  b.output("", b.input("%0 = \"", {DType::F32, {}}));
  const Model model = std::move(b).finish().value();
  const auto again = parse_text(to_text(model));
  ASSERT_TRUE(again.ok()) << again.rejection().message();
  EXPECT_EQ(again->name(), model.name());
  EXPECT_EQ(again->nodes()[0]->name, "%0 = \"");
}

TEST(ModelText, RefusesATextWhoseWeightsWereLeftOut) {
  Builder b("m");
  b.output("w", b.weight("w", Tensor::of<float>({100}, std::vector<float>(100, 0.1f))));
  const std::string text = to_text(std::move(b).finish().value(), {.elide_weights = true});
  EXPECT_NE(text.find("weight ... : f32[100]"), std::string::npos);
  EXPECT_EQ(refusal_of(text),
            "line 2, column 17: expected the elements of the weight (the printer left them out), "
            "found '...'");
}

TEST(ModelText, NamesLineColumnExpectedAndFound) {
  EXPECT_EQ(refusal_of(""), "line 1, column 1: expected 'cambium', found the end");
  EXPECT_EQ(refusal_of("cambium model 2 \"x\""), "line 1, column 15: expected '1', found '2'");
  EXPECT_EQ(refusal_of(tiny_with("unary.relu", "unary.rleu")),
            "line 7, column 13: expected an operator, found 'unary.rleu'");
  EXPECT_EQ(refusal_of(tiny_with("unary.relu", "unary")),
            "line 7, column 13: expected an operator, found 'unary'");
  EXPECT_EQ(refusal_of(tiny_with("groups = 1", "group = 1")),
            "line 6, column 91: expected 'groups', found 'group'");
  EXPECT_EQ(refusal_of(tiny_with("[0, 0.5, -1.25, 1e-05]", "[0, 0.5]")),
            "line 5, column 26: expected 4 elements, found '['");
  EXPECT_EQ(refusal_of(tiny_with("-1.25", "1.2.5")),
            "line 5, column 35: expected a number of type f32, found '1.2.5'");
  EXPECT_EQ(refusal_of(tiny_with("@0\n%4", "@1\n%4")),
            "line 6, column 122: expected the number of a block above, found '1'");
  EXPECT_EQ(refusal_of(tiny_with("output", "outptu")),
            "line 10, column 1: expected '%', 'block' or 'output', found 'outptu'");
}

TEST(ModelText, RefusesWhatIsDeclaredTwiceOrNotAtAll) {
  EXPECT_EQ(refusal_of(tiny_with("%5.1", "%5.2")), "line 9: '%5.2' is not declared");
  EXPECT_EQ(refusal_of(tiny_with("(%5,", "(%6,")), "line 9: '%6' is not declared");
  EXPECT_EQ(refusal_of(tiny_with("\"sum\"", "\"relu\"")), "line 9: 'relu' is already declared");
  EXPECT_EQ(refusal_of(tiny_with("%6 \"sum\"", "%4 \"sum\"")), "line 9: '%4' is already declared");
  EXPECT_EQ(refusal_of(std::string(kTiny) + "output \"y\" = %4"),
            "line 11: 'y' is already declared");
}

TEST(ModelText, RefusesWhatCannotBeTypedWithTheLine) {
  EXPECT_EQ(refusal_of(tiny_with("%6 \"sum\" = binary.add(%5, %5.1) : f32[1, 2, 8, 8]",
                                 "%6 \"sum\" = binary.add(%5, %5.1) : f32[1, 2, 8, 9]")),
            "line 9, column 35: expected f32[1, 2, 8, 8] (node 'sum' makes it), found 'f32'");
  const std::string mismatch = refusal_of(tiny_with("sizes = [2, 2]", "sizes = [2, 3]"));
  EXPECT_EQ(mismatch.rfind("line 8: node 'halves' (split): ", 0), 0u) << mismatch;
  EXPECT_EQ(refusal_of(tiny_with("f32[4, 1, 3, 3]", "f32[4, 1, 3, -3]")),
            "line 4: a dimension is -3; it must not be negative");
  EXPECT_EQ(refusal_of("cambium model 1 \"m\""), "model 'm' has no output");
}

TEST(ModelText, RefusesWeightsThatAreNotWhatTheirTypeSays) {
  const auto weight = [](const std::string& value_and_type) {
    return refusal_of("cambium model 1 \"m\" %0 \"w\" = weight " + value_and_type +
                      " output \"w\" = %0");
  };
  EXPECT_EQ(weight("constant(300) : f32[2]"), "accepted");
  EXPECT_EQ(weight("constant(-128) : i8[2]"), "accepted");
  EXPECT_EQ(weight("constant(300) : i8[2]"),
            "line 1, column 37: expected a rule that fills i8, found 'constant'");
  EXPECT_EQ(weight("constant(nan) : i64[2]"),
            "line 1, column 37: expected a rule that fills i64, found 'constant'");
  EXPECT_EQ(weight("normal(1, 2) : u8[2]"),
            "line 1, column 37: expected a rule that fills u8, found 'normal'");
  EXPECT_EQ(weight("[1, 256] : u8[2]"),
            "line 1, column 41: expected a number of type u8, found '256'");
  EXPECT_EQ(weight("\"Ag==\" : bool[1]"),
            "line 1, column 37: expected base64 of bytes that are 0 or 1, found '\"Ag==\"'");
  EXPECT_EQ(weight("\"Ag=\" : u8[1]").rfind("line 1, column 37: expected base64, found ", 0), 0u);
  EXPECT_EQ(weight("\"Ag==\" : u8[2]").rfind("line 1, column 37: expected base64 of 2 bytes", 0),
            0u);
}

// golden/operators.cambium has one of each; the fuzzer starts from it too.
TEST(ModelText, PrintsAndReadsEveryOperator) {
  const auto text = read_file(CAMBIUM_MODEL_GOLDEN "/operators.cambium");
  ASSERT_TRUE(text.ok()) << text.rejection().message();
  const auto model = parse_text(*text);
  ASSERT_TRUE(model.ok()) << model.rejection().message();
  EXPECT_EQ(to_text(*model), *text);
  std::set<std::string_view> kinds;
  for (const NodePtr& node : model->nodes()) kinds.insert(kind_of(node->op));
#define CAMBIUM_X(op, name, fewest, most, outputs) EXPECT_EQ(kinds.count(name), 1u) << name;
  CAMBIUM_FOR_EACH_OP(CAMBIUM_X)
#undef CAMBIUM_X
}

double seconds_to_parse(int nodes) {
  std::string text = "cambium model 1 \"chain\"\n%0 \"x\" = input : f32[8]\n";
  for (int i = 1; i <= nodes; ++i) {
    text += fmt::format("%{} \"n{}\" = unary.relu(%{}) : f32[8]\n", i, i, i - 1);
    text += fmt::format("output \"y{}\" = %{}\n", i, i);
  }
  return seconds_of([&] { EXPECT_TRUE(parse_text(text).ok()); });
}

TEST(ModelText, IsReadInATimeThatGrowsAsItsLinesDo) {
  // 16 times as many lines: 16 times as long, or 256 times where each counts those before it.
  EXPECT_LT(seconds_to_parse(16000), 80 * seconds_to_parse(1000));
}

}  // namespace
}  // namespace cambium::model
