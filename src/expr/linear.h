// Linear: an expression as a sum of constants times atoms, with like terms collected. An atom is
// any expression other than a sum, product or constant. Matching, bounds and proofs use this normal
// form of sums and differences. Functions return false, with unspecified contents, on overflow.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "expr/context.h"

namespace cambium::expr {

struct Term {
  Monomial coefficient;  // not zero
  Expr atom;             // nullptr: a constant

  friend bool operator==(const Term&, const Term&) = default;
};

class Linear {
 public:
  Linear() = default;
  Linear(const Linear&) = delete;
  Linear& operator=(const Linear&) = delete;

  std::span<const Term> terms() const { return {data_, size_}; }
  bool empty() const { return size_ == 0; }
  void clear() { size_ = 0; }

  [[nodiscard]] bool add(const Monomial& coefficient, Expr atom);
  // scale * e, opening sums, products and constants.
  [[nodiscard]] bool add_scaled(Expr e, const Monomial& scale);
  [[nodiscard]] bool add_scaled(const Linear& other, const Monomial& scale);
  // Whether this sum contains all terms of scale * other, with equal coefficients.
  bool contains(const Linear& other, const Monomial& scale) const;

  void sort();  // the order in which sums are written; see `goes_before`
  // The sum as an expression, terms in order; 0 when empty.
  Expr build(Context& cx) const;
  Interval range(const Context& cx) const;
  bool symbolic() const;  // a size variable occurs

 private:
  void push(const Term& term);
  const Term* find(const Powers& powers, Expr atom) const;

  static constexpr std::size_t kInline = 12;
  std::array<Term, kInline> inline_;
  std::unique_ptr<Term[]> heap_;
  Term* data_ = inline_.data();
  std::size_t size_ = 0;
  std::size_t capacity_ = kInline;
};

// Positive terms first, of these the largest strides; constants last.
bool goes_before(const Term& s, const Term& t);

Expr build(Context& cx, const Term& term);

}  // namespace cambium::expr
