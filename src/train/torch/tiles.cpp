#include "train/torch/tiles.h"

#include <mutex>

#include <dlfcn.h>

namespace cambium::train {

void keep_off_tiles() {
  static std::once_flag once;
  std::call_once(once, [] {
    // dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx512_core_bf16): everything but tiles. Found by name,
    // because libtorch contains oneDNN without its headers.
    constexpr int kAvx512CoreBf16 = 0xe7;
    using SetMax = int (*)(int);
    const auto set_max = reinterpret_cast<SetMax>(::dlsym(RTLD_DEFAULT, "dnnl_set_max_cpu_isa"));
    if (set_max != nullptr) (void)set_max(kAvx512CoreBf16);
  });
}

}  // namespace cambium::train
