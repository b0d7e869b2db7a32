#include "spaces/loopnest/layers.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"

namespace cambium::spaces::loopnest {
namespace {

// Equal for convolutions whose documents suit each other, whatever their numbers of channels.
std::string stage_of(const Shape& shape) {
  const model::Ints taps(shape.filter.begin() + 2, shape.filter.end());
  const model::Ints space(shape.input.begin() + 2, shape.input.end());
  std::string text = fmt::format("{}", fmt::join(taps, "x"));
  const auto is_one = [](std::int64_t number) { return number == 1; };
  if (!std::all_of(shape.conv.strides.begin(), shape.conv.strides.end(), is_one)) {
    text += fmt::format(", stride {}", fmt::join(shape.conv.strides, "x"));
  }
  if (shape.conv.groups > 1) text += fmt::format(", {} groups", shape.conv.groups);
  return text + fmt::format(", {}", fmt::join(space, "x"));
}

}  // namespace

std::vector<Layer> layers_of(const Survey& survey, const std::vector<std::size_t>& sites,
                             const std::string& tie) {
  std::vector<Layer> layers;
  std::map<std::string, std::size_t> known;
  for (const std::size_t site : sites) {
    const ConvSite& here = survey.sites()[site];
    if (tie == "none") {
      layers.push_back({here.name, {site}});
      continue;
    }
    const std::string key = tie == "shape" ? here.shape.text() : stage_of(here.shape);
    const auto [place, is_new] = known.emplace(key, layers.size());
    if (is_new) {
      layers.push_back({tie == "shape" ? here.shape.words() : stage_of(here.shape), {}});
    }
    layers[place->second].sites.push_back(site);
  }
  return layers;
}

Result<Variants*> Draft::variants(const Layer& layer) const {
  return plan_.variants(layer.sites.front());
}

bool Draft::fits(const Layer& layer, const Variant& variant) const {
  if (layer.sites.size() > 1 && variant.narrowed > 1) return false;
  if (!plan_.can_set(layer.sites.front(), variant).ok()) return false;
  return std::all_of(layer.sites.begin() + 1, layer.sites.end(), [&](std::size_t site) {
    const auto variants = plan_.variants(site);
    return variants.ok() && (*variants)->read(variant.document).ok();
  });
}

bool Draft::can_narrow(const Layer& layer) const {
  return layer.sites.size() == 1 && plan_.survey().followers(layer.sites.front()).ok();
}

void Draft::choose(const Layer& layer, const Variant& variant) {
  if (variant.is_original()) return;
  for (const std::size_t site : layer.sites) documents_[site] = variant.document;
  if (layer.sites.size() > 1) return;
  const Status set = plan_.set(layer.sites.front(), variant);
  CAMBIUM_CHECK(set.ok(), "a layer is given what fits");
}

Result<Plan> Draft::plan() const {
  return plan_of(plan_.survey(), documents_);
}

}  // namespace cambium::spaces::loopnest
