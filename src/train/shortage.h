// Tells from libtorch's exception whose memory ran out, a GPU's or the host's; there is no other
// sign. Called where libtorch computes.
#pragma once

#include <string>
#include <string_view>

namespace cambium::train {

bool is_shortage(std::string_view thrown);  // false: something else went wrong

// "GPU 0 has 139.72 GiB, 52.19 MiB of them free"; empty for the host's memory.
std::string gpu_memory(std::string_view thrown);

}  // namespace cambium::train
