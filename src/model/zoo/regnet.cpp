// RegNetX (Radosavovic et al. 2020): bottlenecks of ratio 1 with groups of a fixed width.
#include <array>
#include <string>

#include "model/zoo/families.h"
#include "model/zoo/net.h"

namespace cambium::model::zoo {

namespace {

struct RegNetStage {
  std::int64_t width;
  int depth;
};

// A shrunk network keeps the number of groups and shrinks the width of each.
struct Widths {
  std::int64_t width, groups;
};

Value block(Net& net, Value x, const std::string& name, Widths w, std::int64_t stride) {
  net.builder().begin_block(name, "res_bottleneck");
  Value y = net.conv_bn_act(x, name + ".f.a", {.out = w.width}, Act::Relu);
  y = net.conv_bn_act(y, name + ".f.b",
                      {.out = w.width, .kernel = 3, .stride = stride, .groups = w.groups},
                      Act::Relu);
  y = net.conv_bn_act(y, name + ".f.c", {.out = w.width}, Act::None);
  if (stride != 1 || net.channels(x) != w.width) {
    x = net.conv_bn_act(x, name + ".proj", {.out = w.width, .stride = stride}, Act::None);
  }
  y = net.relu(net.add(x, y));
  net.builder().end_block();
  return y;
}

}  // namespace

Result<Model> regnetx_800mf(std::string_view name, const ZooOptions& options) {
  constexpr std::int64_t kGroupWidth = 16;
  constexpr std::array<RegNetStage, 4> kStages{{{64, 1}, {128, 3}, {288, 7}, {672, 5}}};
  Net net(name, options);
  Value x = net.conv_bn_act(net.input_image(3, 224), "stem",
                            {.out = net.width(32), .kernel = 3, .stride = 2}, Act::Relu);
  for (std::size_t s = 0; s < kStages.size(); ++s) {
    const std::int64_t groups = kStages[s].width / kGroupWidth;
    for (int i = 0; i < kStages[s].depth; ++i) {
      const std::string number = std::to_string(s + 1);
      x = block(net, x, "trunk_output.block" + number + "." + std::to_string(i),
                {groups * net.width(kGroupWidth), groups}, i == 0 ? 2 : 1);
    }
  }
  net.output(net.linear(net.global_mean(x, false), "fc", net.classes(1000)));
  return std::move(net).finish();
}

}  // namespace cambium::model::zoo
