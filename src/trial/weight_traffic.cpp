#include "trial/weight_traffic.h"

#include <algorithm>

#include "tune/traffic.h"

namespace cambium::trial {
namespace {

// Seconds for a byte of what is read again and again, if all of it takes so many bytes.
double seconds_per_byte(double bytes, const Machine& machine, double threads) {
  const Ceilings& known = *machine.ceilings;
  const auto [l1, l2, l3] = tune::capacities(machine);
  double gbs = std::min(threads * known.dram_gbs, std::max(known.all_dram_gbs, known.dram_gbs));
  if (bytes <= l3) gbs = threads * known.l3_gbs;
  if (bytes <= threads * l2) gbs = threads * known.l2_gbs;
  if (bytes <= threads * l1) gbs = threads * known.l1_gbs;
  return gbs > 0 ? 1e-9 / gbs : 0;
}

}  // namespace

double weight_traffic_seconds(std::span<const KernelBytes> kernels, const Machine& machine,
                              int threads) {
  if (!machine.ceilings) return 0;
  const double cores = threads;
  double all = 0;
  for (const KernelBytes& kernel : kernels) {
    all += static_cast<double>(kernel.weights) * kernel.calls;
  }
  const double together = seconds_per_byte(all, machine, cores);
  double seconds = 0;
  for (const KernelBytes& kernel : kernels) {
    const auto weights = static_cast<double>(kernel.weights);
    const double alone =
        seconds_per_byte(weights + static_cast<double>(kernel.others), machine, cores);
    seconds += kernel.calls * weights * std::max(0.0, together - alone);
  }
  return seconds;
}

}  // namespace cambium::trial
