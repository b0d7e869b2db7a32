// SizeTable: the names of the size variables of one target or task. Every text form needs one.
// Refuses a ninth variable of a kind, a bad or taken name, and text that is not a size. Sizes of
// different tables must not be mixed.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "expr/binding.h"
#include "expr/lexer.h"
#include "expr/size.h"

namespace cambium::expr {

class SizeTable {
 public:
  Result<SizeVar> add_primary(std::string_view name);
  Result<SizeVar> add_coefficient(std::string_view name);

  std::optional<SizeVar> find(std::string_view name) const;
  const std::string& name(SizeVar v) const { return names_[v.index]; }
  std::vector<SizeVar> vars() const;  // primary ones first, each in order of declaration

  // `4*k^2*H/g`: number, coefficients, primary variables, then denominators.
  std::string print(const Size& size) const;
  // Products and quotients of positive numbers and names, with `^` and parentheses.
  Result<Size> parse(std::string_view text) const;
  // The same within a longer text: stops at the end of the size.
  Result<Size> parse(Lexer& lexer) const;

  // `H=56, k=3`, in the order of `vars`, without unbound variables.
  std::string print(const Binding& binding) const;
  Result<Binding> parse_binding(std::string_view text) const;

  friend bool operator==(const SizeTable&, const SizeTable&) = default;

 private:
  Result<SizeVar> add(std::string_view name, int& count, int first, std::string_view kind);
  Result<Size> parse_unit(Lexer& lexer, int depth) const;
  Result<Size> parse_product(Lexer& lexer, int depth) const;

  std::array<std::string, kMaxVars> names_;
  int primaries_ = 0;
  int coefficients_ = 0;
};

}  // namespace cambium::expr
