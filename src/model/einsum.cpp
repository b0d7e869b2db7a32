#include "model/einsum.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"

namespace cambium::model {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

Rejection refuse(std::string_view equation, std::string why) {
  return {Reason::BadAttribute, fmt::format("equation {}", quote(equation)), std::move(why)};
}

}  // namespace

Result<EinsumEquation> parse_einsum(std::string_view equation) {
  const std::size_t arrow = equation.find("->");
  if (arrow == std::string_view::npos) return refuse(equation, "has no '->'");
  EinsumEquation out;
  for (const std::string_view term : split(equation.substr(0, arrow), ',')) {
    out.inputs.emplace_back(term);
  }
  out.output = equation.substr(arrow + 2);
  for (const std::string& term : out.inputs) {
    if (!std::all_of(term.begin(), term.end(), is_letter)) {
      return refuse(equation, "axes are named by letters only");
    }
  }
  for (std::size_t i = 0; i < out.output.size(); ++i) {
    const char letter = out.output[i];
    if (!is_letter(letter)) return refuse(equation, "axes are named by letters only");
    if (out.output.find(letter, i + 1) != std::string::npos) {
      return refuse(equation, fmt::format("the result names '{}' twice", letter));
    }
    const bool found = std::any_of(out.inputs.begin(), out.inputs.end(), [&](const auto& term) {
      return term.find(letter) != std::string::npos;
    });
    if (!found) return refuse(equation, fmt::format("no input has the axis '{}'", letter));
  }
  return out;
}

}  // namespace cambium::model
