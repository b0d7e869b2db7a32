// Finds every site that a selector may match: convolutions with a weight, linear layers (matmul or
// gemm with a weight, and the bias after it) and blocks. Internal to model/target.cpp.
#pragma once

#include <vector>

#include "model/relation.h"
#include "model/selector.h"
#include "model/target.h"

namespace cambium::model {

struct FoundSite {
  SiteFacts facts;
  Site site;  // its binding is empty until the target fills it
  Relation relation;
};

// In the model's order. A block has the position of its first node.
std::vector<FoundSite> find_sites(const Model& model);

}  // namespace cambium::model
