#include "spaces/loopnest/loopnest_testing.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace cambium::spaces::loopnest {

using model::Value;
using model::zoo::Net;

Shape shape_of(const ConvNumbers& numbers) {
  const std::int64_t pad = (numbers.kernel - 1) / 2;
  return {{{numbers.stride, numbers.stride}, {pad, pad, pad, pad}, {1, 1}, numbers.groups},
          {numbers.co, numbers.ci / numbers.groups, numbers.kernel, numbers.kernel},
          {numbers.batch, numbers.ci, numbers.size, numbers.size}};
}

model::Model net_of(const Layers& layers, std::int64_t batch) {
  model::zoo::ZooOptions options;
  options.batch = batch;
  Net net("net", options);
  const Value x = net.input_image(8, 8);
  net.output(layers(net, x));
  auto made = std::move(net).finish();
  if (made.ok()) return std::move(*made);
  ADD_FAILURE() << made.rejection().message();
  return {};
}

model::Model chain() {
  return net_of([](Net& net, Value x) {
    x = net.conv(x, "a", {.out = 16, .kernel = 3});
    x = net.relu(net.batch_norm(x, "a.bn"));
    x = net.relu(net.conv(x, "b", {.out = 16, .kernel = 3, .groups = 2}));
    x = net.conv(x, "c", {.out = 12, .bias = true});
    return net.linear(net.global_mean(x, false), "fc", 10);
  });
}

model::Model residual() {
  return net_of([](Net& net, Value x) {
    x = net.relu(net.batch_norm(net.conv(x, "stem", {.out = 16, .kernel = 3}), "stem.bn"));
    for (const std::string name : {"r0", "r1"}) {
      Value y = net.conv(x, name + ".conv1", {.out = 16, .kernel = 3});
      y = net.relu(net.batch_norm(y, name + ".bn1"));
      y = net.batch_norm(net.conv(y, name + ".conv2", {.out = 16, .kernel = 3}), name + ".bn2");
      x = net.relu(net.add(x, y));
    }
    return net.linear(net.global_mean(x, false), "fc", 10);
  });
}

const model::Node* node_named(const model::Model& model, std::string_view name) {
  const auto found = std::find_if(model.nodes().begin(), model.nodes().end(),
                                  [&](const model::NodePtr& node) { return node->name == name; });
  return found == model.nodes().end() ? nullptr : found->get();
}

}  // namespace cambium::spaces::loopnest
