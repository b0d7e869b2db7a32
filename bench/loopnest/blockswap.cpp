#include "loopnest/blockswap.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "model/cost.h"
#include "model/operators.h"
#include "model/zoo/net.h"

namespace cambium::bench {
namespace {

using model::Value;
using model::zoo::ConvSpec;
using model::zoo::Net;

constexpr std::int64_t kDraws = 1'000'000;
constexpr std::int64_t kWindow = 40;  // 1/40: 2.5 %

// The list of the authors' program.
constexpr BlockType kTypes[] = {
    {"Conv"},
    {"DConvA2", 0, 2},
    {"DConvA4", 0, 4},
    {"DConvA8", 0, 8},
    {"DConvA16", 0, 16},
    {"DConvG16", 0, 1, 16},
    {"DConvG8", 0, 1, 8},
    {"DConvG4", 0, 1, 4},
    {"DConvG2", 0, 1, 2},
    {"DConv", 0, 1, 1},
    {"ConvB2", 2},
    {"ConvB4", 4},
    {"A2B2", 2, 2},
    {"A4B2", 2, 4},
    {"A8B2", 2, 8},
    {"A16B2", 2, 16},
    {"G16B2", 2, 1, 16},
    {"G8B2", 2, 1, 8},
    {"G8B4", 4, 1, 8},
    {"G4B2", 2, 1, 4},
    {"G2B2", 2, 1, 2},
    {"G4B4", 4, 1, 4},
    {"G2B4", 4, 1, 2},
};

struct Channels {
  std::int64_t in = 0, out = 0, kernel = 0, stride = 1;
};

// Channels of the convolution in the middle, and its groups; 0: the type does not fit.
struct Middle {
  std::int64_t channels = 0, groups = 0;
};
Middle middle_of(const BlockType& type, const Channels& conv) {
  Middle middle;
  middle.channels = type.narrow == 0 ? conv.in : conv.out / type.narrow;
  if (type.narrow > 0 && conv.out % type.narrow != 0) return {};
  middle.groups = type.each == 0 ? type.groups : middle.channels / type.each;
  const bool fits = middle.groups > 0 && middle.channels % middle.groups == 0;
  return fits ? middle : Middle{};
}

// The layers of a type, in the block of the convolution that they replace.
class Swap {
 public:
  Swap(Net& net, const model::Node& conv) : net_(net), name_(conv.name), block_(conv.block) {}

  Value put(Value x, const BlockType& type, const Channels& conv) {
    const Middle middle = middle_of(type, conv);
    const ConvSpec spec{.out = middle.channels,
                        .kernel = conv.kernel,
                        .stride = conv.stride,
                        .groups = middle.groups};
    if (type.narrow > 0)
      x = norm_relu(this->conv(x, ".conv1x1_down", {.out = middle.channels}), ".bn1");
    x = norm_relu(this->conv(x, type.narrow > 0 ? ".conv" : ".convdw", spec),
                  type.narrow > 0 ? ".bn2" : ".bn");
    return this->conv(x, type.narrow > 0 ? ".conv1x1_up" : ".conv1x1", {.out = conv.out});
  }

 private:
  Value conv(Value x, const char* name, const ConvSpec& spec) {
    return placed(net_.conv(x, name_ + name, spec));
  }
  Value norm_relu(Value x, const char* name) {
    return placed(net_.relu(placed(net_.batch_norm(x, name_ + name))));
  }
  Value placed(Value value) {
    if (net_.builder().ok()) net_.builder().set_block(value.node, block_);
    return value;
  }

