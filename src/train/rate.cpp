#include "train/rate.h"

#include <cmath>
#include <numbers>

#include "base/check.h"

namespace cambium::train {

namespace {

std::int64_t step_of(double share, std::int64_t steps) {
  return static_cast<std::int64_t>(std::llround(share * static_cast<double>(steps)));
}

// The progress of the fall: 0 at the peak, 1 at the last step.
double fallen(std::int64_t step, std::int64_t rise, std::int64_t steps) {
  const std::int64_t length = steps - 1 - rise;
  return length <= 0 ? 0 : static_cast<double>(step - rise) / static_cast<double>(length);
}

}  // namespace

double rate_at(const RateOptions& options, std::int64_t step, std::int64_t steps) {
  CAMBIUM_CHECK(step >= 0 && step < steps, "the step is one of the training");
  const std::int64_t rise = step_of(options.warmup, steps);
  if (step < rise) {
    const double risen = static_cast<double>(step) / static_cast<double>(rise);
    return options.peak * (options.start + (1 - options.start) * risen);
  }
  switch (options.law) {
    case RateLaw::Constant: return options.peak;
    case RateLaw::MultiStep: {
      double rate = options.peak;
      for (const double milestone : options.milestones) {
        if (step >= step_of(milestone, steps)) rate *= options.factor;
      }
      return rate;
    }
    case RateLaw::Cosine: {
      const double cosine = (1 + std::cos(std::numbers::pi * fallen(step, rise, steps))) / 2;
      return options.peak * (options.end + (1 - options.end) * cosine);
    }
    case RateLaw::OneCycle:
      return options.peak * (1 + (options.end - 1) * fallen(step, rise, steps));
  }
  return options.peak;
}

}  // namespace cambium::train
