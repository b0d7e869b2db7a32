// Listing: lists the functions of a layer, breadth first: those of one move, then of two moves, and
// so on, each function once. Lists of candidates and options by layer are made from it.
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
  // Lists a layer whose neighbours stay unchanged.
  Listing(Survey& survey, Layer layer, int moves);
  std::optional<Listed> next();

 private:
  void expand();

  Draft draft_;
  Layer layer_;
  Variants* variants_ = nullptr;
  int moves_;
  // The variants of the current number of moves, and those found so far with one more.
  std::vector<Listed> level_, level_behind_;
  std::size_t at_ = 0;     // position of the next variant in `level_`
  std::size_t given_ = 0;  // number of returned variants of `level_behind_`
  std::set<Fingerprint> seen_;
};

}  // namespace cambium::spaces::loopnest
