#include "spaces/places/surroundings.h"

#include <gtest/gtest.h>

#include "model/cost.h"
#include "model/recognize/pass.h"
#include "model/zoo/zoo.h"

namespace cambium::spaces {
namespace {

std::vector<Place> places_of(const model::Model& model, const char* selector) {
  std::vector<Place> places;
  const auto targets = model::select(model, selector).value();
  for (const model::Target& target : targets) {
    for (const model::Site& site : target.sites) {
      MaybePlace found = place_of(model, target, site);
      if (auto* place = std::get_if<Place>(&found)) places.push_back(std::move(*place));
    }
  }
  return places;
}

// Where nothing strides, the original is an operator like any other.
TEST(Surroundings, WithTheOriginalOperatorsCostWhatTheNetworkDoes) {
  struct Case {
    const char* network;
    const char* selector;
    model::zoo::ZooOptions sizes;
  };
  for (const Case& c : {Case{"tiny-resnet", "conv:k=3,stride=1", {.batch = 2, .image = 16}},
                        Case{"mobilenet-v2", "conv:k=3,stride=1", {}},
                        Case{"tiny-gpt", "linear:name=*attn*", {.length = 8}}}) {
    const model::Model model = model::zoo::build(c.network, c.sizes).value();
    const std::vector<Place> places = places_of(model, c.selector);
    ASSERT_GT(places.size(), 3u);
    const auto activations = static_cast<double>(model::pass_of(model).activation_bytes);
    const Surroundings around = surroundings_of(model, places, activations).value();
    double macs = 0, parameters = 0;
    for (const Place& place : places) {
      macs += static_cast<double>(place.macs);
      parameters += static_cast<double>(place.parameters);
    }
    const Costs all = around.with(parameters, macs, 0);
    const model::Cost cost = model::cost_of(model);
    EXPECT_EQ(*all.macs, static_cast<double>(cost.macs)) << c.network;
    EXPECT_EQ(*all.parameters, static_cast<double>(cost.params)) << c.network;
    EXPECT_EQ(*all.memory, static_cast<double>(cost.weight_bytes + cost.peak_bytes)) << c.network;
    EXPECT_LT(*all.activations, activations);
    EXPECT_FALSE(around.with(0, std::nullopt, std::nullopt).macs.has_value());
  }
}

}  // namespace
}  // namespace cambium::spaces
