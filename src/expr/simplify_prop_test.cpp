// Rng expressions, by seed: what simplification, printing and the analyses promise holds for
// them. A case that fails is made smaller before it is shown.
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "expr/bounds.h"
#include "expr/divisibility.h"
#include "expr/evaluate.h"
#include "expr/expr_testing.h"

namespace cambium::expr {
namespace {

constexpr std::uint64_t kSeed = 20261115;
const char* const kBindings[] = {"Ci=64, H=14, W=9, k=3, s=2, g=8",
                                 "Ci=12, H=5, W=1, k=5, s=1, g=4",
                                 "Ci=6, H=30, W=2, k=2, s=3, g=6"};

// Half the cases know the bindings, and may use them; the others must hold for all sizes.
int cases() {
  const char* asked = std::getenv("CAMBIUM_PROPERTY_CASES");
  return asked != nullptr ? std::atoi(asked) : 1500;
}

class Generator {
 public:
  Generator(Context& cx, Rng& random) : cx_(cx), random_(random) {}

  Expr index(int depth) {
    if (depth == 0 || random_.below(6) == 0) return leaf();
    switch (random_.below(9)) {
      case 0:
      case 1:
      case 2: return add(cx_, index(depth - 1), index(depth - 1));
      case 3: return sub(cx_, index(depth - 1), index(depth - 1));
      case 4: return mul(cx_, index(depth - 1), factor());
      case 5: return div(cx_, index(depth - 1), divisor());
      case 6: return mod(cx_, index(depth - 1), divisor());
      case 7: return min(cx_, index(depth - 1), index(depth - 1));
      default: return max(cx_, index(depth - 1), index(depth - 1));
    }
  }

  Expr predicate(int depth) {
    switch (random_.below(depth == 0 ? 2 : 5)) {
      case 0: return less(cx_, index(depth), index(depth));
      case 1: return equal(cx_, index(depth), index(depth));
      case 2: return logical_and(cx_, predicate(depth - 1), predicate(depth - 1));
      case 3: return logical_or(cx_, predicate(depth - 1), predicate(depth - 1));
      default: return logical_not(cx_, predicate(depth - 1));
    }
  }

 private:
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(n)));
  }
  Expr leaf() {
    if (random_.below(4) == 0) return cx_.constant(below(41) - 20);
    if (random_.below(6) == 0) return cx_.constant(divisor());
    constexpr auto kCount = std::size(ExprFixture::kAxes);
    return cx_.find_axis(ExprFixture::kAxes[random_.below(kCount)].name);
  }
  Monomial factor() {
    Monomial value = Monomial::of(divisor());
    if (random_.below(3) == 0) value = negate(value);
    return value;
  }
  Size divisor() {
    static constexpr const char* kSizes[] = {"W", "H", "k", "Ci/g", "g", "2*W", "s*H", "Ci"};
    if (random_.below(3) == 0) return *cx_.sizes().parse(kSizes[random_.below(8)]);
    static constexpr std::int64_t kNumbers[] = {1, 2, 3, 4, 6, 7, 8, 16, 64};
    return Size(kNumbers[random_.below(9)]);
  }

  Context& cx_;
  Rng& random_;
};

using Property = std::function<std::string(ExprFixture&, Expr)>;  // empty: holds

// Replaces the expression by its own parts of the same sort as long as one of them fails too.
std::string shrink(const Property& property, ExprFixture& fixture, Expr e, std::string failure) {
  for (Expr part : {e->a, e->b}) {
    if (info(e->kind).operands == 0 || part == nullptr) continue;
    std::string smaller = property(fixture, part);
    if (!smaller.empty()) return shrink(property, fixture, part, std::move(smaller));
  }
  return failure;
}

void for_random_expressions(const Property& property) {
  Rng seeds(kSeed);
  for (int n = 0; n < cases(); ++n) {
    const std::uint64_t seed = seeds.next_u64();
    Rng random(seed);
    const std::size_t known = random.below(4);  // 3: no bindings
    ExprFixture fixture(known == 3 ? std::vector<std::string>{}
                                   : std::vector<std::string>{kBindings[known]});
    Generator generator(*fixture.cx, random);
    Expr e = random.below(3) == 0 ? generator.predicate(2) : generator.index(5);
    const std::string failure = property(fixture, e);
    if (failure.empty()) continue;
    ADD_FAILURE() << "seed " << seed << ": " << shrink(property, fixture, e, failure);
    return;
  }
}

