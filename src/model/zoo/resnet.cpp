// Residual networks of basic and bottleneck blocks, with the stems of ImageNet, CIFAR and alphaNAS.
#include <array>
#include <string>

#include "model/zoo/families.h"
#include "model/zoo/net.h"
#include "model/zoo/variants.h"

namespace cambium::model::zoo {

namespace {

enum class Shortcut : std::uint8_t { Projection, PadChannels };

struct ResNetSpec {
  enum class Stem : std::uint8_t { Large, Small };  // 7x7 stride 2 and a pool; 3x3

  Stem stem = Stem::Large;
  bool bottleneck = false;
  std::vector<int> depths;  // blocks per stage; each stage doubles the width
  std::int64_t width = 64, image = 224, image_channels = 3, classes = 1000;
  Shortcut shortcut = Shortcut::Projection;
  // alphaNAS pads as flax does, pools behind every stem and adds a 1x1 convolution there; what it
  // may rewrite is the branch without its last normalization.
  bool alphanas = false;
  const BlockVariant* factors = nullptr;  // of basic blocks, one each
};

class ResNet {
 public:
  ResNet(std::string_view name, const ZooOptions& options, const ResNetSpec& spec)
      : net_(name, options), spec_(spec) {}

  Result<Model> build() && {
    Value x = stem(net_.input_image(spec_.image_channels, spec_.image));
    for (std::size_t stage = 0; stage < spec_.depths.size(); ++stage) {
      const std::int64_t width = net_.width(spec_.width << stage);
      for (int i = 0; i < spec_.depths[stage]; ++i) {
        const std::int64_t stride = stage > 0 && i == 0 ? 2 : 1;
        const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(i);
        x = block(x, name, width, stride);
      }
    }
    net_.output(net_.linear(net_.global_mean(x, false), "fc", net_.classes(spec_.classes)));
    return std::move(net_).finish();
  }

 private:
  Padding padding() const { return spec_.alphanas ? Padding::Same : Padding::Centered; }

  Value stem(Value x) {
    const bool large = spec_.stem == ResNetSpec::Stem::Large;
    const std::int64_t width = net_.width(spec_.width);
    const ConvSpec conv{
        .out = width, .kernel = large ? 7 : 3, .stride = large ? 2 : 1, .padding = padding()};
    x = net_.relu(net_.batch_norm(net_.conv(x, "conv1", conv), "bn1"));
    if (large || spec_.alphanas) x = net_.pool(x, PoolFn::Max, 3, 2, padding());
    if (spec_.alphanas) x = net_.conv(x, "proj", {.out = width});
    return x;
  }

  Value block(Value x, const std::string& name, std::int64_t width, std::int64_t stride) {
    const std::int64_t out = spec_.bottleneck ? 4 * width : width;
    net_.builder().begin_block(name, spec_.bottleneck ? "bottleneck" : "basic");
    Value y = spec_.bottleneck ? bottleneck(x, name, width, stride) : basic(x, name, width, stride);
    if (spec_.alphanas) net_.builder().end_block();
    y = net_.batch_norm(y, name + (spec_.bottleneck ? ".bn3" : ".bn2"));
    if (stride != 1 || net_.channels(x) != out) x = shortcut(x, name, out, stride);
    y = net_.relu(net_.add(y, x));
    net_.builder().end_block();
    return y;
  }

  Value basic(Value x, const std::string& name, std::int64_t width, std::int64_t stride) {
    const BlockFactors factors =
        spec_.factors != nullptr ? (*spec_.factors)[blocks_++] : BlockFactors{};
    if (factors.groups < 1 || factors.bottleneck < 1 || width % factors.bottleneck != 0 ||
        (width / factors.bottleneck) % factors.groups != 0 ||
        net_.channels(x) % factors.groups != 0) {
      net_.builder().refuse(Rejection(Reason::BadOption, name,
                                      "no factors of " + std::to_string(width) + " channels"));
      return {};
    }
    x = net_.conv(x, name + ".conv1",
                  {.out = width / factors.bottleneck,
                   .kernel = 3,
                   .stride = stride,
                   .groups = factors.groups,
                   .padding = padding()});
    x = net_.relu(net_.batch_norm(x, name + ".bn1"));
    return net_.conv(x, name + ".conv2",
                     {.out = width, .kernel = 3, .groups = factors.groups, .padding = padding()});
  }

