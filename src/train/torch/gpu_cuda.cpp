#include <algorithm>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "train/torch/gpu.h"
#include "train/torch/tensors.h"
#include "train/torch/torch.h"

// torch.h leaves these out: only this file needs them.
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <kineto/ActivityType.h>
#include <torch/csrc/autograd/profiler_kineto.h>

namespace cambium::train {

namespace {

// libtorch's allocator and its registry of captures handle one capture at a time best.
std::mutex& capturing() {
  static std::mutex mutex;
  return mutex;
}

struct Graph : Replay {
  void run() override { graph.replay(); }
  at::cuda::CUDAGraph graph;
};

Rejection cannot_record(const std::string& why) {
  return Rejection(Reason::Unavailable, "a recorded step", why.substr(0, why.find('\n')));
}

// Restores stream and allocator after a failed recording.
void abandon(const Device& device, Graph& broken, const c10::MempoolId_t& pool) {
  try {
    broken.graph.capture_end();
  } catch (const c10::Error&) {  // it says again what failed
  }
  try {
    c10::cuda::CUDACachingAllocator::endAllocateToPool(static_cast<c10::DeviceIndex>(device.index),
                                                       pool);
  } catch (const c10::Error&) {  // it had ended
  }
}

double seconds_covered(std::vector<std::pair<std::uint64_t, std::uint64_t>> spans) {
  std::sort(spans.begin(), spans.end());
  std::uint64_t covered = 0, end = 0;
  for (const auto& span : spans) {
    const std::uint64_t begin = std::max(span.first, end);
    if (span.second > begin) covered += span.second - begin;
    end = std::max(end, span.second);
  }
  return static_cast<double>(covered) * 1e-9;
}

}  // namespace

std::shared_ptr<void> own_stream(const Device& device) {
  if (!device.is_cuda()) return nullptr;
  const c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool(
      /*isHighPriority=*/false, static_cast<c10::DeviceIndex>(device.index));
  return std::make_shared<c10::cuda::CUDAStreamGuard>(stream);
}

Result<std::unique_ptr<Replay>> recorded(const Device& device, const std::function<void()>& work) {
  if (!device.is_cuda()) return cannot_record("a CPU has no kernels to launch");
  const std::lock_guard<std::mutex> lock(capturing());
  auto out = std::make_unique<Graph>();
  const c10::MempoolId_t pool = at::cuda::graph_pool_handle();
  try {
    // Other threads may continue with operations that a recording forbids.
    out->graph.capture_begin(pool, cudaStreamCaptureModeThreadLocal);
    work();
    out->graph.capture_end();
  } catch (const c10::Error& error) {
    const std::string why = error.what_without_backtrace();
    abandon(device, *out, pool);
    return cannot_record(why);
  }
  return std::unique_ptr<Replay>(std::move(out));
}

Result<KernelTime> kernel_time(const Device& device, const std::function<void()>& work) {
  if (!device.is_cuda())
    return Rejection(Reason::Unavailable, "the time of kernels", "the device is not a GPU");
  namespace profiler = torch::autograd::profiler;
  namespace kineto = torch::profiler::impl;
  const kineto::ProfilerConfig config(kineto::ProfilerState::KINETO);
  const std::set<kineto::ActivityType> activities = {kineto::ActivityType::CUDA};
  torch::cuda::synchronize(device.index);
  profiler::prepareProfiler(config, activities);
  profiler::enableProfiler(config, activities);
  work();
  torch::cuda::synchronize(device.index);
  const auto records = profiler::disableProfiler();
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans;
  for (const profiler::KinetoEvent& each : records->events()) {
    const auto kind = static_cast<libkineto::ActivityType>(each.activityType());
    if (kind == libkineto::ActivityType::CONCURRENT_KERNEL) {
      spans.emplace_back(each.startNs(), each.endNs());
    }
  }
  if (spans.empty()) {
    return Rejection(Reason::Unavailable, "the time of kernels", "CUPTI recorded no kernels");
  }
  KernelTime out;
  out.kernels = static_cast<std::int64_t>(spans.size());
  out.seconds = seconds_covered(std::move(spans));
  return out;
}

}  // namespace cambium::train
