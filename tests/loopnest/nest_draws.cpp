#include "nest_draws.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "base/random.h"
#include "model/builder.h"
#include "model/zoo/zoo.h"
#include "spaces/loopnest/options.h"
#include "spaces/loopnest/walks.h"

namespace cambium::tests {
namespace {

using loopnest::Shape;

constexpr std::int64_t kMostChannels = 48, kMostPlaces = 8;
constexpr std::uint64_t kOfOneShape = 25;  // cases in a row

// Halves channels of all groups, and places, until they are few.
Shape shrunk(Shape shape) {
  model::Ints &filter = shape.filter, &input = shape.input;
  while (std::max(filter[0], input[1]) > kMostChannels && filter[1] % 2 == 0 &&
         filter[0] / shape.conv.groups % 2 == 0) {
    filter[0] /= 2;
    filter[1] /= 2;
    input[1] /= 2;
  }
  for (std::size_t i = 2; i < input.size(); ++i) {
    while (input[i] > kMostPlaces) input[i] = (input[i] + 1) / 2;
  }
  return shape;
}

// Of all rows of the catalogue with numbers that often fit.
std::string random_name(Rng& rng) {
  const auto power = [&] { return std::int64_t{1} << rng.below(4); };
  switch (rng.below(13)) {
    case 0: return fmt::format("group {}", rng.between(2, 8));
    case 1: return fmt::format("interleaved group {}", rng.between(2, 8));
    case 2: return "depthwise";
    case 3: return fmt::format("bottleneck {}", rng.between(2, 4));
    case 4: return fmt::format("input bottleneck {}", rng.between(2, 4));
    case 5: return fmt::format("spatial bottleneck {}", rng.between(2, 4));
    case 6: return fmt::format("slabs {}", power());
    case 7: return fmt::format("channel slabs {}", power());
    case 8: return fmt::format("quarters {} {} {} {}", power(), power(), power(), power());
    case 9: return "pointwise then depthwise";
    case 10: return "depthwise then pointwise";
    case 11: return "rows then columns";
    default: return "rows then depthwise columns";
  }
}

const loopnest::Variant* drawn(loopnest::Variants& variants, Rng& rng) {
  if (rng.chance(0.6)) {
    const auto moves = static_cast<int>(rng.between(1, 4));
    return variants.walk(variants.original(), moves, true, rng);
  }
  const std::string name = rng.chance(0.5) ? random_name(rng) : loopnest::random_sequence(rng);
  const auto variant = variants.read(name);
  return variant.ok() && !(*variant)->is_original() ? *variant : nullptr;
}

}  // namespace

std::vector<Shape> small_shapes() {
  std::vector<Shape> shapes;
  std::set<std::string> known;
  for (const char* network : {"resnet34", "resnet34-cifar", "resnext29-2x64d", "densenet161"}) {
    const loopnest::Sites sites(model::zoo::build(network).value());
    for (const loopnest::ConvSite& site : sites.all()) {
      Shape shape = shrunk(site.shape);
      if (known.insert(shape.text()).second) shapes.push_back(std::move(shape));
    }
  }
  return shapes;
}

std::string NestCase::text() const {
  return shape.words() + "\n" + variant->document;
}

NestCase NestDraws::draw(std::uint64_t number) {
  const std::uint64_t batch = number / kOfOneShape;
  Shape shape = shapes_[batch % shapes_.size()];
  if (batch % 4 == 3) shape.input[0] = 2;  // samples
  if (batch != batch_ || variants_ == nullptr) {
    batch_ = batch;
    variants_ = loopnest::Variants::make(shape, loopnest::LoopNestOptions{}.limits()).value();
  }
  Rng rng = Rng(20210419).split(number);
  const loopnest::Variant* variant = nullptr;
  while (variant == nullptr) variant = drawn(*variants_, rng);
  return {std::move(shape), variants_, variant};
}

model::Tensor whole_tensor(const model::Ints& dims, std::uint64_t seed) {
  Rng rng(seed);
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count *= dim;
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (float& number : numbers) number = static_cast<float>(rng.between(-3, 3));
  return model::Tensor::of<float>(dims, numbers);
}

std::vector<model::Ints> weights_of(const NestCase& c) {
  const auto standing = c.variants->standing(*c.variant).value();
  const model::Model& body = *standing->composite.body;
  std::vector<model::Ints> all;
  for (const model::NodeId id : body.inputs()) all.push_back(body.node(id).outputs[0].dims);
  all.erase(all.begin());  // x
  return all;
}

model::Model network_of(const NestCase& c, const std::vector<model::Tensor>& weights,
                        Behind behind) {
  const auto standing = c.variants->standing(*c.variant).value();
  model::Builder b("net");
  std::vector<model::Value> reads{b.input("x", {DType::F32, c.shape.input})};
  for (const model::Tensor& weight : weights) reads.push_back(b.weight("site.w", weight));
  model::Value y = b.add(standing->composite, reads, "site");
  if (behind == Behind::NormAndRelu) {
    const model::Ints channels{b.type(y).dims[1]};
    std::vector<model::Value> norm{y};
    for (const double value : {1.5, 0.25, -0.5, 2.0}) {
      norm.push_back(b.weight("norm", model::Tensor::lazy({DType::F32, channels},
                                                          {model::Fill::Law::Constant, value, 0})));
    }
    y = b.add(model::BatchNorm{}, norm);
  }
  if (behind != Behind::Nothing) y = b.add(model::Unary{model::UnaryFn::Relu}, {y});
  b.output("y", y);
  return std::move(b).finish().value();
}

std::uint64_t cases_asked(const char* variable, std::uint64_t usual) {
  const char* const asked = std::getenv(variable);
  return asked == nullptr ? usual : std::strtoull(asked, nullptr, 10);
}

}  // namespace cambium::tests