  Value bottleneck(Value x, const std::string& name, std::int64_t width, std::int64_t stride) {
    x = net_.conv(x, name + ".conv1", {.out = width});
    x = net_.relu(net_.batch_norm(x, name + ".bn1"));
    x = net_.conv(x, name + ".conv2",
                  {.out = width, .kernel = 3, .stride = stride, .padding = padding()});
    x = net_.relu(net_.batch_norm(x, name + ".bn2"));
    return net_.conv(x, name + ".conv3", {.out = 4 * width});
  }

  Value shortcut(Value x, const std::string& name, std::int64_t out, std::int64_t stride) {
    if (spec_.shortcut == Shortcut::Projection) {
      x = net_.conv(x, name + ".downsample.0", {.out = out, .stride = stride});
      return net_.batch_norm(x, name + ".downsample.1");
    }
    const Ints dims = net_.dims(x);
    if (dims.size() != 4) return {};  // the builder has refused already
    const auto strided = [&](std::int64_t size) { return (size + stride - 1) / stride; };
    x = net_.builder().add(Slice{{0, 0, 0, 0},
                                 {dims[0], dims[1], strided(dims[2]), strided(dims[3])},
                                 {1, 1, stride, stride}},
                           {x});
    const std::int64_t more = out - dims[1];
    return net_.builder().add(
        Pad{PadMode::Constant, {0, more / 2, 0, 0, 0, more - more / 2, 0, 0}, 0}, {x});
  }

  Net net_;
  const ResNetSpec& spec_;
  std::size_t blocks_ = 0;  // built so far, of those with factors
};

Result<Model> build(std::string_view name, const ZooOptions& options, const ResNetSpec& spec) {
  return ResNet(name, options, spec).build();
}

ResNetSpec on_imagenet(bool bottleneck, std::vector<int> depths) {
  return {.bottleneck = bottleneck, .depths = std::move(depths)};
}

ResNetSpec on_cifar(bool bottleneck, std::vector<int> depths) {
  return {.stem = ResNetSpec::Stem::Small,
          .bottleneck = bottleneck,
          .depths = std::move(depths),
          .image = 32,
          .classes = 10};
}

ResNetSpec of_alphanas(ResNetSpec spec) {
  spec.alphanas = true;
  return spec;
}

}  // namespace

Result<Model> resnet18(std::string_view name, const ZooOptions& options) {
  return build(name, options, on_imagenet(false, {2, 2, 2, 2}));
}
Result<Model> resnet34(std::string_view name, const ZooOptions& options) {
  return build(name, options, on_imagenet(false, {3, 4, 6, 3}));
}
Result<Model> resnet50(std::string_view name, const ZooOptions& options) {
  return build(name, options, on_imagenet(true, {3, 4, 6, 3}));
}
Result<Model> resnet18_cifar(std::string_view name, const ZooOptions& options) {
  return build(name, options, on_cifar(false, {2, 2, 2, 2}));
}
Result<Model> resnet34_cifar(std::string_view name, const ZooOptions& options) {
  return build(name, options, on_cifar(false, {3, 4, 6, 3}));
}
Result<Model> resnet50_cifar(std::string_view name, const ZooOptions& options) {
  return build(name, options, on_cifar(true, {3, 4, 6, 3}));
}
Result<Model> resnet34_cifar_variant(const BlockVariant& variant, const ZooOptions& options) {
  if (variant.size() != kResNet34Blocks) {
    return Rejection(Reason::BadOption, "factors",
                     std::to_string(variant.size()) + " are given, for 16 blocks");
  }
  ResNetSpec spec = on_cifar(false, {3, 4, 6, 3});
  spec.factors = &variant;
  return build("resnet34-cifar", options, spec);
}
Result<Model> resnet34_alphanas(std::string_view name, const ZooOptions& options) {
  return build(name, options, of_alphanas(on_cifar(false, {3, 4, 6, 3})));
}
Result<Model> resnet50_alphanas(std::string_view name, const ZooOptions& options) {
  return build(name, options, of_alphanas(on_imagenet(true, {3, 4, 6, 3})));
}

Result<Model> resnet20(std::string_view name, const ZooOptions& options) {
  ResNetSpec spec = on_cifar(false, {3, 3, 3});
  spec.width = 16;
  spec.shortcut = Shortcut::PadChannels;
  return build(name, options, spec);
}

Result<Model> tiny_resnet(std::string_view name, const ZooOptions& options) {
  ResNetSpec spec = on_cifar(false, {2, 2, 2});
  spec.width = 16;
  spec.image = 28;
  spec.image_channels = 1;
  return build(name, options, spec);
}

}  // namespace cambium::model::zoo
