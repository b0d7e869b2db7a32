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

  // Extend what is bound so that the pattern becomes the thing; after a false, reset.
  bool tree(Expr pattern, Expr e);
  bool constant(const Monomial& pattern, const Monomial& value);
  // Binds c, m and y: the sum is c*m + y. False when m would be nothing. A number is shared out so
  // that the least value of y lies in 0..c-1 (Down) or 1-c..0 (Up).
  enum class Rounding : std::uint8_t { Down, Up };
  bool partition(const Linear& sum, const Monomial& c, Rounding rounding = Rounding::Down);
  // Binds the variables of the anchor and y, the rest: term number `i` is the anchor.
  bool anchored(const Linear& sum, std::size_t i, const CompiledRule& rule);
  // Binds from term number `i` as the first of the rule's terms; `left` becomes the sum without
  // the matched terms.
  bool terms(const Linear& sum, std::size_t i, const CompiledRule& rule, Linear& left);

  bool proves(const CompiledRule& rule);

  // What a constant pattern stands for; nothing when it does not fit.
  std::optional<Monomial> value(const Monomial& pattern) const;
  // By what the terms of a sum are multiplied.
  const Monomial& scale() const { return scale_; }
  // The node of a variable; `m` and a rest are sums instead.
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
  Linear rest_;      // y, when it is one
};

}  // namespace cambium::expr
