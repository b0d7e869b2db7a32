#include "spaces/coordinate/all_terms.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "spaces/coordinate/bound.h"

namespace cambium::spaces::coordinate {
namespace {

using Place = std::int64_t;
constexpr std::size_t kFirstWeight = 2;

// Rows of places: in the output, in the input, in each weight.
struct Terms {
  std::size_t width = 0;
  std::vector<Place> places;

  std::size_t count() const { return places.size() / width; }
  std::span<const Place> at(std::size_t term) const {
    return std::span(places).subspan(term * width, width);
  }
};

Terms terms_of(const BoundOperator& op) {
  std::vector<std::vector<CoordinateIndex>> tensors(kFirstWeight);
  for (std::size_t i = 0; i < op.outputs; ++i) {
    tensors[0].push_back(static_cast<CoordinateIndex>(i));
  }
  tensors[1] = op.data;
  tensors.insert(tensors.end(), op.weights.begin(), op.weights.end());
  const std::size_t leaves = op.outputs + op.reductions;
  std::vector<std::int64_t> values(op.coordinates.size(), 0);
  Terms terms{tensors.size(), {}};
  bool more = true;
  while (more) {
    bool is_zero = false;
    for (std::size_t i = leaves; i < values.size() && !is_zero; ++i) {
      values[i] = op.value(static_cast<CoordinateIndex>(i), values.data());
      is_zero = values[i] < 0;
    }
    for (std::size_t t = 0; t < tensors.size() && !is_zero; ++t) {
      Place place = 0;
      for (const CoordinateIndex c : tensors[t]) place = place * op.domain(c) + values[place_of(c)];
      terms.places.push_back(place);
    }
    more = false;
    for (std::size_t i = leaves; i > 0 && !more; --i) {
      more = ++values[i - 1] < op.coordinates[i - 1].domain;
      if (!more) values[i - 1] = 0;
    }
  }
  return terms;
}

// Distinct terms and their counts. Counts are in lowest terms, because a weight absorbs any factor.
struct Counted {
  Terms terms;
  std::vector<std::uint64_t> times;
  std::uint64_t divisor = 1;  // of an average, where no weight absorbs it
};

Counted counted(const Terms& terms, const BoundOperator& op) {
  std::vector<std::size_t> order(terms.count());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::ranges::lexicographical_compare(terms.at(a), terms.at(b));
  });
  Counted out{{terms.width, {}}, {}, 1};
  for (const std::size_t t : order) {
    const auto term = terms.at(t);
    if (!out.times.empty() && std::ranges::equal(out.terms.at(out.times.size() - 1), term)) {
      ++out.times.back();
    } else {
      out.terms.places.insert(out.terms.places.end(), term.begin(), term.end());
      out.times.push_back(1);
    }
  }
  const bool divides = op.weights.empty();
  std::uint64_t common = divides ? static_cast<std::uint64_t>(op.averaged) : 0;
  for (const std::uint64_t times : out.times) common = std::gcd(common, times);
  common = std::max<std::uint64_t>(common, 1);
  for (std::uint64_t& times : out.times) times /= common;
  if (divides) out.divisor = static_cast<std::uint64_t>(op.averaged) / common;
  return out;
}

// Colours of elements, by weight and by number.
using Colors = std::vector<std::vector<std::uint64_t>>;

class Refinement {
 public:
  Refinement(const Counted& all, std::size_t weights) : all_(all), elements_(weights) {
    for (std::size_t w = 0; w < weights; ++w) {
      std::unordered_map<Place, std::size_t> numbers;
      for (std::size_t t = 0; t < all.times.size(); ++t) {
        const Place place = all.terms.at(t)[kFirstWeight + w];
        elements_[w].push_back(numbers.emplace(place, numbers.size()).first->second);
      }
      colors_.emplace_back(numbers.size(), 1);
    }
  }

  // Refines until no round tells more elements apart.
  Fingerprint run() {
    for (std::size_t known = 0; different() > known;) {
      known = different();
      round();
    }
    std::uint64_t sum = 0;
    for (std::size_t t = 0; t < all_.times.size(); ++t) {
      sum += all_.times[t] * hash_of(t, all_colors(t));
    }
    return fingerprint_of(sum, all_.divisor, colors_.size());
  }

 private:
  std::uint64_t hash_of(std::size_t term, std::uint64_t colors) const {
    return fingerprint_of(all_.terms.at(term)[0], all_.terms.at(term)[1], colors).low;
  }
  // A sum, because weights have no order.
  std::uint64_t all_colors(std::size_t term) const {
    std::uint64_t sum = 0;
    for (std::size_t w = 0; w < colors_.size(); ++w) sum += colors_[w][elements_[w][term]];
    return sum;
  }
  std::size_t different() const {
    std::set<std::uint64_t> all;
    for (const std::vector<std::uint64_t>& of_weight : colors_) {
      all.insert(of_weight.begin(), of_weight.end());
    }
    return all.size();
  }
  void round() {
    Colors next = colors_;
    for (std::vector<std::uint64_t>& of_weight : next) {
      std::fill(of_weight.begin(), of_weight.end(), 0);
    }
    for (std::size_t t = 0; t < all_.times.size(); ++t) {
      const std::uint64_t together = all_colors(t);
      for (std::size_t w = 0; w < colors_.size(); ++w) {
        const std::size_t element = elements_[w][t];
        next[w][element] += all_.times[t] * hash_of(t, together - colors_[w][element]);
      }
    }
    for (std::size_t w = 0; w < colors_.size(); ++w) {
      for (std::size_t e = 0; e < colors_[w].size(); ++e) {
        colors_[w][e] = fingerprint_of(colors_[w][e], next[w][e]).low;
      }
    }
  }

  const Counted& all_;
  std::vector<std::vector<std::size_t>> elements_;  // by weight and term
  Colors colors_;
};

}  // namespace

Result<Fingerprint> fingerprint_of_all_terms(const Operator& op, const expr::Binding& binding,
                                             std::int64_t most) {
  CAMBIUM_TRY(const BoundOperator bound, bind(op, binding));
  std::int64_t points = 1;
  for (std::size_t i = 0; i < bound.outputs + bound.reductions; ++i) {
    points *= bound.coordinates[i].domain;
  }
  if (points > most) {
    return Rejection(Reason::SizeOutOfRange, "the number of terms", {}, points, 1, most);
  }
  const Counted all = counted(terms_of(bound), bound);
  return Refinement(all, bound.weights.size()).run();
}

}  // namespace cambium::spaces::coordinate
