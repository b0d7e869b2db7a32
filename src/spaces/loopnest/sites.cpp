#include "spaces/loopnest/sites.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/target.h"

namespace cambium::spaces::loopnest {
namespace {

using model::Ints;
using model::Value;

std::string times(const Ints& numbers) {
  return fmt::format("{}", fmt::join(numbers, "x"));
}

bool is_plain(const model::Model& model, const model::Node& node) {
  const auto is_f32 = [&](Value value) { return model.type(value).dtype == DType::F32; };
  return model.weight(node.inputs[1]) != nullptr && is_f32(node.inputs[0]) &&
         is_f32(node.inputs[1]) && model.type(node.inputs[1]).elements() > 0;
}

ConvSite site_of(const model::Model& model, const model::Node& node, const model::Conv& conv) {
  ConvSite site{node.name, node.id, node.inputs[0], node.inputs[1], {}, 1, {}};
  if (node.inputs.size() > 2) site.bias = node.inputs[2];
  site.shape = {conv, model.type(site.filter).dims, model.type(site.x).dims};
  return site;
}

}  // namespace

Shape Shape::reading_less(std::int64_t factor) const {
  Shape less = *this;
  less.filter[1] /= factor;
  less.input[1] /= factor;
  return less;
}

std::string Shape::text() const {
  return fmt::format("{} {} {} {} {} {}", fmt::join(filter, ","), fmt::join(input, ","),
                     fmt::join(conv.strides, ","), fmt::join(conv.pads, ","),
                     fmt::join(conv.dilations, ","), conv.groups);
}

std::string Shape::words() const {
  std::string text = fmt::format("{} -> {} channels, {}", input[1], filter[0],
                                 times(Ints(filter.begin() + 2, filter.end())));
  const auto is_one = [](std::int64_t number) { return number == 1; };
  if (!std::all_of(conv.strides.begin(), conv.strides.end(), is_one)) {
    text += fmt::format(", stride {}", times(conv.strides));
  }
  if (conv.groups > 1) text += fmt::format(", {} groups", conv.groups);
  return text + ", " + times(Ints(input.begin() + 2, input.end()));
}

Place ConvSite::place(const model::Model& model) const {
  Place place;
  place.name = name;
  place.input = x;
  place.output = {node, 0};
  if (owns_filter()) place.weight = filter;
  if (!bias.valid()) return place;
  place.bias = bias;
  place.bias_shape = model.type(bias).dims;
  // One number per channel, and the axes of space behind it.
  place.bias_shape.resize(shape.input.size() - 1, 1);
  return place;
}

Sites::Sites(const model::Model& model) {
  std::unordered_map<std::uint32_t, int> readers;
  for (const model::NodePtr& node : model.nodes()) {
    for (const Value value : node->inputs) ++readers[value.node.index];
    const auto* conv = node->as<model::Conv>();
    if (conv == nullptr || !is_plain(model, *node)) continue;
    by_name_.emplace(node->name, all_.size());
    by_node_.emplace(node->id, all_.size());
    all_.push_back(site_of(model, *node, *conv));
  }
  for (const model::Output& output : model.outputs()) ++readers[output.value.node.index];
  for (ConvSite& site : all_) site.filter_readers = readers[site.filter.node.index];
}

std::optional<std::size_t> Sites::of_node(model::NodeId node) const {
  const auto found = by_node_.find(node);
  if (found == by_node_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::size_t> Sites::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

Result<std::vector<std::size_t>> sites_named(const model::Model& model, const Sites& sites,
                                             const std::vector<std::string>& names) {
  if (names.empty()) return Rejection(Reason::UnknownSite, "", "an edit must name at least one");
  std::vector<std::size_t> numbers;
  for (const std::string& name : names) {
    const auto site = sites.find(name);
    if (!site) {
      return Rejection(Reason::UnknownSite, name,
                       "this space edits convolutions; it has " + model::selectable(model));
    }
    numbers.push_back(*site);
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

}  // namespace cambium::spaces::loopnest
