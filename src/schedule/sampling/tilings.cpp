#include "schedule/sampling/tilings.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "schedule/sampling/choices.h"

namespace cambium::schedule {
namespace {

constexpr std::int64_t kMostParts = 8;
constexpr std::int64_t kLargest = std::int64_t{1} << 40;  // and so 2^20 steps find its primes

struct Prime {
  std::int64_t p;
  std::int64_t power;
};

std::vector<Prime> primes_of(std::int64_t n) {
  std::vector<Prime> primes;
  for (std::int64_t p = 2; p * p <= n; p += p == 2 ? 1 : 2) {
    if (n % p != 0) continue;
    primes.push_back({p, 0});
    for (; n % p == 0; n /= p) ++primes.back().power;
  }
  if (n > 1) primes.push_back({n, 1});
  return primes;
}

std::int64_t power_in(std::int64_t n, std::int64_t p) {
  std::int64_t power = 0;
  for (; n % p == 0; n /= p) ++power;
  return power;
}

// In how many ways `n` equal things go into `places` places.
std::uint64_t ways(std::int64_t n, std::int64_t places) {
  if (n < 0) return 0;
  if (places == 0) return n == 0 ? 1 : 0;
  std::uint64_t count = 1;
  for (std::int64_t i = 1; i < places; ++i) {
    count = count * static_cast<std::uint64_t>(n + i) / static_cast<std::uint64_t>(i);
  }
  return count;
}

// The same with at least `least` of them in the last `inner` of them.
std::uint64_t ways(std::int64_t n, std::int64_t outer, std::int64_t inner, std::int64_t least) {
  std::uint64_t count = 0;
  for (std::int64_t in = std::max<std::int64_t>(least, 0); in <= n; ++in) {
    count += ways(in, inner) * ways(n - in, outer);
  }
  return count;
}

// Multiplies `n` factors p into factors[begin, end), all ways alike.
void share(Rng& rng, std::int64_t p, std::int64_t n, Ints& factors, std::size_t begin,
           std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const auto rest = static_cast<std::int64_t>(end - i - 1);
    std::uint64_t at = rng.below(ways(n, rest + 1));
    std::int64_t here = 0;
    while (at >= ways(n - here, rest)) at -= ways(n - here++, rest);
    for (std::int64_t k = 0; k < here; ++k) factors[i] *= p;
    n -= here;
  }
}

}  // namespace

Ints divisors_of(std::int64_t n) {
  Ints divisors = {1};
  for (const Prime& prime : primes_of(n)) {
    const std::size_t before = divisors.size();
    std::int64_t power = 1;
    for (std::int64_t i = 0; i < prime.power; ++i) {
      power *= prime.p;
      for (std::size_t k = 0; k < before; ++k) divisors.push_back(divisors[k] * power);
    }
  }
  std::sort(divisors.begin(), divisors.end());
  return divisors;
}

std::int64_t at_from_inside(const Ints& wanted, std::size_t distance) {
  return distance < wanted.size() ? wanted[wanted.size() - 1 - distance] : 1;
}

Status check_tiling(const std::string& key, const Tiling& t) {
  const auto bad = [&](const char* what) { return Rejection(Reason::BadDecision, key, what); };
  if (t.extent < 1 || t.extent > kLargest) return bad("the extent is outside 1..2^40");
  if (t.parts < 1 || t.parts > kMostParts) return bad("there must be 1 to 8 parts");
  if (t.innermost < 1) return bad("the innermost limit is below 1");
  if (t.multiple == 1) return Ok{};
  if (t.multiple < 1 || t.multiple > kLargest) return bad("the multiple is outside 1..2^40");
  if (t.at < 1 || t.at >= t.parts) return bad("the parts must be divided between two of them");
  if (t.at == t.parts - 1 && t.multiple > t.innermost) {
    return bad("the innermost part would have to be larger than its limit");
  }
  return Ok{};
}

