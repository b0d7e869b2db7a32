#include "spaces/coordinate/search/listing.h"

#include <algorithm>

#include "spaces/coordinate/synthesis/finish.h"
#include "spaces/coordinate/synthesis/tree.h"

namespace cambium::spaces::coordinate {

using synthesis::StateId;

Listing::Listing(std::unique_ptr<synthesis::Space> space)
    : space_(std::move(space)), reach_(*space_), open_(stages(*space_, reach_)) {
  std::reverse(open_.begin(), open_.end());
}

void Listing::visit(StateId id) {
  const int left = space_->limits.primitives - space_->states.counts(id).all();
  finishing_.emplace(*space_, id);
  if (finishing_->is_match()) {
    for (int weights = 0; weights <= std::min(left, space_->limits.weights); ++weights) {
      finishing_->each(weights, [&](const synthesis::Choice& choice) {
        ready_.push_back(choice);
        return true;
      });
    }
    std::reverse(ready_.begin(), ready_.end());
  }
  if (left == 0) return;
  std::vector<StateId> below;
  synthesis::children(*space_, reach_, id, left - 1, below);
  open_.insert(open_.end(), below.rbegin(), below.rend());
}

std::optional<Operator> Listing::next() {
  while (ready_.empty()) {
    if (open_.empty()) return std::nullopt;
    const StateId id = open_.back();
    open_.pop_back();
    visit(id);
  }
  const synthesis::Choice choice = ready_.back();
  ready_.pop_back();
  return synthesis::finish(*space_, finishing_->anatomy(), choice);
}

}  // namespace cambium::spaces::coordinate
