// Measures the cost of a last vector that is only partly used, with convolutions of every width.
// Each width is timed in turns with the next multiple of the vector length.
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
  double share = 0;   // of the rate at the next multiple of the vector length
  double spread = 0;  // of that share, relative
  std::int64_t spills = 0;
};

// Passes on each row as soon as it is measured. A kernel is checked before it is timed.
std::vector<WidthRow> sweep_widths(const Machine& machine, measure::Runner& runner,
                                   const Options& options,
                                   const std::function<void(const WidthRow&)>& row);

std::string width_header(const Machine& machine);
std::string width_text(const WidthRow& row);
std::string width_summary(const std::vector<WidthRow>& rows);

}  // namespace cambium::bench
