#include "expr/rule_set.h"

#include <string>

#include "expr/text.h"

namespace cambium::expr {
namespace {

constexpr std::string_view kIndexVariables[] = {"x", "y", "z", "m"};
constexpr std::string_view kPredicateVariables[] = {"p", "q", "r"};
constexpr std::string_view kConstantVariables[] = {"a", "b", "c", "d"};

SizeTable constants() {
  SizeTable table;
  for (const std::string_view name : kConstantVariables) (void)table.add_primary(name).value();
  return table;
}

std::vector<Term> terms_of(Expr sum) {
  Linear linear;
  CAMBIUM_CHECK(linear.add_scaled(sum, Monomial::of(1)), "a rule holds small numbers");
  return {linear.terms().begin(), linear.terms().end()};
}

bool is_variable(Expr e, std::string_view name) {
  return e != nullptr && e->kind == Kind::Axis && name_of(e) == name;
}

Shape shape_of(Kind root, Expr left) {
  if (root == Kind::Add) return Shape::Terms;
  if (left->kind != Kind::Add) return Shape::Tree;
  for (const Term& term : terms_of(left)) {
    if (is_variable(term.atom, "m")) return Shape::Partition;
  }
  return Shape::Anchored;
}

void split_conjunction(Expr guard, std::vector<Expr>& into) {
  if (guard->kind == Kind::And) {
    split_conjunction(guard->a, into);
    split_conjunction(guard->b, into);
  } else {
    into.push_back(guard);
  }
}

// Every way to write the pattern with the operands of commutative operators exchanged.
std::vector<Expr> exchanges(Context& cx, Expr e) {
  if (info(e->kind).operands == 0 || e->kind == Kind::Add || is_predicate_variable(e)) return {e};
  std::vector<Expr> all;
  for (Expr a : exchanges(cx, e->a)) {
    if (e->b == nullptr) {
      all.push_back(cx.node(e->kind, a, nullptr));
      continue;
    }
    for (Expr b : exchanges(cx, e->b)) {
      all.push_back(cx.node(e->kind, a, b));
      if (is_commutative(e->kind)) all.push_back(cx.node(e->kind, b, a));
    }
  }
  return all;
}

}  // namespace

const RuleSet& RuleSet::standard() {
  static const RuleSet kStandard;
  return kStandard;
}

RuleSet::RuleSet() : patterns_(constants()) {
  for (const std::string_view name : kIndexVariables) (void)patterns_.axis(name, Size()).value();
  for (const std::string_view name : kPredicateVariables) {
    (void)patterns_.axis(name, Size()).value();
  }
  for (const RuleGroup& group :
       {add_rules(), div_rules(), mod_rules(), min_rules(), max_rules(), less_rules(),
        equal_rules(), and_rules(), or_rules(), not_rules()}) {
    for (const Rule& row : group.rules) add(group.root, row);
  }
}

Expr RuleSet::read(std::string_view text) const {
  const auto meaning = [this](std::string_view name) -> Expr {
    Expr variable = patterns_.find_axis(name);
    if (variable == nullptr) return nullptr;
    const bool predicate = name[0] >= 'p' && name[0] <= 'r';
    return predicate ? less(patterns_, variable, patterns_.constant(0)) : variable;
  };
  auto parsed = parse(patterns_, text, meaning).at(std::string(text));
  return std::move(parsed).value();
}

void RuleSet::add(Kind root, const Rule& row) {
  const std::size_t index = rows_.size();
  rows_.push_back(row);
  roots_.push_back(root);
  CompiledRule rest{index, Shape::Tree, nullptr, nullptr, false, {}, {}, read(row.result)};
  if (!row.guard.empty()) split_conjunction(read(row.guard), rest.guard);
  add_variants(index, root, read(row.pattern), rest);
}

void RuleSet::add_variants(std::size_t index, Kind root, Expr pattern, const CompiledRule& rest) {
  CAMBIUM_CHECK(pattern->kind == root, rows_[index].name);
  std::vector<CompiledRule>& group = by_root_[static_cast<std::size_t>(root)];
  const Shape shape = shape_of(root, pattern->a);
  const std::vector<Expr> patterns =
      shape == Shape::Tree ? exchanges(patterns_, pattern) : std::vector<Expr>{pattern};
  for (Expr variant : patterns) {
    CompiledRule rule = rest;
    rule.shape = shape;
    rule.left = variant->a;
    rule.right = variant->b;
    rule.divisor_is_c = shape == Shape::Partition && variant->b == read("c");
    if (shape == Shape::Terms) rule.terms = terms_of(variant);
    if (shape == Shape::Anchored) rule.terms = terms_of(variant->a);
    group.push_back(std::move(rule));
  }
}

}  // namespace cambium::expr
