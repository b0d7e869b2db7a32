// Listing: the functions of a layer by breadth: first those of one move, then of two ..., each
// function once. Lists and options by layer are made of it.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/fingerprint.h"
#include "spaces/loopnest/layers.h"
#include "spaces/loopnest/variants.h"

namespace cambium::spaces::loopnest {

struct Listed {
  const Variant* variant = nullptr;
  std::string label;  // its moves
};

class Listing {
 public:
  // Of a layer whose neighbours stay as they are.
  Listing(Survey& survey, Layer layer, int moves);
  std::optional<Listed> next();

 private:
  void expand();

  Draft draft_;
  Layer layer_;
  Variants* variants_ = nullptr;
  int moves_;
  // Variants of so many moves, and of one more as far as they are known.
  std::vector<Listed> level_, level_behind_;
  std::size_t at_ = 0;     // next of the level
  std::size_t given_ = 0;  // of those behind
  std::set<Fingerprint> seen_;
};

}  // namespace cambium::spaces::loopnest
