// Reads operators from one line: `conv2d(1x256x14x14, 256, kernel 3, pad 1)` is a model of that one
// operator. Activations have the order that they have inside a network (channels last). Refuses
// UnknownOperator, with the possible forms. Called by `cambium tune`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lower/layout.h"
#include "model/model.h"

namespace cambium::trial {

struct Operator {
  model::Model model;
  lower::Layouts layouts;
};

Result<Operator> parse_operator(std::string_view text);

// Whether a text is meant as an operator: it names neither a model of the zoo nor a file.
bool looks_like_operator(std::string_view text);

// An example of each operator, and what it is.
struct OperatorForm {
  std::string example, summary;
};
std::vector<OperatorForm> operator_forms();

}  // namespace cambium::trial