Status check_factors(const std::string& key, const Tiling& t, const Ints& factors) {
  const auto bad = [&](const char* what) { return Rejection(Reason::BadDecision, key, what); };
  CAMBIUM_REQUIRE(check_tiling(key, t));
  if (static_cast<std::int64_t>(factors.size()) != t.parts)
    return bad("the number of parts differs");
  std::int64_t left = t.product();
  for (std::size_t i = factors.size(); i-- > 0;) {
    if (factors[i] < 1 || left % factors[i] != 0)
      return bad("the factors do not divide the extent");
    left /= factors[i];
    const bool all_inside = static_cast<std::int64_t>(i) == t.at;
    if (all_inside && t.product() / left % t.multiple != 0) {
      return bad("the inner parts are not a multiple as required");
    }
  }
  if (left != 1) return bad("the product of the factors is not the extent");
  if (t.parts > 1 && factors.back() > t.innermost) return bad("the innermost part is too large");
  return Ok{};
}

Ints draw_factors(Rng& rng, const Tiling& t) {
  const std::int64_t product = t.product();
  Ints factors(static_cast<std::size_t>(t.parts), 1);
  if (t.parts == 1) return factors[0] = product, factors;
  const std::vector<Prime> primes = primes_of(product);
  const std::int64_t outer = t.multiple == 1 ? t.parts - 1 : t.at;
  const std::int64_t inner = t.parts - 1 - outer;  // but for the last
  const auto least = [&](const Prime& prime, std::int64_t last) {
    return t.multiple == 1 ? 0 : power_in(t.multiple, prime.p) - power_in(last, prime.p);
  };
  // The last first, each by the number of ways in which the others can be.
  Ints lasts;
  std::vector<std::uint64_t> counts;
  std::uint64_t total = 0;
  for (const std::int64_t last : divisors_of(product)) {
    if (last > t.innermost) break;
    std::uint64_t count = 1;
    for (const Prime& prime : primes) {
      count *= ways(prime.power - power_in(last, prime.p), outer, inner, least(prime, last));
    }
    lasts.push_back(last);
    counts.push_back(count);
    total += count;
  }
  CAMBIUM_CHECK(total > 0, "a tiling without factors passed its check");
  std::uint64_t at = rng.below(total);
  std::size_t chosen = 0;
  while (at >= counts[chosen]) at -= counts[chosen++];
  const std::int64_t last = factors.back() = lasts[chosen];

  for (const Prime& prime : primes) {
    const std::int64_t n = prime.power - power_in(last, prime.p);
    const std::int64_t need = least(prime, last);
    std::uint64_t way = rng.below(ways(n, outer, inner, need));
    std::int64_t in = std::max<std::int64_t>(need, 0);
    while (way >= ways(in, inner) * ways(n - in, outer)) {
      way -= ways(in, inner) * ways(n - in, outer);
      ++in;
    }
    const auto border = static_cast<std::size_t>(outer);
    share(rng, prime.p, n - in, factors, 0, border);
    share(rng, prime.p, in, factors, border, factors.size() - 1);
  }
  return factors;
}

Ints snap_factors(const Tiling& t, const Ints& wanted) {
  Ints factors(static_cast<std::size_t>(t.parts), 1);
  std::int64_t left = t.product();
  for (std::size_t i = factors.size(); i-- > 1;) {
    const std::int64_t want =
        std::max<std::int64_t>(at_from_inside(wanted, factors.size() - 1 - i), 1);
    const std::int64_t limit = i + 1 == factors.size() ? t.innermost : left;
    std::int64_t step = 1;  // what it must be a multiple of
    if (t.multiple > 1 && static_cast<std::int64_t>(i) == t.at) {
      step = t.multiple / std::gcd(t.multiple, t.product() / left);
    }
    double least = INFINITY;
    for (const std::int64_t divisor : divisors_of(left / step)) {
      const std::int64_t factor = divisor * step;
      if (factor > limit) break;
      const double ratio = ratio_of(factor, want);
      if (ratio < least) {
        least = ratio;
        factors[i] = factor;
      }
    }
    left /= factors[i];
  }
  factors[0] = left;
  return factors;
}

std::vector<Ints> neighbours_of(const Tiling& t, const Ints& factors) {
  std::vector<Ints> found;
  if (!check_factors({}, t, factors).ok()) return found;
  for (std::size_t from = 0; from < factors.size(); ++from) {
    for (const Prime& prime : primes_of(factors[from])) {
      for (std::size_t to = 0; to < factors.size(); ++to) {
        if (to == from) continue;
        Ints moved = factors;
        moved[from] /= prime.p;
        moved[to] *= prime.p;
        if (check_factors({}, t, moved).ok()) found.push_back(std::move(moved));
      }
    }
  }
  return found;
}

}  // namespace cambium::schedule
