#include "spaces/coordinate/small_sizes.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/check.h"

namespace cambium::spaces::coordinate {
namespace {

using expr::Binding;
using expr::Size;
using expr::SizeVar;
using Values = std::vector<std::int64_t>;  // by binding

constexpr std::int64_t kPrimes[] = {2,  3,  5,  7,  11, 13, 17, 19, 23, 29,
                                    31, 37, 41, 43, 47, 53, 59, 61, 67, 71};

struct Rung {
  bool chained;  // coefficients divide each other as in the bindings
  int powers;    // how often a coefficient divides a primary variable at most
};
constexpr Rung kRungs[] = {{false, 1}, {false, 2}, {true, 1}};

bool divides_everywhere(const Values& d, const Values& n) {
  for (std::size_t b = 0; b < n.size(); ++b) {
    if (n[b] % d[b] != 0) return false;
  }
  return true;
}

class Ladder {
 public:
  explicit Ladder(const Problem& problem) : problem_(problem) {
    for (const SizeVar v : problem.sizes.vars()) {
      (v.is_primary() ? primaries_ : coefficients_).push_back(v);
      values_.emplace_back();
      for (const Binding& binding : problem.bindings) values_.back().push_back(binding[v]);
      vars_.push_back(v);
    }
    const auto is_block = [&](SizeVar c) {
      return std::any_of(primaries_.begin(), primaries_.end(),
                         [&](SizeVar p) { return divides_everywhere(values(c), values(p)); });
    };
    std::stable_sort(coefficients_.begin(), coefficients_.end(), [&](SizeVar a, SizeVar b) {
      return std::pair(is_block(a), values(a)) < std::pair(is_block(b), values(b));
    });
    for (const SizeVar c : coefficients_) {
      if (!is_block(c)) windows_.push_back(c);
    }
  }

  Binding at(const Rung& rung) const {
    Binding binding;
    assign_coefficients(rung, binding);
    std::int64_t window = 0;
    for (const SizeVar c : windows_) window = std::max(window, binding[c]);
    // What has many divisors is large already, so it gets the small factors.
    std::vector<SizeVar> order = primaries_;
    std::stable_sort(order.begin(), order.end(), [&](SizeVar a, SizeVar b) {
      return block_of(rung, binding, a) > block_of(rung, binding, b);
    });
    std::vector<std::int64_t> used;  // primes
    for (auto p = order.begin(); p != order.end(); ++p) {
      const auto equal = std::find_if(order.begin(), p,
                                      [&](SizeVar other) { return values(other) == values(*p); });
      if (is_batch(*p)) {
        set(binding, *p, 1);
      } else if (equal != p && !is_batch(*equal)) {
        set(binding, *p, binding[*equal]);
      } else {
        const std::int64_t block = block_of(rung, binding, *p);
        set(binding, *p, block * fresh_prime(block, window, used));
      }
    }
    return binding;
  }

 private:
  const Values& values(SizeVar v) const {
    return values_[static_cast<std::size_t>(std::find(vars_.begin(), vars_.end(), v) -
                                            vars_.begin())];
  }

  static void set(Binding& binding, SizeVar v, std::int64_t value) {
    CAMBIUM_CHECK(binding.set(v, value).ok(), "small sizes are positive");
  }

  // Fixed axes are read as they are; one element of them shows all.
  bool is_batch(SizeVar v) const {
    const auto uses = [&](const Size& axis) { return axis.powers()[v] != 0; };
    const auto count = std::count_if(problem_.input.begin(), problem_.input.end(), uses) +
                       std::count_if(problem_.output.begin(), problem_.output.end(), uses);
    return count == 2 &&
           std::any_of(problem_.fixed.begin(), problem_.fixed.end(), [&](const FixedPair& pair) {
             return problem_.input[pair.input] == Size::var(v) &&
                    problem_.output[pair.output] == Size::var(v);
           });
  }

