#include "spaces/loopnest/rewrite.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "lower/nest_form.h"
#include "model/operators.h"
#include "spaces/places/put.h"

namespace cambium::spaces::loopnest {
namespace {

using model::NodeId;
using Elements = std::vector<std::int64_t>;

Result<model::Model> with_fewer_channels(const Plan& plan) {
  Survey& survey = plan.survey();
  model::Model model = survey.model();
  for (const Placed& placed : plan.placed()) {
    if (placed.variant->narrowed == 1) continue;
    const Followers& followers = *survey.followers(placed.site);
    CAMBIUM_TRY(model, narrowed(model, followers, placed.variant->narrowed)
                           .at("'" + survey.sites()[placed.site].name + "'"));
  }
  return model;
}

// Output channels that the nest keeps, as its steps number them: the first of every group. Those of
// the model are other ones, if a convolution behind is in groups.
Elements renumbered(Elements elements, const ConvSite& site, const Followers& followers,
                    std::int64_t factor) {
  const std::int64_t outs = site.shape.outs(), width = outs / site.shape.conv.groups;
  const Elements kept = followers.kept(factor);
  Elements now(static_cast<std::size_t>(outs), -1);
  std::size_t next = 0;
  for (std::int64_t out = 0; out < outs; ++out) {
    if (out % width < width / factor) now[static_cast<std::size_t>(out)] = kept[next++];
  }
  std::int64_t row = 1;
  for (std::size_t i = 1; i < site.shape.filter.size(); ++i) row *= site.shape.filter[i];
  for (std::int64_t& element : elements) {
    if (element < 0) continue;
    const std::int64_t out = now[static_cast<std::size_t>(element / row)];
    element = out < 0 ? -1 : out * row + element % row;
  }
  return elements;
}

// The weights of the Composite at a site of the rewritten model.
const model::Node* composite_at(const model::Model& model, const ConvSite& site) {
  const std::string name = site.name + "." + std::string(lower::kNestSpace);
  for (const model::NodePtr& node : model.nodes()) {
    if (node->name == name && node->as<model::Composite>() != nullptr) return node.get();
  }
  return nullptr;
}

class Origins {
 public:
  explicit Origins(const Plan& plan) : plan_(plan), survey_(plan.survey()) {}

  Result<std::vector<model::WeightOrigin>> run() {
    CAMBIUM_TRY(const model::Model after, rewritten(plan_));
    for (const Placed& placed : plan_.placed()) {
      filters_.emplace(survey_.sites()[placed.site].filter.node, Elements());
    }
    for (const Placed& placed : plan_.placed()) add_cuts(placed);
    for (const Placed& placed : plan_.placed()) CAMBIUM_REQUIRE(add_weights(placed, after));
    return std::move(origins_);
  }

 private:
  // Of a site that is rewritten itself, the cut only tells what its filter was before.
  void add_cuts(const Placed& placed) {
    if (placed.variant->narrowed == 1) return;
    const Followers& followers = *survey_.followers(placed.site);
    const NodeId own = survey_.sites()[placed.site].filter.node;
    std::size_t cut = 0;
    for (model::WeightOrigin& origin :
         origins_of_cuts(survey_.model(), followers, placed.variant->narrowed)) {
      const NodeId weight = followers.cuts[cut++].weight;
      if (weight == own) continue;
      const auto filter = filters_.find(weight);
      if (filter == filters_.end()) {
        origins_.push_back(std::move(origin));
      } else {
        filter->second = std::move(origin.elements);
      }
    }
  }

  Status add_weights(const Placed& placed, const model::Model& after) {
    const ConvSite& site = survey_.sites()[placed.site];
    const model::Node* const composite = composite_at(after, site);
    if (composite == nullptr) return Rejection(Reason::UnknownSite, site.name, "it is gone");
    CAMBIUM_TRY(std::vector<schedule::WeightMap> maps, placed.variants->maps(*placed.variant));
    const Elements& filter = filters_.at(site.filter.node);
    for (std::size_t w = 0; w < maps.size(); ++w) {
      Elements elements = std::move(maps[w].elements);
      if (placed.variant->narrowed > 1) {
        ConvSite read = site;
        read.shape = placed.variants->shape();
        elements = renumbered(std::move(elements), read, *survey_.followers(placed.site),
                              placed.variant->narrowed);
      }
      for (std::int64_t& element : elements) {
        if (element >= 0 && !filter.empty()) element = filter[static_cast<std::size_t>(element)];
      }
      const std::string& name = after.node(composite->inputs[w + 1].node).name;
      origins_.push_back({name, survey_.model().node(site.filter.node).name, std::move(elements)});
    }
    return Ok{};
  }

  const Plan& plan_;
  Survey& survey_;
  std::map<NodeId, Elements> filters_;  // of rewritten sites; empty: as before
  std::vector<model::WeightOrigin> origins_;
};

}  // namespace

Result<model::Model> rewritten(const Plan& plan) {
  CAMBIUM_TRY(const model::Model model, with_fewer_channels(plan));
  const Sites sites(model);
  std::vector<Place> places;
  std::vector<std::shared_ptr<const Standing>> held;
  std::vector<const Standing*> standing;
  for (const Placed& placed : plan.placed()) {
    const std::string& name = plan.survey().sites()[placed.site].name;
    const auto site = sites.find(name);
    if (!site) return Rejection(Reason::UnknownSite, name, "it is gone");
    CAMBIUM_TRY(held.emplace_back(),
                placed.variants->standing(*placed.variant).at("'" + name + "'"));
    places.push_back(sites[*site].place(model));
    standing.push_back(held.back().get());
  }
  return put(model, places, standing);
}

Result<std::vector<model::WeightOrigin>> origins_of(const Plan& plan) {
  return Origins(plan).run();
}

}  // namespace cambium::spaces::loopnest
