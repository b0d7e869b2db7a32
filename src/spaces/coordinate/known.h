// The catalogue of named operators, each as a document with the binding of its problem. Tests
// evaluate them, synthesis must reach them, and `cambium synth` lists them.
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
  std::string_view binding;   // small numbers, so that it can be evaluated
  int primitives;             // structure.h
};

std::span<const KnownOperator> known_operators();
const KnownOperator* find_known(std::string_view name);  // null if unknown

// The shapes of its document with its binding.
Problem problem_of(const KnownOperator& known);
Operator operator_of(const KnownOperator& known);  // for that problem

}  // namespace cambium::spaces::coordinate
