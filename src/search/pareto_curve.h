// The Pareto front of two objectives as a curve, and the distance of a point from it (alphaNAS,
// appendix B.3). The curve joins the points of the front by straight lines and continues along the
// axes at both ends. Lengths are relative to the extent of the curve in each direction, so units do
// not matter. More is better in both objectives. Used by evolution to choose parents.
#pragma once

#include <vector>

#include "base/random.h"

namespace cambium::search {

struct CurvePlace {
  double first = 0, second = 0;

  friend bool operator==(const CurvePlace&, const CurvePlace&) = default;
};

class ParetoCurve {
 public:
  explicit ParetoCurve(const std::vector<CurvePlace>& all);  // not empty

  const std::vector<CurvePlace>& corners() const { return corners_; }  // by `first`, falling
  // It is 0 on the curve.
  double distance(const CurvePlace& place) const;
  // A random place on a random piece between two corners, or the only corner.
  CurvePlace anchor(Rng& rng) const;
  double distance(const CurvePlace& place, const CurvePlace& other) const;

 private:
  std::vector<CurvePlace> corners_;
  CurvePlace extent_{1, 1};
};

}  // namespace cambium::search