  Net& net_;
  std::string name_;
  std::uint32_t block_;
};

std::optional<Channels> channels_of(const model::Model& model, const model::Node& node) {
  const auto* conv = node.as<model::Conv>();
  if (conv == nullptr || node.block == model::kNoBlock || conv->strides.size() != 2) return {};
  const model::Ints& filter = model.type(node.inputs[1]).dims;
  if (filter[2] == 1 || filter[2] != filter[3] || node.inputs.size() > 2) return {};
  return Channels{model.type(node.inputs[0]).dims[1], filter[0], filter[2], conv->strides[0]};
}

}  // namespace

std::span<const BlockType> block_types() {
  return kTypes;
}

Result<BlockSwap> BlockSwap::make(const model::Model& base) {
  BlockSwap made(base, model::cost_of(base).params);
  std::map<std::uint32_t, std::size_t> known;
  for (const model::NodePtr& node : base.nodes()) {
    if (!channels_of(base, *node)) continue;
    const auto [place, is_new] = known.emplace(node->block, made.blocks_.size());
    if (is_new) made.blocks_.emplace_back();
    made.blocks_[place->second].convolutions.push_back(node->id);
  }
  if (made.blocks_.empty()) {
    return Rejection(Reason::NoProposal, base.name(), "no block has a convolution of several taps");
  }
  for (std::size_t b = 0; b < made.blocks_.size(); ++b) {
    Block& block = made.blocks_[b];
    block.types = {0};
    block.parameters = {0};
    for (std::size_t type = 1; type < std::size(kTypes); ++type) {
      const bool fits = std::all_of(
          block.convolutions.begin(), block.convolutions.end(), [&](model::NodeId conv) {
            return middle_of(kTypes[type], *channels_of(base, base.node(conv))).groups > 0;
          });
      if (!fits) continue;
      BlockChoice choice(made.blocks_.size(), 0);
      choice[b] = type;
      CAMBIUM_TRY(const model::Model one, made.network(choice));
      block.types.push_back(type);
      block.parameters.push_back(model::cost_of(one).params - made.parameters_);
    }
  }
  return made;
}

std::int64_t BlockSwap::parameters(const BlockChoice& choice) const {
  std::int64_t all = parameters_;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    const auto type = std::find(block.types.begin(), block.types.end(), choice[b]);
    all += block.parameters[static_cast<std::size_t>(type - block.types.begin())];
  }
  return all;
}

Result<model::Model> BlockSwap::network(const BlockChoice& choice) const {
  Net net(base_);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const BlockType& type = kTypes[choice[b]];
    if (type.is_original()) continue;
    for (const model::NodeId id : blocks_[b].convolutions) {
      const model::Node& conv = base_.node(id);
      const Value x = net.builder().node(id).inputs[0];
      const Value fresh = Swap(net, conv).put(x, type, *channels_of(base_, conv));
      net.builder().replace({id, 0}, fresh);
    }
  }
  return std::move(net).finish();
}

Result<std::vector<BlockChoice>> BlockSwap::draw(std::size_t count, std::int64_t wanted,
                                                 Rng rng) const {
  std::vector<BlockChoice> drawn;
  std::int64_t least = parameters_, most = parameters_;
  for (const Block& block : blocks_) {
    least += *std::min_element(block.parameters.begin(), block.parameters.end());
    most += *std::max_element(block.parameters.begin(), block.parameters.end());
  }
  const bool is_possible = wanted >= least - wanted / kWindow && wanted <= most + wanted / kWindow;
  const std::int64_t draws = is_possible ? kDraws : 0;
  for (std::int64_t i = 0; i < draws && drawn.size() < count; ++i) {
    BlockChoice choice;
    for (const Block& block : blocks_) {
      choice.push_back(block.types[static_cast<std::size_t>(rng.below(block.types.size()))]);
    }
    const std::int64_t difference = parameters(choice) - wanted;
    if (std::max(difference, -difference) * kWindow <= wanted) drawn.push_back(std::move(choice));
  }
  if (drawn.size() == count) return drawn;
  return Rejection(Reason::NoProposal, base_.name(),
                   fmt::format("{} draws gave {} networks of {} parameters, {} are wanted; its "
                               "networks have {} to {}",
                               draws, drawn.size(), wanted, count, least, most));
}

}  // namespace cambium::bench
