// Shapes and small networks for the tests of this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "model/zoo/net.h"
#include "spaces/loopnest/sites.h"

namespace cambium::spaces::loopnest {

// A square convolution with a border that keeps the size, where the kernel is odd.
struct ConvNumbers {
  std::int64_t ci = 8, co = 8, size = 8, kernel = 3, stride = 1, groups = 1, batch = 1;
};
Shape shape_of(const ConvNumbers& numbers);

// x [1, 8, 8, 8], these layers, and the output `logits`.
using Layers = std::function<model::Value(model::zoo::Net& net, model::Value x)>;
model::Model net_of(const Layers& layers, std::int64_t batch = 1);

// a 8 -> 16, batch norm, relu, b 16 -> 16 in 2 groups, relu, c 1x1 16 -> 12 with a bias, the mean
// of each channel, fc. All channels may become fewer.
model::Model chain();
// stem, and two blocks of 16 channels: r.conv1, r.conv2 and the sum with what came in.
model::Model residual();

// Null if there is no such node.
const model::Node* node_named(const model::Model& model, std::string_view name);

}  // namespace cambium::spaces::loopnest
