// The parts that need CUDA's own headers: a stream per training, launches that are recorded once
// and replayed as a graph, and the time of a GPU's kernels. Without CUDA in the build, everything
// refuses Unavailable. Called by the trainer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/result.h"
#include "train/device.h"

namespace cambium::train {

// While it lives, launches of this thread go to a stream of their own, for which other streams do
// not wait. Nothing for a CPU.
std::shared_ptr<void> own_stream(const Device& device);

// Recorded launches.
class Replay {
 public:
  virtual ~Replay() = default;
  virtual void run() = 0;  // on the stream of the thread; does not wait
};

// Records the launches of `work` without computing them. Call it on a stream of its own, after
// `work` has run there a few times, so that everything that is made once (algorithms, workspaces)
// exists. Refuses Unavailable, with the reason, if `work` does something that cannot be recorded,
// such as reading a result.
Result<std::unique_ptr<Replay>> recorded(const Device& device, const std::function<void()>& work);

struct KernelTime {
  std::int64_t kernels = 0;
  double seconds = 0;  // during which at least one kernel ran
};

// The time of the kernels that run during `work`, as recorded by the GPU itself (CUPTI); waits for
// them. Refuses Unavailable if there are no such records.
Result<KernelTime> kernel_time(const Device& device, const std::function<void()>& work);

}  // namespace cambium::train
