#include "spaces/coordinate/semantic.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"
#include "base/random.h"
#include "spaces/coordinate/field.h"
#include "spaces/coordinate/probe_points.h"
#include "spaces/coordinate/probe_sizes.h"
#include "spaces/coordinate/terms.h"

namespace cambium::spaces::coordinate {
namespace {

// The first look is quick and takes many points. A caller that counts operators needs further looks
// only if two operators agree at the first, so these may list more terms. The second look takes
// fewer points, so that it skips fewer elements of the input. The third stands where windows end.
struct Look {
  std::size_t size;   // which of the sizes
  std::size_t care;   // how many times the terms
  double few_points;  // of the output, for which elements of the input are passed over
  Centre centre;
};
constexpr Look kLooks[] = {{0, 1, 32, Centre::Middle},
                           {1, 2, 12, Centre::Middle},
                           {2, 2, 32, Centre::Corner},
                           {3, 1, 32, Centre::Middle}};
// The most terms that are listed of an operator with very many.
constexpr double kFewestPoints = 13;     // the inner star on three axes
constexpr double kFewestOfPairs = 24;    // most of the outer one
constexpr double kCentreShare = 0.25;    // of the terms are those of the middle
constexpr double kPairs = 8192;          // of elements of output and input, at a look
constexpr double kPairsAtOnePoint = 48;  // elements of the input, where weights are not looked at

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

// The factor for a sum of so many terms: averages divide, and a weight absorbs any factor.
FieldElement share_of(const BoundOperator& op, std::uint64_t terms) {
  const std::uint64_t divisor = op.weights.empty() ? static_cast<std::uint64_t>(op.averaged)
                                                   : std::max<std::uint64_t>(terms, 1);
  return divisor == 1 ? FieldElement(1) : FieldElement(divisor).inverse();
}

// Refuses an operator with too many terms at one point.
Result<BoundOperator> bind_within(const Operator& op, const expr::Binding& sizes) {
  CAMBIUM_TRY(BoundOperator bound, bind(op, sizes));
  double at_one_point = 1;
  for (std::size_t r = 0; r < bound.reductions; ++r) {
    at_one_point *= static_cast<double>(bound.coordinates[bound.outputs + r].domain);
  }
  if (at_one_point > static_cast<double>(SemanticHasher::kMostTerms)) {
    return Rejection(Reason::SizeOutOfRange, "the number of terms", {},
                     static_cast<std::int64_t>(std::min(at_one_point, 9e18)), 1,
                     SemanticHasher::kMostTerms);
  }
  return bound;
}

}  // namespace

SemanticHasher::SemanticHasher(const Problem& problem, const SemanticOptions& options)
    : sizes_(probe_sizes(problem)) {
  const Rng root(options.seed);
  const auto shape_at = [](const std::vector<expr::Size>& axes, const expr::Binding& sizes) {
    std::vector<std::int64_t> shape;
    for (const expr::Size& axis : axes) shape.push_back(expr::evaluate(axis, sizes).value());
    return shape;
  };
  for (const Look& look : kLooks) {
    const expr::Binding& sizes = sizes_[std::min(look.size, sizes_.size() - 1)];
    Rng rng = root.split(probes_.size());
    Probe& probe = probes_.emplace_back();
    probe.sizes = sizes;
    probe.terms = static_cast<double>(look.care * options.terms);
    probe.terms_at_one_point = probe.terms / look.few_points;
    const std::uint64_t key = rng.next_u64();
    const std::vector<std::int64_t> shape = shape_at(problem.output, sizes);
    for (std::vector<std::int64_t>& values :
         probe_points(shape, look.care * options.points, look.centre, rng)) {
      std::uint64_t label = key;
      for (const std::int64_t value : values) label = mix(label, static_cast<std::uint64_t>(value));
      probe.points.push_back({std::move(values), label});
    }
    probe.input = shape_at(problem.input, sizes);
    for (const std::int64_t extent : probe.input) {
      probe.levels.push_back(probe_levels(extent, look.centre, rng));
    }
  }
}

// Puts the distinct input elements at one point into places_, and counts the distinct terms of one
// of them. Equal terms count once, because another form of the operator may sum over more.
double SemanticHasher::different_terms(const Probe& probe, const BoundOperator& op,
                                       TermLoops& loops) {
  const std::vector<std::int64_t>& point = probe.points.front().values;
  Weight& met = weights_.front();  // as a set
  const auto is_new = [&](std::uint64_t element) {
    const std::uint32_t before = met.met;
    met.make_room(1);
    met.number(element);
    return met.met != before;
  };
  met.forget();
  places_.clear();
  loops.at(
      point,
      [&](std::uint64_t place) {
        if (is_new(place)) places_.push_back(place);
        return false;
      },
      [](const std::uint64_t*) {});
  if (op.weights.empty() || places_.empty()) return 1;
  const std::uint64_t chosen =
      *std::min_element(places_.begin(), places_.end(), [](std::uint64_t a, std::uint64_t b) {
        return mix(a, 1) < mix(b, 1);  // any but at a border
      });
  met.forget();
  loops.at(
      point, [&](std::uint64_t place) { return place == chosen; },
      [&](const std::uint64_t* offsets) {
        std::uint64_t term = 0;
        for (std::size_t w = 1; w <= op.weights.size(); ++w) term = mix(term, offsets[w]);
        is_new(term);
      });
  return met.met;
}

double SemanticHasher::thin(const Probe& probe, TermLoops& loops, double terms, double wanted) {
  // Axes with many visited places are thinned out, the widest first.
  struct Axis {
    std::array<std::int64_t, 256> by_level{};  // places that are met
    std::int64_t kept = 0;
    std::size_t least = 0;  // level that is kept: all where nothing is to be gained, since other
                            // points meet other places
    std::size_t lowest() const {
      std::size_t level = least;
      while (level < kStarLevel && by_level[level] == 0) ++level;
      return level;
    }
  };
  std::vector<Axis> axes(probe.input.size());
  std::uint64_t stride = 1;
  for (std::size_t a = axes.size(); a-- > 0 && terms > wanted;) {
    const std::vector<std::uint8_t>& levels = probe.levels[a];
    const std::uint64_t extent = levels.size();
    met_.assign(extent, 0);
    for (const std::uint64_t place : places_) met_[place / stride % extent] = 1;
    for (std::size_t i = 0; i < extent; ++i) axes[a].by_level[levels[i]] += met_[i];
    axes[a].kept = std::count(met_.begin(), met_.end(), 1);
    stride *= extent;
  }
  while (terms > wanted) {
    Axis* widest = nullptr;
    for (Axis& axis : axes) {
      const bool may = axis.lowest() < kStarLevel && axis.kept > axis.by_level[axis.lowest()];
      if (may && (widest == nullptr || axis.kept > widest->kept)) widest = &axis;
    }
    if (widest == nullptr) break;
    const std::size_t dropped = widest->lowest();
    const std::int64_t then = widest->kept - widest->by_level[dropped];
    terms *= static_cast<double>(then) / static_cast<double>(widest->kept);
    widest->kept = then;
    widest->least = dropped + 1;
  }
  for (std::size_t a = 0; a < axes.size(); ++a) {
    loops.pass_over(a, probe.levels[a].data(), static_cast<std::uint8_t>(axes[a].least));
  }
  loops.skip_passed_over();
  return terms;
}

// Which input elements go into which output elements. Without weights this costs less, so it can
// afford more points and finds rows in which a window ends.
std::uint64_t SemanticHasher::support(const Probe& probe, const BoundOperator& op, TermLoops& loops,
                                      double terms) {
  thin(probe, loops, static_cast<double>(places_.size()), kPairsAtOnePoint);
  // Skipped terms take time too.
  const double affordable = kPairs / (1 + terms);
  const auto points =
      std::min(probe.points.size(), static_cast<std::size_t>(std::max(affordable, kFewestOfPairs)));
  std::uint64_t sum = 0, pairs = 0;
  for (std::size_t i = 0; i < points; ++i) {
    const Point& point = probe.points[i];
    loops.at(
        point.values,
        [&](std::uint64_t place) {
          add(sum, mix(point.label, place));
          ++pairs;
          return false;
        },
        [](const std::uint64_t*) {});
  }
  // Every pair stands for the same number of terms: those of reductions that only weights read.
  const auto each = static_cast<std::uint64_t>(loops.terms_each());
  return (FieldElement(sum) * FieldElement(each) * share_of(op, pairs * each)).value();
}

// A cross: the middle point with many elements of the input, which shows how weights depend on
// them, and many points with few elements.
void SemanticHasher::list_terms(const Probe& probe, const BoundOperator& op, TermLoops& loops,
                                double at_one_point) {
  thin(probe, loops, at_one_point, kCentreShare * probe.terms);
  list_point(op, loops, probe.points.front());
  const double terms = thin(probe, loops, at_one_point, probe.terms_at_one_point);
  const auto most = static_cast<double>(probe.points.size());
  const double points = (1 - kCentreShare) * probe.terms / std::max(1.0, terms);
  const auto count =
      static_cast<std::size_t>(std::clamp(points, std::min(kFewestPoints, most), most));
  for (std::size_t i = 1; i < count; ++i) list_point(op, loops, probe.points[i]);
}

void SemanticHasher::Weight::forget() {
  for (std::uint32_t e = 0; e < met; ++e) table[touched[e]] = {};
  met = 0;
}

void SemanticHasher::Weight::make_room(std::size_t more) {
  const std::size_t wanted = met + more;
  if (sums.size() < wanted) {
    sums.resize(wanted + wanted / 2);
    touched.resize(wanted + wanted / 2);
  }
  if (table.size() >= 2 * wanted) return;
  std::vector<Entry> old(std::bit_ceil(4 * wanted));
  old.swap(table);
  for (std::uint32_t e = 0; e < met; ++e) {
    const Entry entry = old[touched[e]];
    touched[e] = find(entry.element);
    table[touched[e]] = entry;
  }
}

// The place of an element in the table, or where it would be.
std::uint32_t SemanticHasher::Weight::find(std::uint64_t element) const {
  const auto mask = static_cast<std::uint32_t>(table.size() - 1);
  auto place = static_cast<std::uint32_t>((element * 0x9e3779b97f4a7c15ULL) >> 32) & mask;
  while (table[place].number != 0 && table[place].element != element) place = (place + 1) & mask;
  return place;
}

// From one.
std::uint32_t SemanticHasher::Weight::number(std::uint64_t element) {
  const std::uint32_t place = find(element);
  if (table[place].number == 0) {
    touched[met] = place;
    sums[met] = 0;
    table[place] = {element, ++met};
  }
  return table[place].number;
}

void SemanticHasher::list_point(const BoundOperator& op, TermLoops& loops, const Point& point) {
  const auto each = static_cast<std::size_t>(loops.terms_each());
  std::uint64_t pair = 0;
  loops.at(
      point.values,
      [&](std::uint64_t place) {
        pair = mix(point.label, place);
        const auto make_room = [&](auto& buffer) {
          if (buffer.size() < terms_ + each) buffer.resize(2 * (terms_ + each));
        };
        make_room(pairs_);
        for (std::size_t w = 0; w < op.weights.size(); ++w) {
          make_room(weights_[w].elements);
          weights_[w].make_room(each);
        }
        return true;
      },
      [&](const std::uint64_t* offsets) {
        pairs_[terms_] = pair;
        for (std::size_t w = 0; w < op.weights.size(); ++w) {
          const std::uint32_t number = weights_[w].number(offsets[1 + w]);
          weights_[w].elements[terms_] = number - 1;
          add(weights_[w].sums[number - 1], pair);  // the first round: nothing has a colour yet
        }
        ++terms_;
      });
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

Result<std::uint64_t> SemanticHasher::hash_at(const Probe& probe, const Operator& op) {
  CAMBIUM_TRY(const BoundOperator bound, bind_within(op, probe.sizes));
  TermLoops loops(bound);
  const double each = different_terms(probe, bound, loops);
  const double at_one_point = static_cast<double>(places_.size()) * each;
  const std::uint64_t pairs = support(probe, bound, loops, at_one_point);
  for (std::size_t w = 0; w < op.weights.size(); ++w) weights_[w].forget();
  terms_ = 0;
  list_terms(probe, bound, loops, at_one_point);
  all_terms_ += terms_;
  const std::uint64_t colors = color_and_sum(op.weights.size(), share_of(bound, terms_),
                                             std::make_index_sequence<kMaxWeights + 1>());
  return mix(pairs, colors);
}

Result<Fingerprint> SemanticHasher::fingerprint(const Operator& op) {
  CAMBIUM_TRY(const std::uint64_t first, first_hash(op));
  return fingerprint(op, first);
}

Result<std::uint64_t> SemanticHasher::first_hash(const Operator& op) {
  for (std::size_t i = 1; i < probes_.size(); ++i) {
    CAMBIUM_REQUIRE(bind_within(op, probes_[i].sizes));
  }
  all_terms_ = 0;
  return hash_at(probes_.front(), op);
}

Result<Fingerprint> SemanticHasher::fingerprint(const Operator& op, std::uint64_t first_hash) {
  Hasher hasher;
  hasher.add(first_hash);
  for (std::size_t i = 1; i < probes_.size(); ++i) {
    CAMBIUM_TRY(const std::uint64_t hash, hash_at(probes_[i], op));
    hasher.add(hash);
  }
  return hasher.done();
}

}  // namespace cambium::spaces::coordinate
