#include "base/student.h"

#include <cmath>
#include <numbers>

#include "base/check.h"

namespace cambium {
namespace {

// The probability of a value between -t and t. For whole degrees of freedom it is a finite sum
// (Abramowitz and Stegun, 26.7.3 and 26.7.4).
double within(double t, int freedom) {
  const double angle = std::atan2(t, std::sqrt(static_cast<double>(freedom)));
  const double sine = std::sin(angle), cosine = std::cos(angle);
  const bool is_odd = freedom % 2 == 1;
  double term = is_odd ? cosine : 1, sum = 0;
  for (int i = is_odd ? 1 : 0; i + 1 < freedom; i += 2) {
    sum += term;
    term *= cosine * cosine * (i + 1) / (i + 2);
  }
  return is_odd ? (angle + sine * sum) * 2 / std::numbers::pi : sine * sum;
}

}  // namespace

double student_cdf(double t, int freedom) {
  CAMBIUM_CHECK(freedom >= 1, "a t distribution has degrees of freedom");
  return t < 0 ? (1 - within(-t, freedom)) / 2 : (1 + within(t, freedom)) / 2;
}

double student_quantile(double probability, int freedom) {
  CAMBIUM_CHECK(probability > 0 && probability < 1, "such a quantile would be infinite");
  if (probability < 0.5) return -student_quantile(1 - probability, freedom);
  double low = 0, high = 1;
  while (student_cdf(high, freedom) < probability) high *= 2;
  // Until no number lies between the two.
  for (double middle = high / 2; low < middle && middle < high; middle = low + (high - low) / 2) {
    (student_cdf(middle, freedom) < probability ? low : high) = middle;
  }
  return high;
}

}  // namespace cambium
