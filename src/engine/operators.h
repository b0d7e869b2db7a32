// Operators in a line: `conv2d(1x256x14x14, 256, kernel 3, pad 1)` is a model of that one operator,
// with activations in the order that they have inside a network (channels last). Refuses
// UnknownOperator, which says what is possible. Called by `cambium tune`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lower/layout.h"
#include "model/model.h"

namespace cambium::engine {

struct Operator {
  model::Model model;
  lower::Layouts layouts;
};

Result<Operator> parse_operator(std::string_view text);

// Whether a text is meant as an operator: it names no model, neither of the zoo nor a file.
bool looks_like_operator(std::string_view text);

// One line each: how it is written, and what it is.
struct OperatorForm {
  std::string example, summary;
};
std::vector<OperatorForm> operator_forms();

}  // namespace cambium::engine
