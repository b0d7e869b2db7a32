// Finds every place that a selector may choose: convolutions with a weight, linear layers (matmul
// or gemm with a weight, with the bias behind them) and blocks. Internal to model/target.cpp.
#pragma once

#include <vector>

#include "model/relation.h"
#include "model/selector.h"
#include "model/target.h"

namespace cambium::model {

struct FoundSite {
  SiteFacts facts;
  Site site;  // its binding is still empty: the target makes it
  Relation relation;
};

// In the model's order; a block stands where its first node stands.
std::vector<FoundSite> find_sites(const Model& model);

}  // namespace cambium::model
