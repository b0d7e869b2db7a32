#include "train/torch/gpu.h"

namespace cambium::train {

namespace {

Rejection no_cuda(const char* what) {
  return Rejection(Reason::Unavailable, what, "this build's libtorch has no CUDA");
}

}  // namespace

std::shared_ptr<void> own_stream(const Device&) {
  return nullptr;
}

Result<std::unique_ptr<Replay>> recorded(const Device&, const std::function<void()>&) {
  return no_cuda("a recorded step");
}

Result<KernelTime> kernel_time(const Device&, const std::function<void()>&) {
  return no_cuda("the time of kernels");
}

}  // namespace cambium::train
