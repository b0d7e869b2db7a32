// ResNeXt-29 for CIFAR as the usual PyTorch collection has it: 1x1 stem, three stages.
#include <string>

#include "model/zoo/families.h"
#include "model/zoo/net.h"

namespace cambium::model::zoo {

namespace {

constexpr std::int64_t kCardinality = 2;

Value block(Net& net, Value x, const std::string& name, std::int64_t grouped, std::int64_t stride) {
  const std::int64_t out = 2 * grouped;
  net.builder().begin_block(name, "bottleneck");
  Value y = net.relu(net.batch_norm(net.conv(x, name + ".conv1", {.out = grouped}), name + ".bn1"));
  y = net.conv(y, name + ".conv2",
               {.out = grouped, .kernel = 3, .stride = stride, .groups = kCardinality});
  y = net.relu(net.batch_norm(y, name + ".bn2"));
  y = net.batch_norm(net.conv(y, name + ".conv3", {.out = out}), name + ".bn3");
  if (stride != 1 || net.channels(x) != out) {
    x = net.conv(x, name + ".shortcut.0", {.out = out, .stride = stride});
    x = net.batch_norm(x, name + ".shortcut.1");
  }
  y = net.relu(net.add(y, x));
  net.builder().end_block();
  return y;
}

}  // namespace

Result<Model> resnext29_2x64d(std::string_view name, const ZooOptions& options) {
  Net net(name, options);
  Value x = net.conv(net.input_image(3, 32), "conv1", {.out = net.width(64)});
  x = net.relu(net.batch_norm(x, "bn1"));
  for (int stage = 0; stage < 3; ++stage) {
    const std::int64_t grouped = kCardinality * net.width(std::int64_t{64} << stage);
    for (int i = 0; i < 3; ++i) {
      x = block(net, x, "layer" + std::to_string(stage + 1) + "." + std::to_string(i), grouped,
                stage > 0 && i == 0 ? 2 : 1);
    }
  }
  net.output(net.linear(net.global_mean(x, false), "linear", net.classes(10)));
  return std::move(net).finish();
}

}  // namespace cambium::model::zoo
