#include "spaces/loopnest/listing.h"

#include <utility>

namespace cambium::spaces::loopnest {

Listing::Listing(Survey& survey, Layer layer, int moves)
    : draft_(survey), layer_(std::move(layer)), moves_(moves) {
  const auto variants = draft_.variants(layer_);
  if (!variants.ok()) return;
  variants_ = *variants;
  seen_.insert(variants_->original().function);
  level_.push_back({&variants_->original(), ""});
}

// Adds what is one move behind the next variant of the level.
void Listing::expand() {
  const Listed from = level_[at_++];
  const std::vector<Way>& ways = variants_->ways(*from.variant);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const Way& way = ways[i];
    if (seen_.contains(way.function)) continue;
    const Variant* const to = variants_->behind(*from.variant, i);
    if (to == nullptr || !draft_.fits(layer_, *to)) continue;
    seen_.insert(way.function);
    level_behind_.push_back({to, from.label.empty() ? way.label : from.label + ", " + way.label});
  }
}

std::optional<Listed> Listing::next() {
  while (given_ == level_behind_.size()) {
    if (at_ == level_.size()) {
      if (moves_ <= 1 || level_behind_.empty()) return std::nullopt;
      --moves_;
      level_ = std::exchange(level_behind_, {});
      at_ = given_ = 0;
    }
    expand();
  }
  return level_behind_[given_++];
}

}  // namespace cambium::spaces::loopnest
