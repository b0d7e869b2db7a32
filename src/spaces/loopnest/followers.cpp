#include "spaces/loopnest/followers.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "model/builder.h"

namespace cambium::spaces::loopnest {
namespace {

using model::Ints;
using model::Node;
using model::Value;

// Where the channels of a value are.
struct Where {
  std::size_t axis = 1;
  std::int64_t inner = 1;  // elements of the axis for each channel

  friend bool operator==(const Where&, const Where&) = default;
};

class Following {
 public:
  Following(const model::Model& model, const ConvSite& site)
      : model_(model), site_(site), uses_(model) {
    followers_.channels = site.shape.outs();
    followers_.blocks = site.shape.conv.groups;
  }

  Result<Followers> run() {
    CAMBIUM_REQUIRE(cut(site_.filter, 0, 1));
    if (site_.bias.valid()) CAMBIUM_REQUIRE(cut(site_.bias, 0, 1));
    CAMBIUM_REQUIRE(reach({site_.node, 0}, {}));
    for (const model::NodePtr& node : model_.nodes()) {
      const auto is_reached = [&](Value value) { return reached_.contains(value); };
      if (std::none_of(node->inputs.begin(), node->inputs.end(), is_reached)) continue;
      CAMBIUM_REQUIRE(follow(*node));
    }
    for (Cut& one : followers_.cuts) one.blocks = followers_.blocks;
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      // The filter of a convolution in groups has the channels of one of them.
      followers_.cuts.push_back({readers_[i].first, 1, followers_.blocks / readers_[i].second, 1});
    }
    return std::move(followers_);
  }

 private:
  Rejection refuse(const std::string& why) const {
    return Rejection(
        Reason::ChangesInterface, site_.name,
        fmt::format("its {} output channels must stay, because {}", followers_.channels, why));
  }
  Rejection refuse(const Node& node, const char* does) const {
    return refuse(fmt::format("'{}' {}", node.name, does));
  }

  Status reach(Value value, Where where) {
    reached_.emplace(value, where);
    for (const model::Output& output : model_.outputs()) {
      if (output.value == value) {
        return refuse(fmt::format("they are the model's output '{}'", output.name));
      }
    }
    return Ok{};
  }

  Status cut(Value weight, std::size_t axis, std::int64_t inner) {
    CAMBIUM_REQUIRE(is_own(weight));
    followers_.cuts.push_back({weight.node, axis, 1, inner});
    return Ok{};
  }

  Status is_own(Value weight) const {
    const Node& node = model_.node(weight.node);
    if (model_.weight(weight) == nullptr) return refuse(node, "is not a weight");
    if (uses_.of(weight).size() != 1) return refuse(node, "is read in several places");
    return Ok{};
  }

  Status follow(const Node& node) {
    if (const auto* conv = node.as<model::Conv>()) return read_by(node, *conv);
    if (const auto* gemm = node.as<model::Gemm>()) return read_by(node, *gemm);
    if (node.as<model::MatMul>() != nullptr) return read_by_product(node);
    if (node.as<model::Binary>() != nullptr) return join(node);
    if (node.as<model::Composite>() != nullptr) return refuse(node, "was rewritten before");
    if (node.as<model::Concat>() != nullptr) {
      return refuse(node, "concatenates them with other channels");
    }
    const auto found = reached_.find(node.inputs[0]);
    if (found == reached_.end()) return refuse(node, "reads them as a parameter");
    const Where where = found->second;
    const bool keeps = node.as<model::Unary>() != nullptr ||
                       node.as<model::Activation>() != nullptr || node.as<model::Cast>() != nullptr;
    if (keeps) return reach({node.id, 0}, where);
    if (node.as<model::BatchNorm>() != nullptr) return normalize(node, where);
    if (node.as<model::Pool>() != nullptr) {
      if (node.outputs.size() != 1) return refuse(node, "returns the positions of maxima");
      return reach({node.id, 0}, where);
    }
    if (const auto* sum = node.as<model::Reduce>()) return reduce(node, *sum, where);
    if (node.as<model::Reshape>() != nullptr) return reshape(node, where);
    return refuse(node, "may need all channels");
  }

