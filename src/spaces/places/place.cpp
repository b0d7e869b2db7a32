#include "spaces/places/place.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "expr/print_shape.h"
#include "model/cost.h"

namespace cambium::spaces {

namespace {

using model::Ints;
using model::Model;
using model::Site;
using model::Target;

bool is_channel(std::string_view name) {
  return name.substr(0, 1) == "C";
}

// Which factor an axis of space is averaged by; none where averaging does not give the output.
std::optional<std::int64_t> factor_of(std::int64_t from, std::int64_t to) {
  if (to <= 0 || from < to) return std::nullopt;
  const std::int64_t factor = (from + to - 1) / to;
  if ((from + factor - 1) / factor != to) return std::nullopt;
  return factor;
}

std::string sizes_text(const Target& target, const model::Site& site, const Ints& in,
                       const Ints& out) {
  return target.text() + " at '" + site.name + "': " + model::TensorType{DType::F32, in}.text() +
         " to " + model::TensorType{DType::F32, out}.text();
}

// The first axis of space: behind the batch and the channels of whatever convolves.
constexpr std::size_t kFirstSpatial = 2;

bool has_space(const Target& target) {
  return target.kind == model::SiteKind::Conv ||
         (target.kind == model::SiteKind::Block && target.outputs[0].dims.size() > 3);
}

// Finds how the input is brought to the size of the output; false if there is no way.
bool set_pooling(const Ints& in, const Ints& out, Place& place) {
  bool pools = false;
  for (std::size_t axis = kFirstSpatial; axis < out.size(); ++axis) {
    const auto factor = factor_of(in[axis], out[axis]);
    if (!factor) return false;
    place.pool.push_back(*factor);
    place.pools_partly = place.pools_partly || in[axis] % *factor != 0;
    pools = pools || *factor != 1;
  }
  if (!pools) place.pool.clear();
  return true;
}

PlaceShapes named(const Target& target, const Site& site, const std::vector<expr::Size>& in,
                  const std::vector<expr::Size>& out) {
  PlaceShapes shapes{print_shape(target.sizes, in), print_shape(target.sizes, out), {}};
  for (const expr::SizeVar var : target.sizes.vars()) {
    const auto has = [&](const expr::Size& size) { return size.powers()[var] != 0; };
    if (std::any_of(in.begin(), in.end(), has) || std::any_of(out.begin(), out.end(), has)) {
      shapes.sizes.emplace_back(target.sizes.name(var), site.binding[var]);
    }
  }
  return shapes;
}

void name_sizes(const Target& target, const Site& site, Place& place) {
  std::vector<expr::Size> in = target.inputs[0].dims;
  const std::vector<expr::Size>& out = target.outputs[0].dims;
  place.unpooled = named(target, site, in, out);
  if (has_space(target)) {
    for (std::size_t axis = kFirstSpatial; axis < in.size(); ++axis) in[axis] = out[axis];
  }
  place.shapes = named(target, site, in, out);
  for (std::size_t axis = 0; axis < in.size(); ++axis) {
    const bool is_linear = target.kind == model::SiteKind::Linear;
    if (is_linear && in[axis] == out[axis]) place.apart.push_back(static_cast<std::uint8_t>(axis));
  }
  for (const auto& [name, value] : place.shapes.sizes) {
    if (is_channel(name)) {
      place.channels.push_back(value);
    } else if (target.sizes.find(name)->is_primary() && name != "N" && name != "T") {
      place.extents.push_back(value);
    }
  }
}

void set_bias(const Model& model, const Target& target, const Site& site, Place& place) {
  for (const model::SiteWeight& weight : site.weights) {
    if (weight.role != model::WeightRole::Bias) continue;
    place.bias = weight.value;
    place.bias_shape = model.type(weight.value).dims;
    if (target.kind != model::SiteKind::Conv) continue;
    // One number per channel, and the axes of space behind it.
    const std::size_t rank = model.type(site.outputs[0]).dims.size();
    place.bias_shape.resize(rank - 1, 1);
  }
}

void set_weight(const Site& site, Place& place) {
  for (const model::SiteWeight& weight : site.weights) {
    if (weight.role != model::WeightRole::Weight || weight.value == place.weight) continue;
    const bool is_only = !place.weight.valid() && !weight.shared;
    place.weight = is_only ? weight.value : model::Value{};
    if (!is_only) return;
  }
}

// Blocks are not looked into: of them nothing is asked.
int mixed_by(const Model& model, const Target& target, const Site& site) {
  if (target.kind == model::SiteKind::Linear) return 1;
  if (target.kind != model::SiteKind::Conv) return 0;
  for (const model::SiteWeight& weight : site.weights) {
    if (weight.role == model::WeightRole::Bias) continue;
    const Ints& dims = model.type(weight.value).dims;  // [M, C/groups, kernel...]
    return static_cast<int>(
        std::count_if(dims.begin() + 1, dims.end(), [](std::int64_t size) { return size > 1; }));
  }
  return 0;
}

void set_costs(const Model& model, const Site& site, Place& place) {
  const auto types = [&](std::span<const model::Value> values) {
    std::vector<model::TensorType> out;
    for (const model::Value value : values) out.push_back(model.type(value));
    return out;
  };
  for (const model::NodeId id : site.nodes) {
    const model::Node& node = model.node(id);
    place.macs += model::macs_of(node.op, types(node.inputs), node.outputs);
  }
  std::set<model::Value> counted;
  for (const model::SiteWeight& weight : site.weights) {
    if (weight.role == model::WeightRole::Bias || !counted.insert(weight.value).second) continue;
    place.parameters += model.type(weight.value).elements();
  }
  place.elements = model.type(place.input).elements() + model.type(place.output).elements();
}

// Whether a node computes with elements where they are, so that what moves them before it and what
// moves them behind it stay two.
bool keeps_apart(const model::Node& node) {
  const auto* binary = node.as<model::Binary>();
  return (binary != nullptr && binary->fn == model::BinaryFn::Add) || node.as<model::Input>() ||
         node.as<model::BatchNorm>() || node.as<model::LayerNorm>() ||
         node.as<model::GroupNorm>() || node.as<model::Unary>() || node.as<model::Activation>() ||
         node.as<model::Pool>();
}

bool is_kept_apart_behind(const Model& model, model::Value value) {
  return std::all_of(model.nodes().begin(), model.nodes().end(), [&](const model::NodePtr& node) {
    return std::find(node->inputs.begin(), node->inputs.end(), value) == node->inputs.end() ||
           keeps_apart(*node);
  });
}

void set_activations(const Model& model, const Site& site, Place& place) {
  for (const model::NodeId id : site.nodes) {
    const model::Node& node = model.node(id);
    if (node.as<model::Reshape>() != nullptr) continue;  // a view
    for (const model::TensorType& type : node.outputs) place.activations += type.bytes();
  }
  const model::TensorType &in = model.type(place.input), &out = model.type(place.output);
  if (!place.pool.empty()) {
    std::int64_t pooled = in.bytes();
    for (std::size_t i = 0; i < place.pool.size(); ++i) {
      const std::size_t axis = kFirstSpatial + i;
      pooled = pooled / in.dims[axis] * out.dims[axis];
    }
    place.around += pooled;
  } else if (!keeps_apart(model.node(place.input.node))) {
    place.shared += in.bytes();
  }
  if (place.bias.valid()) {
    place.around += out.bytes();
  } else if (!is_kept_apart_behind(model, place.output)) {
    place.shared += out.bytes();
  }
}

Rejection unknown(const std::string& name, std::string why) {
  return Rejection(Reason::UnknownSite, name, std::move(why));
}

}  // namespace

bool PlaceShapes::is_size(const std::string& name) const {
  return std::any_of(sizes.begin(), sizes.end(),
                     [&](const auto& size) { return size.first == name; });
}

std::string PlaceShapes::binding() const {
  std::vector<std::string> parts;
  for (const auto& [size, value] : sizes) parts.push_back(size + "=" + std::to_string(value));
  return join(parts, ", ");
}

Place without_pool(Place place) {
  place.pool.clear();
  place.shapes = place.unpooled;
  return place;
}

MaybePlace place_of(const Model& model, const Target& target, const Site& site) {
  if (site.inputs.size() != 1 || site.outputs.size() != 1) {
    return NoPlace{"it has " + std::to_string(site.inputs.size()) + " inputs and " +
                   std::to_string(site.outputs.size()) + " outputs, an operator has one of each"};
  }
  if (target.inputs[0].dtype != DType::F32 || target.outputs[0].dtype != DType::F32) {
    return NoPlace{"it is not of f32"};
  }
  Place place;
  place.name = site.name;
  place.input = site.inputs[0];
  place.output = site.outputs[0];
  const Ints &in = model.type(place.input).dims, &out = model.type(place.output).dims;
  if (in.size() != out.size() || in.size() > kMostAxes) {
    return NoPlace{"its input and output are of different rank, or of more than 8 axes"};
  }
  if (has_space(target) && !set_pooling(in, out, place)) {
    return NoPlace{"averaging does not bring its input to the size of its output (" +
                   sizes_text(target, site, in, out) + ")"};
  }
  name_sizes(target, site, place);
  set_weight(site, place);
  set_bias(model, target, site, place);
  set_costs(model, site, place);
  set_activations(model, site, place);
  place.mixed = mixed_by(model, target, site);
  return place;
}

Result<std::vector<Place>> places_named(const Model& model, const std::vector<std::string>& names) {
  if (names.empty()) return unknown("", "an edit must name at least one");
  std::set<std::string> wanted(names.begin(), names.end());
  std::vector<Place> places;
  const auto targets = model::select(model, "conv:*+linear:*+block:*");
  // A model without any is one where no name is found.
  if (targets.ok()) {
    for (const Target& target : *targets) {
      for (const Site& site : target.sites) {
        if (wanted.erase(site.name) == 0) continue;
        MaybePlace found = place_of(model, target, site);
        if (const auto* none = std::get_if<NoPlace>(&found)) return unknown(site.name, none->why);
        places.push_back(std::get<Place>(std::move(found)));
      }
    }
  }
  if (!wanted.empty()) return unknown(*wanted.begin(), "it has " + model::selectable(model));
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.output < b.output; });
  return places;
}

}  // namespace cambium::spaces
