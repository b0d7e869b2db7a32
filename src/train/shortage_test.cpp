#include "train/shortage.h"

#include <gtest/gtest.h>

namespace cambium::train {
namespace {

// As the libraries throw them.
constexpr const char* kTorch2 =
    "CUDA out of memory. Tried to allocate 20.00 GiB. GPU 1 has a total capacity of 139.72 GiB of "
    "which 52.19 MiB is free. Including non-PyTorch memory, this process has 139.66 GiB memory in "
    "use. Of the allocated memory 138.00 GiB is allocated by PyTorch";
constexpr const char* kTorch1 =
    "CUDA out of memory. Tried to allocate 20.00 GiB (GPU 0; 15.78 GiB total capacity; 14.00 GiB "
    "already allocated; 1.19 GiB free; 14.10 GiB reserved in total by PyTorch) If reserved memory";
constexpr const char* kHost =
    "[enforce fail at alloc_cpu.cpp:66] . DefaultCPUAllocator: can't allocate memory: you tried to "
    "allocate 17592186044416 bytes. Error code 12 (Cannot allocate memory)";

TEST(Shortage, NamesTheGpuThatRanOut) {
  EXPECT_EQ(gpu_memory(kTorch2), "GPU 1 has 139.72 GiB, 52.19 MiB of them free");
  EXPECT_EQ(gpu_memory(kTorch1), "GPU 0 has 15.78 GiB, 1.19 GiB of them free");
}

TEST(Shortage, OfAGpuIsNeverTakenForTheHosts) {
  for (const char* thrown :
       {"CUDA error: out of memory", "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling",
        "cuDNN error: CUDNN_STATUS_ALLOC_FAILED", "CUDA out of memory. Tried to allocate 2.00 GiB",
        "CUDA out of memory. (GPU free;", "CUDA out of memory. GPU 0 has a total capacity of"}) {
    EXPECT_TRUE(is_shortage(thrown)) << thrown;
    EXPECT_EQ(gpu_memory(thrown), "the GPU has less") << thrown;
  }
}

TEST(Shortage, OfTheHostIsOfNoGpu) {
  EXPECT_TRUE(is_shortage(kHost));
  EXPECT_EQ(gpu_memory(kHost), "");
  EXPECT_EQ(gpu_memory("std::bad_alloc"), "");
}

TEST(Shortage, IsNotWhatElseGoesWrong) {
  for (const char* thrown : {"", "CUDA error: device-side assert triggered",
                             "The size of tensor a (3) must match the size of tensor b (4)"}) {
    EXPECT_FALSE(is_shortage(thrown)) << thrown;
  }
}

}  // namespace
}  // namespace cambium::train
