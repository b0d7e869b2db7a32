// Match: the values of the variables of a rule while it is tried, and the proof of its guard.
// Only the simplifier uses it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "expr/context.h"
#include "expr/linear.h"
#include "expr/rule_set.h"

namespace cambium::expr {

class Match {
 public:
  explicit Match(Context& cx) : cx_(cx) {}

  void reset();

  // Bind more variables so that the pattern equals the expression. If they return false, call
  // reset.
  bool tree(Expr pattern, Expr e);
  bool constant(const Monomial& pattern, const Monomial& value);
  // Binds c, m and y so that the sum is c*m + y. Returns false if m would be empty. The constant of
  // the sum is divided between m and y so that the least value of y lies in 0..c-1 (Down) or 1-c..0
  // (Up).
  enum class Rounding : std::uint8_t { Down, Up };
  bool partition(const Linear& sum, const Monomial& c, Rounding rounding = Rounding::Down);
  // Takes term number `i` as the anchor; binds its variables, and y to the remaining terms.
  bool anchored(const Linear& sum, std::size_t i, const CompiledRule& rule);
  // Matches the terms of the rule; the first of them is term number `i`. `left` becomes the sum
  // without the matched terms.
  bool terms(const Linear& sum, std::size_t i, const CompiledRule& rule, Linear& left);

  bool proves(const CompiledRule& rule);

  // The value of a constant pattern; nothing if it is not a constant of the right form.
  std::optional<Monomial> value(const Monomial& pattern) const;
  // The common factor by which the terms of a sum are multiplied.
  const Monomial& scale() const { return scale_; }
  // The node of a variable. `m` and a rest `y` are sums instead.
  const Linear* sum_of(Expr variable) const;
  Expr node_of(Expr variable) const { return nodes_[slot(variable)]; }
  Expr predicate_of(Expr variable) const { return predicates_[predicate_slot(variable)]; }

 private:
  static std::size_t slot(Expr variable) {
    return static_cast<std::size_t>(name_of(variable)[0] - 'x');
  }
  static std::size_t predicate_slot(Expr variable) {
    return static_cast<std::size_t>(name_of(variable->a)[0] - 'p');
  }
  bool bind(Expr& place, Expr e) {
    if (place == nullptr) place = e;
    return place == e;
  }
  std::int64_t share_of(std::int64_t number, const Monomial& c, Rounding rounding) const;
  bool take_term(const Linear& sum, const Term& pattern, Linear& left);
  bool holds(Expr condition);
  bool append(Linear& into, Expr pattern, const Monomial& scale) const;
  std::optional<bool> compare_by_range(Expr lesser, Expr greater, std::int64_t slack) const;
  bool not_greater(Expr lesser, Expr greater, std::int64_t slack);

  static constexpr std::size_t kConstants = 4;

  Context& cx_;
  std::array<Expr, 3> nodes_{};       // x y z
  std::array<Expr, 3> predicates_{};  // p q r
  std::array<Monomial, kConstants> constants_;
  std::uint8_t bound_ = 0;  // bit i: constants_[i] holds
  bool y_is_rest_ = false;
  Monomial scale_;
  Linear multiple_;  // m
  Linear rest_;      // y, if it is a sum
};

}  // namespace cambium::expr
