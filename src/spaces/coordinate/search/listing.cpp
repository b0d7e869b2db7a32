#include "spaces/coordinate/search/listing.h"

#include <algorithm>

#include "spaces/coordinate/synthesis/finish.h"
#include "spaces/coordinate/synthesis/tree.h"
#include "spaces/coordinate/synthesis/weights.h"

namespace cambium::spaces::coordinate {

using synthesis::StateId;

Listing::Listing(std::unique_ptr<synthesis::Space> space)
    : space_(std::move(space)), reach_(*space_), open_(stages(*space_, reach_)) {
  std::reverse(open_.begin(), open_.end());
}

void Listing::visit(StateId id) {
  const int left = space_->limits.primitives - space_->states.counts(id).all();
  const synthesis::Finishing finishing(*space_, id);
  if (finishing.is_match()) {
    for (int weights = 0; weights <= std::min(left, space_->limits.weights); ++weights) {
      finishing.each(weights, [&](const synthesis::Choice& choice) {
        ready_.push_back(synthesis::finish(*space_, finishing.anatomy(), choice));
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
  Operator op = std::move(ready_.back());
  ready_.pop_back();
  return op;
}

}  // namespace cambium::spaces::coordinate
