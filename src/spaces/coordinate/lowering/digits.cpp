#include "spaces/coordinate/lowering/digits.h"

#include <cstdint>
#include <iterator>
#include <set>
#include <utility>

namespace cambium::spaces::coordinate {

namespace {

// (loop / faster) % extent, times step.
struct Digit {
  CoordinateIndex loop = kNoCoordinate;
  std::int64_t faster = 1, extent = 1, step = 1;
};

// A sum of digits, slowest first. No digit overlaps those after it: together they stay below its
// step.
using Number = std::vector<Digit>;

Number times(Number number, std::int64_t factor) {
  for (Digit& digit : number) digit.step *= factor;
  return number;
}

struct Halves {
  Number high, low;
};

// By a block. Nothing if a digit would have to be cut between two of its values.
std::optional<Halves> divided(const Number& number, std::int64_t block) {
  Halves out;
  for (const Digit& digit : number) {
    if (digit.step % block == 0) {
      out.high.push_back({digit.loop, digit.faster, digit.extent, digit.step / block});
    } else if (digit.step * digit.extent <= block) {
      out.low.push_back(digit);
    } else {
      const std::int64_t cut = block / digit.step;
      if (block % digit.step != 0 || digit.extent % cut != 0) return std::nullopt;
      out.high.push_back({digit.loop, digit.faster * cut, digit.extent / cut, 1});
      out.low.push_back({digit.loop, digit.faster, cut, digit.step});
    }
  }
  return out;
}

class DigitReader {
 public:
  DigitReader(const Extents& extents, const Loops& loops) : extents_(extents), loops_(loops) {}

  std::optional<Number> number_of(CoordinateIndex c) const {
    if (loops_.has(c)) {
      return extents_.of(c) == 1 ? Number() : Number{{c, 1, extents_.of(c), 1}};
    }
    if (loops_.cuts(c)) {
      const auto [high, low] = loops_.halves[place_of(c)];
      return joined(high, extents_.parameter(high), low);
    }
    const BoundCoordinate& it = extents_.inside.coordinates[place_of(c)];
    switch (it.kind) {
      case CoordinateKind::Split: return joined(it.first, it.parameter, it.second);
      case CoordinateKind::MergeHigh:
      case CoordinateKind::MergeLow: {
        const auto whole = number_of(it.first);
        auto halves = whole ? divided(*whole, it.parameter) : std::nullopt;
        if (!halves) return std::nullopt;
        return std::move(it.kind == CoordinateKind::MergeHigh ? halves->high : halves->low);
      }
      default: return std::nullopt;
    }
  }

 private:
  std::optional<Number> joined(CoordinateIndex high, std::int64_t block,
                               CoordinateIndex low) const {
    const auto slow = number_of(high), fast = number_of(low);
    if (!slow || !fast) return std::nullopt;
    Number out = times(*slow, block);
    out.insert(out.end(), fast->begin(), fast->end());
    return out;
  }

  const Extents& extents_;
  const Loops& loops_;
};

// One loop cut wherever a digit begins or ends. Nothing if two digits are cut in different ways.
bool add_steps(CoordinateIndex loop, std::int64_t extent, const std::vector<Digit>& digits,
               std::vector<model::Step>& out) {
  std::set<std::int64_t> cuts = {1, extent};
  for (const Digit& digit : digits) {
    if (digit.loop == loop) cuts.insert({digit.faster, digit.faster * digit.extent});
  }
  for (auto end = cuts.rbegin(); std::next(end) != cuts.rend(); ++end) {
    const std::int64_t begin = *std::next(end);
    if (*end % begin != 0) return false;
    model::Step step{*end / begin, 0};
    for (const Digit& digit : digits) {
      const bool is_part =
          digit.loop == loop && digit.faster <= begin && begin < digit.faster * digit.extent;
      if (is_part) step.step += digit.step * (begin / digit.faster);
    }
    out.push_back(step);
  }
  return true;
}

}  // namespace

std::optional<std::vector<model::Step>> steps_at(const std::vector<CoordinateIndex>& coordinates,
                                                 const std::vector<CoordinateIndex>& over,
                                                 const Extents& extents, const Loops& loops) {
  const DigitReader reader(extents, loops);
  std::vector<Digit> place;  // digits of the place; of one loop, they may overlap
  for (const CoordinateIndex c : coordinates) {
    const auto number = reader.number_of(c);
    if (!number) return std::nullopt;
    place = times(std::move(place), extents.of(c));
    place.insert(place.end(), number->begin(), number->end());
  }
  std::vector<model::Step> steps;
  for (const CoordinateIndex loop : over) {
    if (!add_steps(loop, extents.of(loop), place, steps)) return std::nullopt;
  }
  return steps;
}

}  // namespace cambium::spaces::coordinate