// The value of both at several random points inside the ranges of the axes.
std::string compare_at_points(ExprFixture& fixture, Expr e, Expr other,
                              const std::function<std::string(std::int64_t, std::int64_t)>& test) {
  Context& cx = *fixture.cx;
  Rng random(e->fingerprint.low);
  for (int n = 0; n < 24; ++n) {
    const Binding sizes = cx.bindings().empty()
                              ? *cx.sizes().parse_binding(kBindings[random.below(3)])
                              : cx.bindings()[0];
    std::vector<AxisValue> axes;
    std::string where = cx.sizes().print(sizes);
    for (const auto& named : ExprFixture::kAxes) {
      Expr axis = cx.find_axis(named.name);
      const std::int64_t extent = *evaluate(extent_of(axis), {}, sizes);
      // Ends more often than the middle, where little goes wrong.
      const std::uint64_t end = random.below(4);
      const std::int64_t value =
          end == 0   ? 0
          : end == 1 ? extent - 1
                     : static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(extent)));
      axes.push_back({axis, value});
      where += std::string(", ") + named.name + "=" + std::to_string(value);
    }
    const auto value = evaluate(e, axes, sizes);
    const auto other_value = evaluate(other, axes, sizes);
    if (!value.ok()) continue;  // e.g. a size that is no integer in this binding
    const std::string failure =
        other_value.ok() ? test(*value, *other_value) : other_value.rejection().message();
    if (!failure.empty()) {
      return print(cx, e) + "  ->  " + print(cx, other) + "  at " + where + ": " + failure;
    }
  }
  return {};
}

TEST(SimplifyProperty, KeepsTheValue) {
  for_random_expressions([](ExprFixture& fixture, Expr e) {
    return compare_at_points(fixture, e, simplify(*fixture.cx, e), [](auto before, auto after) {
      return before == after ? "" : std::to_string(before) + " became " + std::to_string(after);
    });
  });
}

TEST(SimplifyProperty, IsAtItsFixpointInAFreshContextAndReturnsTheSameNode) {
  for_random_expressions([](ExprFixture& fixture, Expr e) -> std::string {
    const std::string once = print(*fixture.cx, simplify(*fixture.cx, e));
    std::vector<std::string> bindings;
    for (const Binding& b : fixture.cx->bindings()) {
      bindings.push_back(fixture.cx->sizes().print(b));
    }
    ExprFixture fresh(bindings);
    Expr again = fresh.read(once);
    const std::size_t before = fresh.cx->node_count();
    if (simplify(*fresh.cx, again) != again) {
      return print(*fixture.cx, e) + "  ->  " + once + "  ->  " + fresh.simple(once);
    }
    return fresh.cx->node_count() == before ? "" : once + " allocated";
  });
}

TEST(SimplifyProperty, WhatIsPrintedIsReadBackAsTheSameNode) {
  for_random_expressions([](ExprFixture& fixture, Expr e) -> std::string {
    const std::string text = print(*fixture.cx, e);
    const auto parsed = parse(*fixture.cx, text);
    if (!parsed.ok()) return text + ": " + parsed.rejection().message();
    ExprFixture other;
    if (other.read(text)->fingerprint != e->fingerprint) return text + ": other fingerprint";
    return *parsed == e ? "" : text + " became " + print(*fixture.cx, *parsed);
  });
}

TEST(SimplifyProperty, BoundsContainTheValue) {
  for_random_expressions([](ExprFixture& fixture, Expr e) {
    return compare_at_points(fixture, e, e, [e](std::int64_t value, std::int64_t) {
      return e->range.contains(value) ? "" : std::to_string(value) + " is out of its range";
    });
  });
}

TEST(SimplifyProperty, BoundsBySizesContainTheValue) {
  for_random_expressions([](ExprFixture& fixture, Expr e) -> std::string {
    Context& cx = *fixture.cx;
    const auto as_expression = [&cx](const Polynomial& p) {
      Expr sum = cx.constant(0);
      for (const Monomial& term : p.terms()) sum = add(cx, sum, cx.constant(term));
      return sum;
    };
    const SizeRange& range = size_range(cx, e);
    std::string failure;
    if (range.lo) {
      failure = compare_at_points(fixture, e, as_expression(*range.lo), [](auto value, auto lo) {
        return lo <= value ? "" : std::to_string(value) + " is below " + std::to_string(lo);
      });
    }
    if (range.hi && failure.empty()) {
      failure = compare_at_points(fixture, e, as_expression(*range.hi), [](auto value, auto hi) {
        return value <= hi ? "" : std::to_string(value) + " is above " + std::to_string(hi);
      });
    }
    return failure;
  });
}

TEST(SimplifyProperty, RemaindersAreAsAnalyzed) {
  for_random_expressions([](ExprFixture& fixture, Expr e) {
    const Residue known = residue_of(e);
    const bool by_four = !is_predicate(e) && provably_divisible(*fixture.cx, e, Monomial::of(4));
    return compare_at_points(fixture, e, e, [&](std::int64_t value, std::int64_t) -> std::string {
      const bool right = known.modulus == 0 ? value == known.remainder
                                            : floor_mod(value, known.modulus) == known.remainder;
      if (!right) return std::to_string(value) + " has another remainder";
      return by_four && value % 4 != 0 ? std::to_string(value) + " is no multiple of 4" : "";
    });
  });
}

}  // namespace
}  // namespace cambium::expr
