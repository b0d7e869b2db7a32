// Context: the owner of the index expressions of one task. It interns them (building the same
// expression twice gives the same pointer), knows the names of their sizes and, if given, the
// bindings over which facts must hold, and frees everything at once. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "expr/arena.h"
#include "expr/binding.h"
#include "expr/node.h"
#include "expr/size_table.h"

namespace cambium::expr {

class Context {
 public:
  // Without bindings, a proof holds for all positive sizes; with bindings, for these only.
  explicit Context(SizeTable sizes = {}, std::vector<Binding> bindings = {});
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const SizeTable& sizes() const { return sizes_; }
  std::span<const Binding> bindings() const { return bindings_; }

  Expr constant(const Monomial& value);
  Expr constant(std::int64_t number) { return constant(Monomial::of(number)); }
  Expr constant(const Size& size) { return constant(Monomial::of(size)); }
  Expr boolean(bool value) { return value ? true_ : false_; }

  // The axis of that name and extent. Axes of the same name and different extents are different
  // axes, because one context holds many versions of a program, each with its own unique names.
  // Refuses BadName, and NameTaken when a size has the name.
  Result<Expr> axis(std::string_view name, Expr extent);
  Result<Expr> axis(std::string_view name, const Size& extent) {
    return axis(name, constant(extent));
  }
  // nullptr: no axis has that name, or several have it.
  Expr find_axis(std::string_view name) const;
  std::size_t count_axes(std::string_view name) const;

  // The node of that kind on operands of this context, not simplified.
  Expr node(Kind kind, Expr a, Expr b);

  // The same node if it exists already, otherwise nullptr.
  Expr find(Kind kind, Expr a, Expr b) const;

  // The interval of a node or a constant.
  Interval range_of(Kind kind, Expr a, Expr b) const;
  Interval range_of(const Monomial& value) const;
  // Whether it is an integer: by its form, or in every binding.
  bool is_integer(const Monomial& value) const;
  // a/c, if it is an integer by its form. A size over coefficients, such as Ci/g, need only be an
  // integer in every binding. (A number over a coefficient, such as 6/g, is never the result.)
  std::optional<Monomial> whole_quotient(const Monomial& a, const Monomial& c) const;

  std::size_t node_count() const { return count_; }
  std::size_t bytes() const { return arena_.bytes(); }
  Arena& arena() { return arena_; }

  // How often each rule has fired here, in the order of the rule set.
  std::vector<std::uint32_t>& fired() { return fired_; }

 private:
  std::size_t slot_of(std::uint64_t hash) const { return hash & (table_.size() - 1); }
  std::size_t probe(std::uint64_t hash, Kind kind, Expr a, Expr b) const;
  std::size_t probe_axis(std::uint64_t hash, std::string_view name, Expr extent) const;
  void insert(std::size_t slot, const Node* node, std::uint64_t hash);
  void grow();

  struct Entry {
    std::uint64_t hash;
    const Node* node;  // nullptr: the entry is free
  };

  SizeTable sizes_;
  std::vector<Binding> bindings_;
  Arena arena_;
  std::vector<Entry> table_;  // open addressing, a power of two
  std::size_t count_ = 0;
  std::vector<const AxisNode*> axes_;
  std::vector<std::uint32_t> fired_;
  Expr true_ = nullptr;
  Expr false_ = nullptr;
};

// Builders. Nothing is simplified, except that constants multiply at once: 2*(3*x) is 6*x.
Expr add(Context& cx, Expr x, Expr y);
Expr sub(Context& cx, Expr x, Expr y);  // x + -1*y
Expr mul(Context& cx, Expr x, const Monomial& c);
Expr mul(Context& cx, Expr x, const Size& c);
Expr div(Context& cx, Expr x, const Size& c);
Expr mod(Context& cx, Expr x, const Size& c);
Expr min(Context& cx, Expr x, Expr y);
Expr max(Context& cx, Expr x, Expr y);
Expr less(Context& cx, Expr x, Expr y);
Expr less_equal(Context& cx, Expr x, Expr y);  // !(y < x)
Expr equal(Context& cx, Expr x, Expr y);
Expr logical_and(Context& cx, Expr p, Expr q);
Expr logical_or(Context& cx, Expr p, Expr q);
Expr logical_not(Context& cx, Expr p);

}  // namespace cambium::expr
