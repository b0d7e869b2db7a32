#include "schedule/rules/digits.h"

#include <algorithm>

#include <fmt/format.h>

#include "expr/linear.h"

namespace cambium::schedule {

std::optional<std::vector<Digit>> digits_of(program::Expr index) {
  std::vector<Digit> digits;
  expr::Linear sum;
  if (!sum.add_scaled(index, expr::Monomial::of(1))) return std::nullopt;
  for (const expr::Term& term : sum.terms()) {
    if (term.atom == nullptr || term.atom->kind != expr::Kind::Axis) return std::nullopt;
    digits.push_back(
        {term.atom, term.coefficient.factor, expr::value_of(expr::extent_of(term.atom)).factor});
  }
  std::sort(digits.begin(), digits.end(),
            [](const Digit& a, const Digit& b) { return a.stride > b.stride; });
  std::int64_t stride = 1;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    if (digit->stride != stride) return std::nullopt;
    stride *= digit->extent;
  }
  if (digits.empty()) return std::nullopt;
  return digits;
}

Names digits_apart(std::size_t d, const std::vector<Digit>& digits) {
  Names names;
  for (const Digit& digit : digits) {
    std::string text = fmt::format("d{}", d);
    if (digit.stride > 1) text = fmt::format("({} / {})", text, digit.stride);
    if (&digit != &digits.front()) text = fmt::format("{} % {}", text, digit.extent);
    names.push_back(text);
  }
  return names;
}

}  // namespace cambium::schedule
