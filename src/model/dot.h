// A Model as Graphviz text, for `dot -Tsvg`: blocks are clusters, weights are left out (their
// readers say how large they are), and every edge carries the type of its value.
#pragma once

#include <string>

#include "model/model.h"

namespace cambium::model {

std::string to_dot(const Model& model);

}  // namespace cambium::model
