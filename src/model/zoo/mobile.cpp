// Networks of inverted residuals: MobileNet-V2 (Sandler et al. 2018), MNASNet (Tan et al. 2019).
#include <array>
#include <string>

#include "model/zoo/families.h"
#include "model/zoo/net.h"

namespace cambium::model::zoo {

namespace {

struct MobileStage {
  std::int64_t expand, out;
  int depth;
  std::int64_t stride, kernel;
};

// Expand (unless by 1), filter each channel, project; the input is added where shapes allow it.
Value inverted_residual(Net& net, Value x, const std::string& name, const MobileStage& stage,
                        std::int64_t stride, Act act) {
  const Value input = x;
  const std::int64_t inner = net.channels(x) * stage.expand;
  const std::int64_t out = net.width(stage.out);
  net.builder().begin_block(name, "inverted_residual");
  if (stage.expand != 1) x = net.conv_bn_act(x, name + ".expand", {.out = inner}, act);
  x = net.conv_bn_act(x, name + ".depthwise",
                      {.out = inner, .kernel = stage.kernel, .stride = stride, .groups = inner},
                      act);
  x = net.conv_bn_act(x, name + ".project", {.out = out}, Act::None);
  if (stride == 1 && net.channels(input) == out) x = net.add(x, input);
  net.builder().end_block();
  return x;
}

template <std::size_t Count>
Value stages(Net& net, Value x, const std::array<MobileStage, Count>& all, Act act) {
  int index = 1;
  for (const MobileStage& stage : all) {
    for (int i = 0; i < stage.depth; ++i) {
      x = inverted_residual(net, x, "features." + std::to_string(index++), stage,
                            i == 0 ? stage.stride : 1, act);
    }
  }
  return x;
}

Value head(Net& net, Value x, Act act) {
  x = net.conv_bn_act(x, "features.last", {.out = net.width(1280)}, act);
  return net.linear(net.global_mean(x, false), "classifier", net.classes(1000));
}

}  // namespace

Result<Model> mobilenet_v2(std::string_view name, const ZooOptions& options) {
  constexpr std::array<MobileStage, 7> kStages{{{1, 16, 1, 1, 3},
                                                {6, 24, 2, 2, 3},
                                                {6, 32, 3, 2, 3},
                                                {6, 64, 4, 2, 3},
                                                {6, 96, 3, 1, 3},
                                                {6, 160, 3, 2, 3},
                                                {6, 320, 1, 1, 3}}};
  Net net(name, options);
  Value x = net.conv_bn_act(net.input_image(3, 224), "features.0",
                            {.out = net.width(32), .kernel = 3, .stride = 2}, Act::Relu6);
  x = stages(net, x, kStages, Act::Relu6);
  net.output(head(net, x, Act::Relu6));
  return std::move(net).finish();
}

Result<Model> mnasnet_1_0(std::string_view name, const ZooOptions& options) {
  constexpr std::array<MobileStage, 7> kStages{{{1, 16, 1, 1, 3},
                                                {3, 24, 3, 2, 3},
                                                {3, 40, 3, 2, 5},
                                                {6, 80, 3, 2, 5},
                                                {6, 96, 2, 1, 3},
                                                {6, 192, 4, 2, 5},
                                                {6, 320, 1, 1, 3}}};
  Net net(name, options);
  Value x = net.conv_bn_act(net.input_image(3, 224), "features.0",
                            {.out = net.width(32), .kernel = 3, .stride = 2}, Act::Relu);
  x = stages(net, x, kStages, Act::Relu);
  net.output(head(net, x, Act::Relu));
  return std::move(net).finish();
}

}  // namespace cambium::model::zoo