  Status read_by(const Node& node, const model::Conv& conv) {
    if (!reached_.contains(node.inputs[0])) return refuse(node, "reads them as its filter");
    CAMBIUM_REQUIRE(is_own(node.inputs[1]));
    followers_.convolutions.push_back(node.id);
    followers_.blocks = std::lcm(followers_.blocks, conv.groups);
    readers_.emplace_back(node.inputs[1].node, conv.groups);
    return Ok{};
  }

  Status read_by(const Node& node, const model::Gemm& gemm) {
    const auto found = reached_.find(node.inputs[0]);
    if (found == reached_.end() || gemm.transpose_a || found->second.axis != 1) {
      return refuse(node, "does not sum over them");
    }
    followers_.products.push_back(node.id);
    return cut(node.inputs[1], gemm.transpose_b ? 1 : 0, found->second.inner);
  }

  Status read_by_product(const Node& node) {
    const auto found = reached_.find(node.inputs[0]);
    const bool sums = found != reached_.end() &&
                      found->second.axis + 1 == model_.type(node.inputs[0]).dims.size() &&
                      model_.type(node.inputs[1]).dims.size() == 2;
    if (!sums) return refuse(node, "does not sum over them");
    followers_.products.push_back(node.id);
    return cut(node.inputs[1], 0, found->second.inner);
  }

  // A weight for each channel, a number for all, or what has the same channels.
  Status join(const Node& node) {
    std::optional<Where> where;
    const std::size_t rank = node.outputs[0].dims.size();
    for (const Value value : node.inputs) {
      const auto found = reached_.find(value);
      if (found == reached_.end()) continue;
      if (where && *where != found->second) {
        return refuse(node, "combines them in different orders");
      }
      if (model_.type(value).dims.size() != rank) return refuse(node, "broadcasts them");
      where = found->second;
    }
    for (const Value value : node.inputs) {
      if (reached_.contains(value)) continue;
      if (model_.weight(value) == nullptr) return refuse(node, "joins them with another value");
      const Ints& dims = model_.type(value).dims;
      const std::size_t missing = rank - dims.size();
      if (where->axis < missing || dims[where->axis - missing] == 1) continue;
      CAMBIUM_REQUIRE(cut(value, where->axis - missing, where->inner));
    }
    return reach({node.id, 0}, *where);
  }

  Status normalize(const Node& node, Where where) {
    if (where != Where{}) return refuse(node, "normalizes them in another order");
    for (std::size_t i = 1; i < node.inputs.size(); ++i) {
      CAMBIUM_REQUIRE(cut(node.inputs[i], 0, 1));
    }
    return reach({node.id, 0}, where);
  }

  Status reduce(const Node& node, const model::Reduce& sum, Where where) {
    std::size_t before = 0;
    for (const std::int64_t axis : sum.axes) {
      if (static_cast<std::size_t>(axis) == where.axis) return refuse(node, "sums over them");
      if (static_cast<std::size_t>(axis) < where.axis) ++before;
    }
    if (!sum.keep) where.axis -= before;
    return reach({node.id, 0}, where);
  }

  // Joins the axes behind the channels with them.
  Status reshape(const Node& node, Where where) {
    const Ints &from = model_.type(node.inputs[0]).dims, &to = node.outputs[0].dims;
    const bool joins = where.axis == 1 && to.size() == 2 && to[0] == from[0];
    if (!joins) return refuse(node, "moves them to other axes");
    for (std::size_t i = 2; i < from.size(); ++i) where.inner *= from[i];
    followers_.reshapes.push_back(node.id);
    return reach({node.id, 0}, where);
  }

