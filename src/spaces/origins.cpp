#include "spaces/origins.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "model/operators.h"
#include "model/tensor.h"

namespace cambium::spaces {
namespace {

using WeightsByName = std::map<std::string, const model::Node*>;

WeightsByName weights_of(const model::Model& model) {
  WeightsByName weights;
  for (const model::NodePtr& node : model.nodes()) {
    if (node->as<model::Weight>() != nullptr) weights.emplace(node->name, node.get());
  }
  return weights;
}

// Models share the nodes that an edit leaves alone. An edit that makes a node anew with the same
// tensor has not touched it either.
bool is_untouched(const model::Node& before, const model::Node& after) {
  if (&before == &after) return true;
  const model::Tensor &a = before.as<model::Weight>()->value, &b = after.as<model::Weight>()->value;
  if (a.type() != b.type() || a.fill().has_value() != b.fill().has_value()) return false;
  return a.fill() ? a.fill() == b.fill() : a.fingerprint() == b.fingerprint();
}

// What is known of the weights of the present model. A weight without a row is one of the base
// model, untouched. Nothing: an edit made or changed it, and it starts from nothing.
class Origins {
 public:
  // Moves on to the model after an edit, whose origins are told of the model before it.
  void follow(const model::Model& before, const model::Model& after,
              std::vector<WeightOrigin> edit) {
    std::map<std::string, std::optional<WeightOrigin>> next;
    const WeightsByName old = weights_of(before), now = weights_of(after);
    for (WeightOrigin& origin : edit) {
      const std::string name = origin.weight;
      if (now.contains(name)) next[name] = in_base(std::move(origin));
    }
    for (const auto& [name, node] : now) {
      if (next.contains(name)) continue;
      const auto same = old.find(name);
      if (same == old.end() || !is_untouched(*same->second, *node)) {
        next[name] = std::nullopt;
      } else if (const auto row = rows_.find(name); row != rows_.end()) {
        next[name] = std::move(row->second);
      }
    }
    rows_ = std::move(next);
  }

  std::vector<WeightOrigin> all() && {
    std::vector<WeightOrigin> origins;
    for (auto& [name, origin] : rows_) {
      if (origin) origins.push_back(std::move(*origin));
    }
    return origins;
  }

 private:
  std::optional<WeightOrigin> in_base(WeightOrigin origin) const {
    const auto row = rows_.find(origin.from);
    if (row != rows_.end()) {
      if (!row->second) return std::nullopt;
      const std::vector<std::int64_t>& earlier = row->second->elements;
      for (std::int64_t& element : origin.elements) {
        if (element < 0) continue;
        CAMBIUM_CHECK(static_cast<std::size_t>(element) < earlier.size(),
                      "an origin is an element of the model before");
        element = earlier[static_cast<std::size_t>(element)];
      }
      origin.from = row->second->from;
    }
    const bool has_any = std::any_of(origin.elements.begin(), origin.elements.end(),
                                     [](std::int64_t element) { return element >= 0; });
    if (!has_any) return std::nullopt;
    return origin;
  }

  std::map<std::string, std::optional<WeightOrigin>> rows_;
};

}  // namespace

Result<Traced> traced(const model::Model& base, const Candidate& candidate,
                      const std::vector<Space*>& spaces) {
  CAMBIUM_REQUIRE(apply(base, {candidate.base, {}, std::nullopt}, spaces));  // is it this base?
  Origins origins;
  model::Model before = base;
  for (std::size_t i = 0; i < candidate.edits.size(); ++i) {
    CAMBIUM_TRY(AppliedEdit applied, apply_one(before, candidate, i, spaces));
    std::vector<WeightOrigin> edit;
    if (const MapsWeights* const maps = applied.space->weights()) {
      CAMBIUM_TRY(edit, maps->origins(before, applied.edit).at("edit " + std::to_string(i)));
    }
    origins.follow(before, applied.model, std::move(edit));
    before = std::move(applied.model);
  }
  return Traced{std::move(before), std::move(origins).all()};
}

Result<std::vector<WeightOrigin>> origins_of(const model::Model& base, const Candidate& candidate,
                                             const std::vector<Space*>& spaces) {
  CAMBIUM_TRY(Traced all, traced(base, candidate, spaces));
  return std::move(all.origins);
}

}  // namespace cambium::spaces
