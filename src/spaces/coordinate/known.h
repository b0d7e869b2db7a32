// A catalogue of operators that have names, each as a document with a problem to stand in. Tests
// evaluate them, synthesis must reach them, `cambium synth` lists them.
#pragma once

#include <span>
#include <string_view>

#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/problem.h"

namespace cambium::spaces::coordinate {

struct KnownOperator {
  std::string_view name;
  std::string_view what;      // one line
  std::string_view document;  // document.h
  std::string_view binding;   // small numbers, of which it can be evaluated
  int primitives;             // structure.h
};

std::span<const KnownOperator> known_operators();
const KnownOperator* find_known(std::string_view name);  // nothing if there is none

// The shapes of its document with its binding.
Problem problem_of(const KnownOperator& known);
Operator operator_of(const KnownOperator& known);  // for that problem

}  // namespace cambium::spaces::coordinate
