// What only CUDA's own headers can say: a stream per training, launches recorded once and replayed
// as a graph, and what a GPU's kernels take. Without CUDA in the build there is nothing to record;
// everything is then refused as Unavailable. Called by the trainer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/result.h"
#include "train/device.h"

namespace cambium::train {

// While it lives, what this thread launches goes to a stream of its own, which others do not wait
// for. Nothing for a CPU.
std::shared_ptr<void> own_stream(const Device& device);

// Recorded launches.
class Replay {
 public:
  virtual ~Replay() = default;
  virtual void run() = 0;  // on the stream of the thread; does not wait
};

// Records what `work` launches without computing it. Call it on a stream of its own, after `work`
// has run there a few times: whatever is made once (algorithms, workspaces) must be there. Refuses
// Unavailable, saying why, when `work` does what cannot be recorded, such as reading a result.
Result<std::unique_ptr<Replay>> recorded(const Device& device, const std::function<void()>& work);

struct KernelTime {
  std::int64_t kernels = 0;
  double seconds = 0;  // in which at least one kernel ran
};

// What the kernels take that run while `work` does, by the records of the GPU itself (CUPTI);
// waits for them. Refuses Unavailable where there are no such records.
Result<KernelTime> kernel_time(const Device& device, const std::function<void()>& work);

}  // namespace cambium::train
