// EfficientNet-B0 (Tan and Le 2019) and EfficientNetV2-S (Tan and Le 2021), as torchvision has
// them.
#include <algorithm>
#include <array>
#include <string>

#include "model/zoo/families.h"
#include "model/zoo/net.h"

namespace cambium::model::zoo {

namespace {

struct Stage {
  bool fused;  // one dense convolution instead of expansion and depthwise filter; no squeeze
  std::int64_t expand, kernel, stride, out;
  int depth;
};

Value mbconv(Net& net, Value x, const std::string& name, const Stage& stage, std::int64_t stride,
             double epsilon) {
  const std::int64_t in = net.channels(x);
  const std::int64_t inner = in * stage.expand;
  if (inner != in) x = net.conv_bn_act(x, name + ".expand", {.out = inner}, Act::Silu, epsilon);
  x = net.conv_bn_act(x, name + ".depthwise",
                      {.out = inner, .kernel = stage.kernel, .stride = stride, .groups = inner},
                      Act::Silu, epsilon);
  x = net.squeeze_excite(x, name + ".se", std::max<std::int64_t>(1, in / 4));
  return net.conv_bn_act(x, name + ".project", {.out = net.width(stage.out)}, Act::None, epsilon);
}

Value fused_mbconv(Net& net, Value x, const std::string& name, const Stage& stage,
                   std::int64_t stride, double epsilon) {
  const std::int64_t in = net.channels(x);
  const std::int64_t inner = in * stage.expand;
  const std::int64_t out = net.width(stage.out);
  const bool expands = inner != in;
  x = net.conv_bn_act(x, name + ".fused",
                      {.out = expands ? inner : out, .kernel = stage.kernel, .stride = stride},
                      Act::Silu, epsilon);
  if (!expands) return x;
  return net.conv_bn_act(x, name + ".project", {.out = out}, Act::None, epsilon);
}

struct EfficientNetSpec {
  std::vector<Stage> stages;
  std::int64_t stem, image;
  double epsilon;
};

Result<Model> build(std::string_view name, const ZooOptions& options,
                    const EfficientNetSpec& spec) {
  Net net(name, options);
  Value x = net.conv_bn_act(net.input_image(3, spec.image), "features.0",
                            {.out = net.width(spec.stem), .kernel = 3, .stride = 2}, Act::Silu,
                            spec.epsilon);
  for (std::size_t s = 0; s < spec.stages.size(); ++s) {
    const Stage& stage = spec.stages[s];
    for (int i = 0; i < stage.depth; ++i) {
      const std::string block = "features." + std::to_string(s + 1) + "." + std::to_string(i);
      const std::int64_t stride = i == 0 ? stage.stride : 1;
      const Value input = x;
      net.builder().begin_block(block, stage.fused ? "fused_mbconv" : "mbconv");
      x = stage.fused ? fused_mbconv(net, x, block, stage, stride, spec.epsilon)
                      : mbconv(net, x, block, stage, stride, spec.epsilon);
      if (stride == 1 && net.channels(x) == net.channels(input)) x = net.add(x, input);
      net.builder().end_block();
    }
  }
  x = net.conv_bn_act(x, "features.last", {.out = net.width(1280)}, Act::Silu, spec.epsilon);
  net.output(net.linear(net.global_mean(x, false), "classifier", net.classes(1000)));
  return std::move(net).finish();
}

}  // namespace

Result<Model> efficientnet_b0(std::string_view name, const ZooOptions& options) {
  return build(name, options,
               {.stages = {{false, 1, 3, 1, 16, 1},
                           {false, 6, 3, 2, 24, 2},
                           {false, 6, 5, 2, 40, 2},
                           {false, 6, 3, 2, 80, 3},
                           {false, 6, 5, 1, 112, 3},
                           {false, 6, 5, 2, 192, 4},
                           {false, 6, 3, 1, 320, 1}},
                .stem = 32,
                .image = 224,
                .epsilon = 1e-5});
}

Result<Model> efficientnetv2_s(std::string_view name, const ZooOptions& options) {
  return build(name, options,
               {.stages = {{true, 1, 3, 1, 24, 2},
                           {true, 4, 3, 2, 48, 4},
                           {true, 4, 3, 2, 64, 4},
                           {false, 4, 3, 2, 128, 6},
                           {false, 6, 3, 1, 160, 9},
                           {false, 6, 3, 2, 256, 15}},
                .stem = 24,
                .image = 384,
                .epsilon = 1e-3});
}

}  // namespace cambium::model::zoo
