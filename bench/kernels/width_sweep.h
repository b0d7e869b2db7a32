// Convolutions of every width: what a last vector that is not full costs. Each width is timed in
// turns with the next multiple of the vector.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/measure_kernel.h"

namespace cambium::bench {

struct WidthRow {
  std::string name;
  std::string refused;
  double gflops = 0;  // of useful operations
  double share = 0;   // of the rate of the next multiple of the vector
  double spread = 0;  // of that share, relative
  std::int64_t spills = 0;
};

// Gives each row as it comes. A kernel is checked before it is timed.
std::vector<WidthRow> sweep_widths(const Machine& machine, measure::Runner& runner,
                                   const Options& options,
                                   const std::function<void(const WidthRow&)>& row);

std::string width_header(const Machine& machine);
std::string width_text(const WidthRow& row);
std::string width_summary(const std::vector<WidthRow>& rows);

}  // namespace cambium::bench