  void assign_coefficients(const Rung& rung, Binding& binding) const {
    std::size_t next = 0;
    for (std::size_t i = 0; i < coefficients_.size(); ++i) {
      const SizeVar c = coefficients_[i];
      const Values& own = values(c);
      if (std::all_of(own.begin(), own.end(), [](std::int64_t v) { return v == 1; })) {
        set(binding, c, 1);
        continue;
      }
      const auto before = coefficients_.begin() + static_cast<std::ptrdiff_t>(i);
      const auto equal =
          std::find_if(coefficients_.begin(), before, [&](SizeVar d) { return values(d) == own; });
      if (equal != before) {
        set(binding, c, binding[*equal]);
        continue;
      }
      std::int64_t value = kPrimes[next++];
      if (rung.chained) {
        std::int64_t greatest = 1;
        for (auto d = coefficients_.begin(); d != before; ++d) {
          if (divides_everywhere(values(*d), own)) greatest = std::max(greatest, binding[*d]);
        }
        value *= greatest;
      }
      set(binding, c, value);
    }
  }

  // The coefficients that divide a primary variable in every binding, at small sizes. All of them
  // together may divide more than the bindings do, which harms nothing.
  std::int64_t block_of(const Rung& rung, const Binding& binding, SizeVar p) const {
    std::int64_t small = 1;
    std::vector<const Values*> counted;
    for (const SizeVar c : coefficients_) {
      const bool known = std::any_of(counted.begin(), counted.end(),
                                     [&](const Values* other) { return *other == values(c); });
      const int powers = powers_in(c, p, rung.powers * (known ? 2 : 1));
      counted.push_back(&values(c));
      for (int power = known ? rung.powers : 0; power < powers && binding[c] != 1; ++power) {
        small *= binding[c];
      }
    }
    return small;
  }

  // How often a coefficient divides a primary variable in every binding, up to `most`.
  int powers_in(SizeVar c, SizeVar p, int most) const {
    Values block(values(p).size(), 1);
    for (int power = 0; power < most; ++power) {
      bool fits = true;
      for (std::size_t b = 0; b < block.size(); ++b) {
        fits = !__builtin_mul_overflow(block[b], values(c)[b], &block[b]) && fits;
      }
      if (!fits || !divides_everywhere(block, values(p))) return power;
    }
    return most;
  }

  // Makes a block larger than the window on both sides, by a factor that no other variable has.
  static std::int64_t fresh_prime(std::int64_t block, std::int64_t window,
                                  std::vector<std::int64_t>& used) {
    const auto fits = [&](std::int64_t prime) {
      return block * prime > 2 * window && std::find(used.begin(), used.end(), prime) == used.end();
    };
    const auto* prime = std::find_if(std::begin(kPrimes), std::end(kPrimes), fits);
    CAMBIUM_CHECK(prime != std::end(kPrimes), "more primes than variables");
    used.push_back(*prime);
    return *prime;
  }

  const Problem& problem_;
  std::vector<SizeVar> vars_, primaries_, coefficients_, windows_;
  std::vector<Values> values_;  // by vars_
};

// The one with the smallest variables: elements do not matter, since only a few points are looked
// at.
Binding smallest_of(const Problem& problem) {
  const auto sum = [&](const Binding& binding) {
    double total = 0;
    for (const SizeVar v : problem.sizes.vars()) total += static_cast<double>(binding[v]);
    return total;
  };
  return *std::min_element(problem.bindings.begin(), problem.bindings.end(),
                           [&](const Binding& a, const Binding& b) { return sum(a) < sum(b); });
}

}  // namespace

std::vector<Binding> small_sizes(const Problem& problem) {
  const Ladder ladder(problem);
  std::vector<Binding> rungs;
  for (const Rung& rung : kRungs) {
    const Binding binding = ladder.at(rung);
    const auto is_whole = [&](const Size& axis) { return expr::evaluate(axis, binding).ok(); };
    const bool fits = std::all_of(problem.input.begin(), problem.input.end(), is_whole) &&
                      std::all_of(problem.output.begin(), problem.output.end(), is_whole);
    const bool known = std::find(rungs.begin(), rungs.end(), binding) != rungs.end();
    if (fits && !known) rungs.push_back(binding);
  }
  rungs.push_back(smallest_of(problem));
  return rungs;
}

}  // namespace cambium::spaces::coordinate
