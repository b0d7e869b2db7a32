// Chains of convolutions without shortcuts: VGG-16 and alphaNAS's two-layer network.
#include <string>
#include <vector>

#include "model/zoo/families.h"
#include "model/zoo/net.h"

namespace cambium::model::zoo {

// Simonyan and Zisserman 2015, configuration D. torchvision averages the last map to 7x7 before the
// classifier, which does nothing at 224x224; at other sizes the classifier here reads the map as it
// is.
Result<Model> vgg16(std::string_view name, const ZooOptions& options) {
  const std::vector<std::vector<std::int64_t>> stages{
      {64, 64}, {128, 128}, {256, 256, 256}, {512, 512, 512}, {512, 512, 512}};
  Net net(name, options);
  Value x = net.input_image(3, 224);
  int index = 0;  // place in the Sequential: convolution, relu and pool count
  for (std::size_t s = 0; s < stages.size(); ++s) {
    net.builder().begin_block("stage" + std::to_string(s + 1), "conv_stage");
    for (const std::int64_t width : stages[s]) {
      x = net.relu(net.conv(x, "features." + std::to_string(index),
                            {.out = net.width(width), .kernel = 3, .bias = true}));
      index += 2;
    }
    x = net.pool(x, PoolFn::Max, 2, 2);
    ++index;
    net.builder().end_block();
  }
  x = net.flatten(x);
  x = net.relu(net.linear(x, "classifier.0", net.width(4096)));
  x = net.relu(net.linear(x, "classifier.3", net.width(4096)));
  net.output(net.linear(x, "classifier.6", net.classes(1000)));
  return std::move(net).finish();
}

// Jin et al. 2022: a 1x1 convolution, two blocks, two dense layers.
Result<Model> cnn_alphanas(std::string_view name, const ZooOptions& options) {
  Net net(name, options);
  Value x = net.conv(net.input_image(3, 32), "conv", {.out = net.width(32), .bias = true});
  for (int i = 1; i <= 2; ++i) {
    const std::string layer = "conv_layer" + std::to_string(i);
    net.builder().begin_block(layer, "conv_layer");
    x = net.conv(x, layer + ".conv", {.out = 2 * net.channels(x), .kernel = 3, .bias = true});
    x = net.pool(net.relu(x), PoolFn::Average, 2, 2);
    net.builder().end_block();
  }
  x = net.relu(net.linear(net.flatten(x), "fc", net.width(256)));
  net.output(net.linear(x, "logits", net.classes(10)));
  return std::move(net).finish();
}

}  // namespace cambium::model::zoo
