// Describes an operator at the places of a family, for people. An operator of the catalogue gets
// its name, however its equations are written.
#pragma once

#include <string>

#include "spaces/coordinate/search/family.h"
#include "spaces/space.h"

namespace cambium::spaces::coordinate {

// The name of the catalogue's operator that computes the same function; empty if there is none.
std::string catalogue_name(const Problem& problem, const Operator& op);

Description description_of(const Family& family, const Operator& op);

}  // namespace cambium::spaces::coordinate
