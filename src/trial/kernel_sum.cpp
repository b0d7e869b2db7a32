#include "trial/kernel_sum.h"

#include <cmath>
#include <vector>

#include "base/dtype.h"
#include "base/machine.h"
#include "program/program.h"
#include "trial/weight_traffic.h"

namespace cambium::trial {
namespace {

KernelBytes bytes_of(const TuningTask& task) {
  KernelBytes bytes;
  bytes.calls = task.task.weight;
  for (const program::Buffer* buffer : task.task.program->parameters) {
    const bool is_weight = buffer->role == program::Role::Constant;
    (is_weight ? bytes.weights : bytes.others) += buffer->elements() * size_of(buffer->dtype);
  }
  return bytes;
}

}  // namespace

Result<KernelSum> kernel_sum(const compile::LoweredModel& lowered, int threads, KernelTimes& times,
                             const KernelTimes::Setting& setting) {
  KernelSum sum;
  auto tasks = tasks_of(lowered, threads);
  if (!tasks.ok() && tasks.rejection().reason() == Reason::NothingToTune) return sum;
  CAMBIUM_REQUIRE(tasks);
  CAMBIUM_TRY(const std::vector<KernelTime> known, times.of(*tasks, setting));
  double squares = 0;
  std::vector<KernelBytes> bytes;
  for (std::size_t i = 0; i < known.size(); ++i) {
    bytes.push_back(bytes_of((*tasks)[i]));
    const double all = known[i].seconds * (*tasks)[i].task.weight;
    sum.seconds += all;
    squares += (all * known[i].spread) * (all * known[i].spread);
    sum.calls += static_cast<std::int64_t>((*tasks)[i].task.weight);
  }
  CAMBIUM_TRY(const Machine* const machine, times.machine(setting));
  sum.traffic_seconds = weight_traffic_seconds(bytes, *machine, threads);
  sum.seconds += sum.traffic_seconds;
  sum.kernels = static_cast<std::int64_t>(known.size());
  sum.spread = sum.seconds > 0 ? std::sqrt(squares) / sum.seconds : 0;
  return sum;
}

}  // namespace cambium::trial
