#include "stopping/candidates.h"

#include <string>

#include <fmt/core.h>

#include "base/random.h"
#include "model/zoo/net.h"

namespace cambium::bench {

namespace {

using model::Value;
using model::zoo::Act;
using model::zoo::ConvSpec;
using model::zoo::Net;

constexpr std::int64_t kWidths[] = {8, 16, 24, 32};
constexpr int kStages = 3;

// The layer of a block, without its norm: full, grouped, pointwise, depthwise, or no weights at
// all.
Value layer(Net& net, Value x, const std::string& name, std::int64_t out, std::int64_t stride,
            Rng& rng) {
  const std::int64_t in = net.channels(x);
  switch (rng.below(6)) {
    case 0: return net.conv(x, name, {.out = out, .kernel = 3, .stride = stride});
    case 1: return net.conv(x, name, {.out = out, .kernel = 3, .stride = stride, .groups = 4});
    case 2: return net.conv(x, name, {.out = out, .kernel = 5, .stride = stride, .groups = 8});
    case 3: return net.conv(x, name, {.out = out, .kernel = 1, .stride = stride});
    case 4: {
      const Value deep =
          net.conv(x, name + ".deep", {.out = in, .kernel = 3, .stride = stride, .groups = in});
      return net.conv(deep, name, {.out = out, .kernel = 1});
    }
    default: {
      const Value mean =
          net.pool(x, model::PoolFn::Average, 3, stride, model::zoo::Padding::Centered);
      return net.conv(mean, name, {.out = out, .kernel = 1});
    }
  }
}

Value block(Net& net, Value x, const std::string& name, std::int64_t out, std::int64_t stride,
            Rng& rng) {
  Value y = net.batch_norm(layer(net, x, name + ".layer", out, stride, rng), name + ".norm");
  const bool same = stride == 1 && net.channels(x) == out;
  if (same && rng.chance(0.6)) y = net.add(x, y);
  return rng.chance(0.85) ? net.relu(y) : y;
}

}  // namespace

Result<model::Model> candidate(std::uint64_t seed, std::int64_t number, std::int64_t channels,
                               std::int64_t size, std::int64_t classes) {
  if (size < 4) return Rejection(Reason::BadOption, "data", "its images are smaller than 4x4");
  Rng rng = Rng(seed).split("candidate").split(static_cast<std::uint64_t>(number));
  Net net(fmt::format("candidate {}", number), {.image = size, .seed = seed});
  std::int64_t width = kWidths[rng.below(std::size(kWidths))];
  Value x = net.input_image(channels, size);
  x = net.conv_bn_act(x, "stem", {.out = width, .kernel = 3}, Act::Relu);
  for (int stage = 0; stage < kStages; ++stage) {
    const std::int64_t blocks = rng.between(1, 3);
    for (std::int64_t i = 0; i < blocks; ++i) {
      const bool halves = stage > 0 && i == 0;
      if (halves) width *= 2;
      x = block(net, x, fmt::format("stage{}.{}", stage, i), width, halves ? 2 : 1, rng);
    }
  }
  net.output(net.linear(net.global_mean(x, false), "head", classes));
  return std::move(net).finish();
}

}  // namespace cambium::bench
