// RuleSet: the rows of rules/, read once and sorted by root and shape, so that matching parses
// nothing. Immutable, shared by all contexts. A row that cannot be read is a bug.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "expr/context.h"
#include "expr/linear.h"
#include "expr/rules/rule.h"

namespace cambium::expr {

// How a row is matched.
enum class Shape : std::uint8_t {
  Tree,       // operand by operand
  Partition,  // the first operand, or the difference of the two, is split into c*m + y
  Anchored,   // the first operand is a sum of one given term and the rest, d*(...) + y
  Terms,      // some of the terms of a sum
};

struct CompiledRule {
  std::size_t index;  // of the row, over all groups; counts firings
  Shape shape;
  Expr left;  // the operands of the root, as patterns
  Expr right;
  bool divisor_is_c;        // of a Partition under / or %: the row fixes c
  std::vector<Term> terms;  // of a sum, for Anchored and Terms
  std::vector<Expr> guard;  // all must be proved
  Expr result;
};

class RuleSet {
 public:
  static const RuleSet& standard();

  RuleSet();
  std::span<const Rule> rows() const { return rows_; }  // of all groups
  Kind root_of(std::size_t row) const { return roots_[row]; }
  std::span<const CompiledRule> of(Kind root) const {
    return by_root_[static_cast<std::size_t>(root)];
  }
  // Parses a row's text, with the names of rule.h. A pattern is an expression, too.
  Expr read(std::string_view text) const;

 private:
  void add(Kind root, const Rule& row);
  void add_variants(std::size_t index, Kind root, Expr pattern, const CompiledRule& rest);

  mutable Context patterns_;  // grows only while the set is built
  std::vector<Rule> rows_;
  std::vector<Kind> roots_;
  std::array<std::vector<CompiledRule>, kNodeKinds> by_root_;
};

// The variables of patterns. Index variables are axes. A predicate variable p is written `p < 0`,
// because an axis is not a predicate. Constants are size variables.
inline bool is_index_variable(Expr pattern) {
  return pattern->kind == Kind::Axis;
}
inline bool is_predicate_variable(Expr pattern) {
  return pattern->kind == Kind::Less && pattern->a->kind == Kind::Axis &&
         name_of(pattern->a)[0] >= 'p' && name_of(pattern->a)[0] <= 'r';
}

}  // namespace cambium::expr
