#include "spaces/loopnest/survey.h"

namespace cambium::spaces::loopnest {

Result<Variants*> VariantsByShape::of(const Shape& shape) {
  std::unique_ptr<Variants>& place = all_[shape.text()];
  if (place == nullptr) {
    CAMBIUM_TRY(place, Variants::make(shape, limits_));
  }
  return place.get();
}

Result<Variants*> Survey::variants(std::size_t site, std::int64_t narrower) {
  Variants*& place = variants_[{site, narrower}];
  if (place == nullptr) {
    CAMBIUM_TRY(place, shapes_.of(sites_[site].shape.reading_less(narrower)));
  }
  return place;
}

const Result<Followers>& Survey::followers(std::size_t site) {
  const auto known = followers_.find(site);
  if (known != followers_.end()) return known->second;
  return followers_.emplace(site, followers_of(model_, sites_[site])).first->second;
}

std::vector<std::size_t> Survey::readers(const Followers& followers) const {
  std::vector<std::size_t> readers;
  for (const model::NodeId node : followers.convolutions) {
    if (const auto site = sites_.of_node(node)) readers.push_back(*site);
  }
  return readers;
}

void Survey::count() {
  if (cost_) return;
  cost_ = model::cost_of(model_);
  for (std::size_t i = 0; i < model_.nodes().size(); ++i) {
    macs_.emplace(model_.nodes()[i]->id, cost_->nodes[i].macs);
  }
  for (const model::NodeId id : model::parameters_of(model_)) parameters_.insert(id);
}

const model::Cost& Survey::cost() {
  count();
  return *cost_;
}

std::int64_t Survey::macs_of(model::NodeId node) {
  count();
  return macs_.at(node);
}

bool Survey::is_parameter(model::NodeId weight) {
  count();
  return parameters_.contains(weight);
}

}  // namespace cambium::spaces::loopnest
