// A Model as Graphviz text, for `dot -Tsvg`. Blocks are clusters, weights are omitted (their
// readers show their sizes), and every edge shows the type of its value.
#pragma once

#include <string>

#include "model/model.h"

namespace cambium::model {

std::string to_dot(const Model& model);

}  // namespace cambium::model
