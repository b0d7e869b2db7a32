// The front of two objectives as a curve, and how far a point is from it (alphaNAS, appendix B.3):
// the points on the front joined by straight lines, going on along the axes at both ends. Lengths
// are shares of the curve's extent in each direction, so that units do not matter. More is better
// in both. Used by evolution to choose parents.
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
  // 0 on the curve.
  double distance(const CurvePlace& place) const;
  // A random place on a random piece between corners; the corner, if it is the only one.
  CurvePlace anchor(Rng& rng) const;
  double distance(const CurvePlace& place, const CurvePlace& other) const;

 private:
  std::vector<CurvePlace> corners_;
  CurvePlace extent_{1, 1};
};

}  // namespace cambium::search
