// Whose memory ran out, read from what libtorch threw: nothing else tells a GPU's from the host's.
// Called where libtorch computes for others.
#pragma once

#include <string>
#include <string_view>

namespace cambium::train {

bool is_shortage(std::string_view thrown);  // or something else went wrong

// "GPU 0 has 139.72 GiB, 52.19 MiB of them free"; empty where it was the host's.
std::string gpu_memory(std::string_view thrown);

}  // namespace cambium::train
