#include "schedule/rules/index_digits.h"

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

DigitDims digit_dims(std::span<const program::Expr> indices) {
  DigitDims dims;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const auto digits = digits_of(indices[d]);
    if (!digits || digits->size() < 2) {
      dims.together.push_back(fmt::format("d{}", dims.apart.size()));
      dims.apart.push_back(fmt::format("d{}", d));
      continue;
    }
    dims.changes = true;
    std::string sum;
    for (const Digit& digit : *digits) {
      sum += fmt::format("{}{}*d{}", sum.empty() ? "" : " + ", digit.stride, dims.apart.size());
      std::string text = fmt::format("d{}", d);
      if (digit.stride > 1) text = fmt::format("({} / {})", text, digit.stride);
      if (&digit != &digits->front()) text = fmt::format("{} % {}", text, digit.extent);
      dims.apart.push_back(text);
    }
    dims.together.push_back(sum);
  }
  return dims;
}

}  // namespace cambium::schedule
