// Operators that have names, for tests of lowerings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spaces/coordinate/document.h"
#include "spaces/coordinate/known.h"

namespace cambium::spaces::coordinate::testing {

struct Known {
  std::string_view document, binding;

  Problem problem(std::string_view at = {}) const {
    const DocumentShapes shapes = document_shapes(document).value();
    const std::vector<std::string> bindings{std::string(at.empty() ? binding : at)};
    return problem_of(shapes.input, shapes.output, bindings).value();
  }
  Operator op(const Problem& problem) const { return parse(problem, document).value(); }
};

inline Known known(std::string_view name) {
  const KnownOperator* found = find_known(name);
  return {found->document, found->binding};
}

// Figure 4 of the paper.
inline constexpr Known kFigure4{
    "operator [H] -> [H/s]\nout i\nsum a: k, b: s\nx split(b, unfold(i, a))", "H=120, k=5, s=4"};

}  // namespace cambium::spaces::coordinate::testing
