#include "trial/operators.h"

#include <gtest/gtest.h>

#include "model/cost.h"

namespace cambium::trial {
namespace {

model::Model model_of(std::string_view text) {
  auto made = parse_operator(text);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.rejection().message());
  return made->model;
}

TEST(Operators, EveryExampleIsAnOperator) {
  for (const OperatorForm& form : operator_forms()) {
    EXPECT_TRUE(looks_like_operator(form.example));
    EXPECT_TRUE(parse_operator(form.example).ok()) << form.example;
    EXPECT_FALSE(form.summary.empty()) << form.example;
  }
}

TEST(Operators, CountTheWorkThatTheirSizesSay) {
  EXPECT_EQ(cost_of(model_of("conv2d(1x256x14x14, 256, kernel 3, pad 1)")).macs,
            std::int64_t{256} * 256 * 9 * 14 * 14);
  EXPECT_EQ(cost_of(model_of("conv2d(1x8x9x9,16,kernel 3x1,stride 2,groups 4)")).macs,
            std::int64_t{16} * 2 * 3 * 4 * 5);
  EXPECT_EQ(cost_of(model_of("matmul(512x32x1024)")).macs, std::int64_t{512} * 32 * 1024);
  EXPECT_EQ(cost_of(model_of("matmul(3x512x32x1024)")).macs, std::int64_t{3} * 512 * 32 * 1024);
  EXPECT_EQ(cost_of(model_of("depthwise(1x32x10x10, kernel 3, pad 1)")).macs,
            std::int64_t{32} * 9 * 100);
}

TEST(Operators, ActivationsOfConvolutionsStandChannelsLast) {
  const auto made = parse_operator("conv2d(1x8x6x6, 4, kernel 3, relu)");
  ASSERT_TRUE(made.ok());
  const auto& model = made->model;
  EXPECT_EQ(made->layouts.of({model.inputs()[0], 0}), lower::channels_last(4));
  EXPECT_EQ(made->layouts.of(model.outputs()[0].value), lower::channels_last(4));
}

TEST(Operators, RefuseWhatIsNoneAndSayWhatIsPossible) {
  const std::pair<const char*, const char*> cases[] = {
      {"convolution(1x2x3x3)", "conv2d("},
      {"conv2d", "conv2d("},
      {"conv2d(1x2x3x3", "conv2d("},
      {"conv2d()", "is not"},
      {"conv2d(1x2x3, 4)", "write sizes as in conv2d("},
      {"conv2d(1x2x3x3)", "output channels is missing"},
      {"conv2d(1x2x3x3, 4, 5)", "takes kernel N"},
      {"conv2d(1x2x3x3, 4, colour 3)", "takes kernel N"},
      {"conv2d(1x2x3x3, 4, kernel three)", "three"},
      {"conv2d(1x2x3x3, 4, kernel 1x2x3)", "give one number or 2"},
      {"conv2d(1x2x3x3, 4, pad 1, pad 2)", "twice"},
      {"conv2d(1x6x3x3, 4, groups 3)", "groups 3"},
      {"conv2d(1x6x3x3, 4, groups 0)", "groups 0"},
      {"conv2d(1x2x3x3, 4, kernel 9)", "conv"},
      {"softmax(8x8, kernel 3)", "takes only sizes"},
      {"matmul(99999999999x3x3)", "99999999999"},
  };
  for (const auto& [text, word] : cases) {
    const auto made = parse_operator(text);
    ASSERT_FALSE(made.ok()) << text;
    EXPECT_EQ(made.rejection().reason(), Reason::UnknownOperator) << text;
    EXPECT_NE(made.rejection().message().find(word), std::string::npos)
        << made.rejection().message();
  }
}

TEST(Operators, AreToldApartFromModels) {
  EXPECT_FALSE(looks_like_operator("zoo:resnet18"));
  EXPECT_FALSE(looks_like_operator("a(b).onnx"));
  EXPECT_FALSE(looks_like_operator("net.cambium"));
  EXPECT_TRUE(looks_like_operator("resnet18"));
}

}  // namespace
}  // namespace cambium::trial
