// Finds the node that a toy edit names.
#pragma once

#include <string>

#include "base/result.h"
#include "model/model.h"

namespace cambium::spaces::testing {

// Refuses UnknownSite.
inline Result<const model::Node*> site_named(const model::Model& model, const std::string& name) {
  for (const model::NodePtr& node : model.nodes()) {
    if (node->name == name) return node.get();
  }
  return Rejection(Reason::UnknownSite, name, "it has " + std::to_string(model.nodes().size()));
}

}  // namespace cambium::spaces::testing
