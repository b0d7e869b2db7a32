// The parsed equation of an Einsum. Refuses equations that are not in the explicit form
// ("bij,bjk->bik"). Inference, the executor, costs and lowering all use this parser.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cambium::model {

struct EinsumEquation {
  std::vector<std::string> inputs;  // one letter per axis; a repeated letter takes the diagonal
  std::string output;               // letters are distinct and occur in some input
};

Result<EinsumEquation> parse_einsum(std::string_view equation);

}  // namespace cambium::model
