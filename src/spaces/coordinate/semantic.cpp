#include "spaces/coordinate/semantic.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/random.h"
#include "spaces/coordinate/field.h"
#include "spaces/coordinate/small_sizes.h"
#include "spaces/coordinate/terms.h"

namespace cambium::spaces::coordinate {
namespace {

constexpr std::uint64_t kPrime = FieldElement::kPrime;

// Two words to one, each bit of which depends on all of both: the folded product of wyhash.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const unsigned __int128 product =
      static_cast<unsigned __int128>(a ^ 0x9e3779b97f4a7c15ULL) * (b ^ 0xe7037ed1a0b428dbULL);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Adds 61 bits of a hash to a sum below 2^62, which stays congruent and below 2^62.
void add(std::uint64_t& sum, std::uint64_t hash) {
  sum += hash >> 3;
  sum = (sum & kPrime) + (sum >> 61);
}

}  // namespace

SemanticHasher::SemanticHasher(const Problem& problem, const SemanticOptions& options)
    : rungs_(small_sizes(problem)),
      options_(options),
      first_rung_(std::min(options.first_rung, rungs_.size() - 1)) {
  const Rng root(options.seed);
  for (std::size_t rung = 0; rung < rungs_.size(); ++rung) {
    std::vector<std::int64_t> shape;
    std::int64_t count = 1;
    for (const expr::Size& axis : problem.output) {
      shape.push_back(expr::evaluate(axis, rungs_[rung]).value());
      count *= shape.back();
    }
    const auto place_of = [&](const std::vector<std::int64_t>& values) {
      std::uint64_t place = 0;
      for (std::size_t i = 0; i < shape.size(); ++i) {
        place =
            place * static_cast<std::uint64_t>(shape[i]) + static_cast<std::uint64_t>(values[i]);
      }
      return place;
    };
    Rng rng = root.split(rung);
    const std::uint64_t key = rng.next_u64();
    const bool all = count <= static_cast<std::int64_t>(options.points);
    const std::size_t wanted = all ? static_cast<std::size_t>(count) : options.points;
    std::vector<Point>& points = points_.emplace_back();
    while (points.size() < wanted) {
      Point point;
      auto rest = static_cast<std::int64_t>(points.size());
      for (std::size_t i = shape.size(); i > 0; --i) {
        const std::int64_t extent = shape[i - 1];
        // One in the middle; then the ends of an axis are where operators differ most.
        const std::uint64_t choice = points.empty() ? 4 : rng.below(4);
        const std::int64_t drawn = choice == 0   ? 0
                                   : choice == 1 ? extent - 1
                                   : choice == 4 ? extent / 2
                                                 : rng.between(0, extent - 1);
        point.values.insert(point.values.begin(), all ? rest % extent : drawn);
        rest /= extent;
      }
      point.label = mix(key, place_of(point.values));
      const bool known = std::any_of(points.begin(), points.end(),
                                     [&](const Point& p) { return p.values == point.values; });
      if (!known) points.push_back(std::move(point));
    }
  }
}

// The first rung where all sizes are integers and none has shrunk to one.
Result<BoundOperator> SemanticHasher::bind_small(const Operator& op) {
  for (rung_ = first_rung_; rung_ + 1 < rungs_.size(); ++rung_) {
    Result<BoundOperator> bound = bind(op, rungs_[rung_]);
    if (!bound.ok()) continue;
    bool shrunk = false;
    for (std::size_t i = 0; i < op.coordinates.size(); ++i) {
      const expr::Size& size = op.coordinates[i].domain;
      const bool fraction = size.powers().any_negative();
      shrunk = shrunk || (fraction && bound->coordinates[i].domain == 1);
    }
    if (!shrunk) return bound;
  }
  return bind(op, rungs_[rung_]);
}

SemanticHasher::Effort SemanticHasher::effort_for(const BoundOperator& op, TermLoops& loops) {
  // At one point: how many elements of the input it has, and the sum of all coefficients.
  places_.clear();
  loops.at(
      points_[rung_].front().values,
      [&](std::uint32_t place) {
        places_.push_back(place);
        return false;
      },
      [](const std::uint32_t*) {});
  const double terms =
      static_cast<double>(places_.size()) * loops.terms_each() / static_cast<double>(op.averaged);
  std::sort(places_.begin(), places_.end());
  places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
  const double elements = std::max(1.0, static_cast<double>(places_.size()));
  const double each = std::max(1.0, terms / elements);

  const auto wanted = static_cast<double>(options_.elements);
  const double looked_at = std::clamp(8 * wanted / each, wanted / 4, wanted);
  // Elements that are passed over cost time, too.
  const double cost = std::min(looked_at, elements) * each + elements / 4;
  const double points = static_cast<double>(options_.terms) / cost;
  const auto most = static_cast<double>(points_[rung_].size());
  return {static_cast<std::size_t>(std::clamp(points, std::ceil(most / 16), most)),
          static_cast<std::uint64_t>(std::min(1.0, looked_at / elements) * 4294967296.0)};
}

Status SemanticHasher::list_terms(const BoundOperator& op) {
  double most = 1;
  for (std::size_t r = 0; r < op.reductions; ++r) {
    most *= static_cast<double>(op.coordinates[op.outputs + r].domain);
  }
  const double at_one_point = most;
  for (const std::vector<CoordinateIndex>& axes : op.weights) {
    double elements = 1;
    for (const CoordinateIndex i : axes) elements *= static_cast<double>(op.domain(i));
    most = std::max(most, elements);
  }
  if (most > static_cast<double>(kMostTerms)) {
    return Rejection(Reason::SizeOutOfRange, "the number of terms or elements", {},
                     static_cast<std::int64_t>(std::min(most, 9e18)), 1, kMostTerms);
  }
  for (std::size_t w = 0; w < op.weights.size(); ++w) {
    std::size_t count = 1;
    for (const CoordinateIndex i : op.weights[w]) count *= static_cast<std::size_t>(op.domain(i));
    // Weights are large and few elements are met: only those are forgotten again.
    Weight& weight = weights_[w];
    for (std::uint32_t e = 0; e < weight.met; ++e) weight.numbers[weight.touched[e]] = 0;
    weight.met = 0;
    if (weight.numbers.size() < count) weight.numbers.resize(count, 0);
  }
  TermLoops loops(op);
  const Effort effort = effort_for(op, loops);
  terms_ = 0;
  for (std::size_t i = 0; i < effort.points; ++i) {
    list_point(op, loops, points_[rung_][i], static_cast<std::size_t>(at_one_point), effort.share);
  }
  return Ok{};
}

void SemanticHasher::list_point(const BoundOperator& op, TermLoops& loops, const Point& point,
                                std::size_t most, std::uint64_t share) {
  const auto make_room = [&](auto& buffer) {
    if (buffer.size() < terms_ + most) buffer.resize(terms_ + most);
  };
  make_room(pairs_);
  // By weight, where the scratch memory of Weight lies.
  struct Cursor {
    std::uint32_t* numbers;
    std::uint32_t* next_element;
    std::uint64_t* sums;
    std::uint32_t* touched;
    std::uint32_t met;
  };
  std::array<Cursor, kMaxWeights> cursors{};
  for (std::size_t w = 0; w < op.weights.size(); ++w) {
    make_room(weights_[w].elements);
    make_room(weights_[w].sums);
    make_room(weights_[w].touched);
    cursors[w] = {weights_[w].numbers.data(), weights_[w].elements.data() + terms_,
                  weights_[w].sums.data(), weights_[w].touched.data(), weights_[w].met};
  }
  std::uint64_t* next_pair = pairs_.data() + terms_;
  std::uint64_t pair = 0;
  loops.at(
      point.values,
      [&](std::uint32_t place) {
        pair = mix(point.label, place);
        return (pair >> 32) < share;
      },
      [&](const std::uint32_t* offsets) {
        *next_pair++ = pair;
        for (std::size_t w = 0; w < op.weights.size(); ++w) {
          Cursor& cursor = cursors[w];
          std::uint32_t& number = cursor.numbers[offsets[1 + w]];
          if (number == 0) {
            cursor.sums[cursor.met] = 0;
            cursor.touched[cursor.met] = offsets[1 + w];
            number = ++cursor.met;
          }
          *cursor.next_element++ = number - 1;
          add(cursor.sums[number - 1], pair);  // the first round: nothing has a colour yet
        }
      });
  terms_ = static_cast<std::size_t>(next_pair - pairs_.data());
  for (std::size_t w = 0; w < op.weights.size(); ++w) weights_[w].met = cursors[w].met;
}

template <std::size_t kWeights>
std::uint64_t SemanticHasher::color_and_sum(FieldElement scale) {
  std::array<const std::uint32_t*, kWeights> elements;
  std::array<std::uint64_t*, kWeights> colors;
  std::array<std::uint64_t*, kWeights> sums;
  for (std::size_t w = 0; w < kWeights; ++w) {
    weights_[w].colors.resize(std::max<std::size_t>(weights_[w].colors.size(), weights_[w].met));
    elements[w] = weights_[w].elements.data();
    colors[w] = weights_[w].colors.data();
    sums[w] = weights_[w].sums.data();
  }
  const std::uint64_t* pairs = pairs_.data();
  const auto color_of_all = [&](std::size_t t) {
    std::uint64_t together = 0;
    for (std::size_t w = 0; w < kWeights; ++w) together += colors[w][elements[w][t]];
    return together;
  };
  for (std::size_t round = 0; round < kWeights; ++round) {
    for (std::size_t t = 0; round > 0 && t < terms_; ++t) {
      const std::uint64_t together = color_of_all(t);
      for (std::size_t w = 0; w < kWeights; ++w) {
        const std::uint32_t element = elements[w][t];
        add(sums[w][element], mix(pairs[t], together - colors[w][element]));
      }
    }
    for (std::size_t w = 0; w < kWeights; ++w) {
      for (std::uint32_t e = 0; e < weights_[w].met; ++e) {
        colors[w][e] = mix((FieldElement(sums[w][e]) * scale).value(), round);
        sums[w][e] = 0;
      }
    }
  }
  std::uint64_t sum = 0;
  for (std::size_t t = 0; t < terms_; ++t) add(sum, mix(pairs[t], color_of_all(t) + kWeights));
  return (FieldElement(sum) * scale).value();
}

template <std::size_t... kCounts>
std::uint64_t SemanticHasher::color_and_sum(std::size_t weights, FieldElement scale,
                                            std::index_sequence<kCounts...>) {
  std::uint64_t sum = 0;
  ((weights == kCounts ? void(sum = color_and_sum<kCounts>(scale)) : void()), ...);
  return sum;
}

Result<Fingerprint> SemanticHasher::fingerprint(const Operator& op) {
  CAMBIUM_TRY(const BoundOperator bound, bind_small(op));
  CAMBIUM_REQUIRE(list_terms(bound));
  const FieldElement scale =
      bound.averaged == 1 ? FieldElement(1)
                          : FieldElement(static_cast<std::uint64_t>(bound.averaged)).inverse();
  return fingerprint_of(
      color_and_sum(op.weights.size(), scale, std::make_index_sequence<kMaxWeights + 1>()));
}

}  // namespace cambium::spaces::coordinate
