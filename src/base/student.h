// Student's t distribution: for the mean of a few samples whose spread is estimated from the same
// samples.
#pragma once

namespace cambium {

// The probability of a value of at most t, with so many degrees of freedom (1 at least). t may be
// infinite.
double student_cdf(double t, int freedom);

// The t whose cdf is the probability, which must be above 0 and below 1.
double student_quantile(double probability, int freedom);

}  // namespace cambium
