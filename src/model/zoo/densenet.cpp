// DenseNets (Huang et al. 2017): every layer of a dense block reads all layers before it.
#include <array>
#include <string>

#include "model/zoo/families.h"
#include "model/zoo/net.h"

namespace cambium::model::zoo {

namespace {

struct DenseNetSpec {
  std::int64_t growth, stem;
  std::array<int, 4> depths;
  bool cifar = false;  // 3x3 stem, no normalization or pool behind it, 32x32
};

Value bn_relu(Net& net, Value x, const std::string& name) {
  return net.relu(net.batch_norm(x, name));
}

Value dense_layer(Net& net, Value x, const std::string& name, std::int64_t growth) {
  net.builder().begin_block(name, "dense");
  Value y = net.conv(bn_relu(net, x, name + ".norm1"), name + ".conv1", {.out = 4 * growth});
  y = net.conv(bn_relu(net, y, name + ".norm2"), name + ".conv2", {.out = growth, .kernel = 3});
  y = net.builder().add(Concat{1}, {x, y});
  net.builder().end_block();
  return y;
}

Value transition(Net& net, Value x, const std::string& name) {
  net.builder().begin_block(name, "transition");
  const std::int64_t half = net.channels(x) / 2;
  x = net.conv(bn_relu(net, x, name + ".norm"), name + ".conv", {.out = half});
  x = net.pool(x, PoolFn::Average, 2, 2);
  net.builder().end_block();
  return x;
}

Result<Model> build(std::string_view name, const ZooOptions& options, const DenseNetSpec& spec) {
  Net net(name, options);
  Value x = net.input_image(3, spec.cifar ? 32 : 224);
  const std::int64_t stem = net.width(spec.stem);
  if (spec.cifar) {
    x = net.conv(x, "features.conv0", {.out = stem, .kernel = 3});
  } else {
    x = net.conv(x, "features.conv0", {.out = stem, .kernel = 7, .stride = 2});
    x = net.pool(bn_relu(net, x, "features.norm0"), PoolFn::Max, 3, 2, Padding::Centered);
  }
  for (std::size_t b = 0; b < spec.depths.size(); ++b) {
    const std::string number = std::to_string(b + 1);
    for (int i = 1; i <= spec.depths[b]; ++i) {
      x = dense_layer(net, x, "features.denseblock" + number + ".denselayer" + std::to_string(i),
                      net.width(spec.growth));
    }
    if (b + 1 < spec.depths.size()) x = transition(net, x, "features.transition" + number);
  }
  x = net.global_mean(bn_relu(net, x, "features.norm5"), false);
  net.output(net.linear(x, "classifier", net.classes(spec.cifar ? 10 : 1000)));
  return std::move(net).finish();
}

}  // namespace

Result<Model> densenet121(std::string_view name, const ZooOptions& options) {
  return build(name, options, {32, 64, {6, 12, 24, 16}});
}
Result<Model> densenet161(std::string_view name, const ZooOptions& options) {
  return build(name, options, {48, 96, {6, 12, 36, 24}});
}
Result<Model> densenet161_cifar(std::string_view name, const ZooOptions& options) {
  return build(name, options, {48, 96, {6, 12, 36, 24}, true});
}

}  // namespace cambium::model::zoo
