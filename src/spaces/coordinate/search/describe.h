// An operator at the places of a family, for people: by its name where the catalogue has it,
// whatever equations it was written in.
#pragma once

#include <string>

#include "spaces/coordinate/search/family.h"
#include "spaces/space.h"

namespace cambium::spaces::coordinate {

// The name of the operator of the catalogue that computes the same; empty if there is none.
std::string catalogue_name(const Problem& problem, const Operator& op);

Description description_of(const Family& family, const Operator& op);

}  // namespace cambium::spaces::coordinate
