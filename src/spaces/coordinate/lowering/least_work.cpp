#include "spaces/coordinate/lowering/least_work.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

namespace cambium::spaces::coordinate {

namespace {

// How a tensor reads a coordinate.
struct Reading {
  double kept = 1;  // values that the tensor tells apart at least, unfolding as late as it can
  bool is_through = false;  // different values always read different elements
};

using Axes = std::vector<std::optional<Reading>>;  // by coordinate: those that index the tensor

class Reader {
 public:
  Reader(const Operator& op, const BoundOperator& bound) : op_(op), bound_(bound) {
    above_.resize(op.coordinates.size());
    for (std::size_t c = 0; c < op.coordinates.size(); ++c) {
      const Coordinate& it = op.coordinates[c];
      for (const CoordinateIndex operand : {it.first, it.second}) {
        if (operand == kNoCoordinate) continue;
        above_[place_of(operand)].push_back(static_cast<CoordinateIndex>(c));
      }
    }
  }

  double extent(CoordinateIndex c) const { return static_cast<double>(bound_.domain(c)); }

  Axes axes_of(const std::vector<CoordinateIndex>& coordinates) const {
    Axes axes(op_.coordinates.size());
    for (const CoordinateIndex c : coordinates) axes[place_of(c)] = Reading{extent(c), true};
    return axes;
  }

  Reading reading(const Axes& axes, CoordinateIndex c) const {
    if (axes[place_of(c)]) return *axes[place_of(c)];
    Reading most, halves;
    int merges = 0;
    for (const CoordinateIndex above : above_[place_of(c)]) {
      const Reading up = reading(axes, above);
      const CoordinateKind kind = op_.coordinates[place_of(above)].kind;
      if (kind == CoordinateKind::MergeHigh || kind == CoordinateKind::MergeLow) {
        halves.is_through = up.is_through && (merges == 0 || halves.is_through);
        halves.kept *= up.kept;
        ++merges;
      } else {
        most = joined(most, below(above, c, up));
      }
    }
    halves.is_through = halves.is_through && merges == 2;
    return merges <= 2 ? joined(most, halves) : most;
  }

  static Reading joined(const Reading& a, const Reading& b) {
    return {std::max(a.kept, b.kept), a.is_through || b.is_through};
  }

 private:
  // Of an operand of a primitive that is no MERGE.
  Reading below(CoordinateIndex above, CoordinateIndex operand, const Reading& up) const {
    const Coordinate& it = op_.coordinates[place_of(above)];
    const bool is_window = it.kind == CoordinateKind::Unfold && it.second == operand;
    const bool is_whole = up.kept == extent(above) && !is_window;
    return {is_whole ? std::min(extent(operand), extent(above)) : 1, up.is_through};
  }

  const Operator& op_;
  const BoundOperator& bound_;
  std::vector<std::vector<CoordinateIndex>> above_;  // what is made of each coordinate
};

}  // namespace

LeastWork least_work(const Operator& op, std::span<const Stage> stages,
                     const BoundOperator& bound) {
  const Reader reader(op, bound);
  std::vector<Axes> weights;
  for (const std::vector<CoordinateIndex>& weight : op.weights) {
    weights.push_back(reader.axes_of(weight));
  }
  LeastWork least;
  Axes data = reader.axes_of(op.data);
  for (const Stage& stage : stages) {
    Axes made(op.coordinates.size());
    double results = 1;
    for (const CoordinateIndex c : stage.output) {
      Reading reading = reader.reading(data, c);
      for (const std::size_t w : stage.weights) {
        reading = Reader::joined(reading, reader.reading(weights[w], c));
      }
      made[place_of(c)] = reading;
      results *= reading.kept;
    }
    if (!stage.weights.empty()) {
      double sums = std::numeric_limits<double>::infinity();
      for (const std::size_t w : stage.weights) {
        double own = 1;
        for (const CoordinateIndex r : stage.reductions) {
          const bool is_shared =
              reader.reading(data, r).is_through && reader.reading(weights[w], r).is_through;
          if (is_shared) own *= reader.extent(r);
        }
        sums = std::min(sums, own);
      }
      least.macs += results * sums;
      least.results += results;
    }
    data = std::move(made);
  }
  return least;
}

}  // namespace cambium::spaces::coordinate
