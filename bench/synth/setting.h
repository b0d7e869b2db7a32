// The setting of the paper's search, in which everything about the coordinate space is measured:
// [N, Ci, H, W] -> [N, Co, H, W] at the sizes of ResNet-34 with the limits of its search script.
#pragma once

#include <ctime>
#include <memory>

#include "base/result.h"
#include "spaces/coordinate/synthesis/sample.h"

namespace cambium::bench {

// Seconds of this thread on its core: others on the machine do not count.
class Stopwatch {
 public:
  Stopwatch() : begin_(now()) {}
  double seconds() const { return now() - begin_; }

 private:
  static double now() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }
  double begin_;
};

Result<spaces::coordinate::Problem> resnet_problem();
Result<std::unique_ptr<spaces::coordinate::synthesis::Space>> resnet_space(
    int primitives, spaces::coordinate::synthesis::RuleSet rules = {});
// MACs of the convolution 3x3, over all layers.
double convolution_macs(const spaces::coordinate::Problem& problem);

}  // namespace cambium::bench