  const model::Model& model_;
  const ConvSite& site_;
  model::Uses uses_;
  std::map<Value, Where> reached_;
  std::vector<std::pair<model::NodeId, std::int64_t>> readers_;  // filters, and in how many groups
  Followers followers_;
};

// The places along an axis that stay.
std::vector<std::int64_t> kept_along(std::int64_t extent, const Cut& cut, std::int64_t factor) {
  const std::int64_t width = extent / cut.blocks;
  std::vector<std::int64_t> kept;
  for (std::int64_t at = 0; at < extent; ++at) {
    if (at % width / cut.inner < width / cut.inner / factor) kept.push_back(at);
  }
  return kept;
}

// The numbers of the elements that stay.
std::vector<std::int64_t> kept_elements(const Ints& dims, const Cut& cut, std::int64_t factor) {
  std::int64_t outer = 1, inner = 1;
  for (std::size_t i = 0; i < cut.axis; ++i) outer *= dims[i];
  for (std::size_t i = cut.axis + 1; i < dims.size(); ++i) inner *= dims[i];
  const std::int64_t extent = dims[cut.axis];
  std::vector<std::int64_t> elements;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (const std::int64_t at : kept_along(extent, cut, factor)) {
      for (std::int64_t i = 0; i < inner; ++i) elements.push_back((o * extent + at) * inner + i);
    }
  }
  return elements;
}

model::Tensor smaller(const model::Tensor& tensor, const Cut& cut, std::int64_t factor) {
  model::TensorType type = tensor.type();
  type.dims[cut.axis] /= factor;
  if (const auto fill = tensor.fill()) return model::Tensor::lazy(std::move(type), *fill);
  const std::span<const std::byte> from = tensor.bytes();
  const auto size = static_cast<std::size_t>(size_of(type.dtype));
  std::vector<std::byte> bytes;
  bytes.reserve(static_cast<std::size_t>(type.bytes()));
  for (const std::int64_t element : kept_elements(tensor.dims(), cut, factor)) {
    const auto at = from.subspan(static_cast<std::size_t>(element) * size, size);
    bytes.insert(bytes.end(), at.begin(), at.end());
  }
  return {std::move(type), std::move(bytes)};
}

}  // namespace

Status Followers::can_be_cut(const ConvSite& site, std::int64_t factor) const {
  if (channels % blocks == 0 && channels / blocks % factor == 0) return Ok{};
  return Rejection(Reason::NotDivisible, fmt::format("the output channels of '{}'", site.name), {},
                   channels / blocks, factor)
      .at(fmt::format("in each of {} groups", blocks));
}

std::vector<std::int64_t> Followers::kept(std::int64_t factor) const {
  return kept_along(channels, {{}, 0, blocks, 1}, factor);
}

Result<Followers> followers_of(const model::Model& model, const ConvSite& site) {
  return Following(model, site).run();
}

Result<model::Model> narrowed(const model::Model& model, const Followers& followers,
                              std::int64_t factor) {
  model::Builder builder(model);
  for (const Cut& cut : followers.cuts) {
    const model::Tensor& before = *model.weight({cut.weight, 0});
    builder.set_op(cut.weight, model::Weight{smaller(before, cut, factor)});
  }
  for (const model::NodeId id : followers.reshapes) {
    model::Reshape reshape = *model.node(id).as<model::Reshape>();
    reshape.dims[1] /= factor;
    builder.set_op(id, std::move(reshape));
  }
  return std::move(builder).finish();
}

std::vector<model::WeightOrigin> origins_of_cuts(const model::Model& model,
                                                 const Followers& followers, std::int64_t factor) {
  std::vector<model::WeightOrigin> origins;
  for (const Cut& cut : followers.cuts) {
    const Node& node = model.node(cut.weight);
    origins.push_back({node.name, node.name, kept_elements(node.outputs[0].dims, cut, factor)});
  }
  return origins;
}

}  // namespace cambium::spaces::loopnest
