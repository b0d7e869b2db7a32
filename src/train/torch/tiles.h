// Keeps oneDNN, which does libtorch's convolutions on a CPU, from AMX tiles. Version 2.6 (Debian
// 12) uses them for bf16 wherever the processor has them without asking the kernel, which then ends
// the process with an illegal instruction. Called before anything is computed.
#pragma once

namespace cambium::train {

// Once for the process; nothing where oneDNN is no shared library, or another version.
void keep_off_tiles();

}  // namespace cambium::train
