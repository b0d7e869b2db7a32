#include "expr/z3_prover.h"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <z3++.h>

namespace cambium::expr {
namespace {

constexpr int kLargestDivisor = 16;
using Numbers = std::map<std::size_t, int>;  // values of constant variables that are fixed

// Says what an expression over pattern variables means to z3. Division is by its definition, two
// fresh numbers x = c*q + r with 0 <= r < c, of which there is exactly one pair when c > 0. Every
// row's guard makes its divisors positive, so nothing is assumed that could make a wrong row pass.
class Translator {
 public:
  Translator(z3::context& z3, const Numbers& fixed) : z3_(z3), fixed_(fixed) {}

  z3::expr index(Expr e) {
    switch (e->kind) {
      case Kind::Const: return constant(value_of(e));
      case Kind::Axis: return z3_.int_const(std::string(name_of(e)).c_str());
      case Kind::Add: return index(e->a) + index(e->b);
      case Kind::Mul: return constant(value_of(e->b)) * index(e->a);
      case Kind::Div: return division(index(e->a), constant(value_of(e->b))).q;
      case Kind::Mod: return division(index(e->a), constant(value_of(e->b))).r;
      case Kind::Min: return z3::ite(index(e->a) <= index(e->b), index(e->a), index(e->b));
      case Kind::Max: return z3::ite(index(e->a) <= index(e->b), index(e->b), index(e->a));
      case Kind::Bool:
      case Kind::Less:
      case Kind::Equal:
      case Kind::And:
      case Kind::Or:
      case Kind::Not: break;
    }
    CAMBIUM_CHECK(false, "not an index");
    return z3_.int_val(0);
  }

  z3::expr predicate(Expr e) {
    switch (e->kind) {
      case Kind::Bool: return z3_.bool_val(truth_of(e));
      case Kind::Less: return index(e->a) < index(e->b);
      case Kind::Equal: return index(e->a) == index(e->b);
      case Kind::And: return predicate(e->a) && predicate(e->b);
      case Kind::Or: return predicate(e->a) || predicate(e->b);
      case Kind::Not: return !predicate(e->a);
      case Kind::Const:
      case Kind::Axis:
      case Kind::Add:
      case Kind::Mul:
      case Kind::Div:
      case Kind::Mod:
      case Kind::Min:
      case Kind::Max: break;
    }
    CAMBIUM_CHECK(false, "not a predicate");
    return z3_.bool_val(false);
  }

  const std::vector<z3::expr>& definitions() const { return definitions_; }
  std::vector<z3::expr> divisors() const {
    std::vector<z3::expr> all;
    for (const Division& division : divisions_) all.push_back(division.c);
    return all;
  }

 private:
  z3::expr constant(const Monomial& value) {
    z3::expr product = z3_.int_val(static_cast<int>(value.factor));
    for (std::uint8_t i = 0; i < 4; ++i) {
      const int power = value.powers[SizeVar{i}];
      CAMBIUM_CHECK(power >= 0, "exact quotients are not translated");
      const auto number = fixed_.find(i);
      for (int p = 0; p < power; ++p) {
        product =
            product * (number != fixed_.end()
                           ? z3_.int_val(number->second)
                           : z3_.int_const(std::string(1, static_cast<char>('a' + i)).c_str()));
      }
    }
    return product.simplify();
  }

  struct Division {
    z3::expr x, c, q, r;
  };

  const Division& division(const z3::expr& x, const z3::expr& c) {
    for (const Division& known : divisions_) {
      if (z3::eq(known.x, x) && z3::eq(known.c, c)) return known;
    }
    const std::string number = std::to_string(divisions_.size());
    const z3::expr q = z3_.int_const(("q" + number).c_str());
    const z3::expr r = z3_.int_const(("r" + number).c_str());
    definitions_.push_back(x == c * q + r && 0 <= r && r < c);
    divisions_.push_back({x, c, q, r});
    return divisions_.back();
  }

  z3::context& z3_;
  const Numbers& fixed_;
  std::deque<Division> divisions_;
  std::vector<z3::expr> definitions_;
};

Verdict prove(z3::context& z3, const RuleSet& rules, const Rule& rule, const Numbers& fixed,
              unsigned milliseconds) {
  // Eliminating what definitions fix turns products of variables into sums z3 can compare.
  z3::solver solver = (z3::tactic(z3, "simplify") & z3::tactic(z3, "solve-eqs") &
                       z3::tactic(z3, "simplify") & z3::tactic(z3, "smt"))
                          .mk_solver();
  z3::params params(z3);
  params.set("timeout", milliseconds);
  solver.set(params);
  Translator translator(z3, fixed);
  Expr pattern = rules.read(rule.pattern);
  Expr result = rules.read(rule.result);
  const bool predicates = is_predicate(pattern);
  const z3::expr different = predicates
                                 ? translator.predicate(pattern) != translator.predicate(result)
                                 : translator.index(pattern) != translator.index(result);
  if (!rule.guard.empty()) solver.add(translator.predicate(rules.read(rule.guard)));
  for (const z3::expr& divisor : translator.divisors()) {
    solver.push();
    solver.add(divisor <= 0);
    const z3::check_result found = solver.check();
    if (found == z3::sat) return Verdict::Invalid;  // division would not be defined
    if (found == z3::unknown) return Verdict::Undecided;
    solver.pop();
  }
  solver.add(different);
  for (const z3::expr& definition : translator.definitions()) solver.add(definition);
  switch (solver.check()) {
    case z3::unsat: return Verdict::Valid;
    case z3::sat: return Verdict::Invalid;
    case z3::unknown: break;
  }
  return Verdict::Undecided;
}

// Which constant variables stand in divisors.
void collect_divisors(Expr e, std::set<std::size_t>& into) {
  if (e->kind == Kind::Div || e->kind == Kind::Mod) {
    for (std::uint8_t i = 0; i < 4; ++i) {
      if (value_of(e->b).powers[SizeVar{i}] != 0) into.insert(i);
    }
  }
  if (info(e->kind).operands >= 1) collect_divisors(e->a, into);
  if (info(e->kind).operands == 2) collect_divisors(e->b, into);
}

}  // namespace

Verdict prove_symbolic(const RuleSet& rules, const Rule& rule, unsigned milliseconds) {
  z3::context z3;
  return prove(z3, rules, rule, {}, milliseconds);
}

Verdict prove_bounded(const RuleSet& rules, const Rule& rule, unsigned milliseconds) {
  std::set<std::size_t> divisors;
  collect_divisors(rules.read(rule.pattern), divisors);
  collect_divisors(rules.read(rule.result), divisors);
  const std::vector<std::size_t> places(divisors.begin(), divisors.end());
  z3::context z3;
  Numbers fixed;
  for (const std::size_t place : places) fixed[place] = 1;
  while (true) {
    const Verdict verdict = prove(z3, rules, rule, fixed, milliseconds);
    if (verdict != Verdict::Valid) return verdict;
    std::size_t i = 0;
    while (i < places.size() && ++fixed[places[i]] > kLargestDivisor) fixed[places[i++]] = 1;
    if (i == places.size()) return Verdict::Valid;
  }
}

}  // namespace cambium::expr
