// Keeps oneDNN, which computes libtorch's convolutions on a CPU, from using AMX tiles. Version 2.6
// (Debian 12) uses them for bf16 on every processor that has them, without asking the kernel, which
// then ends the process with an illegal instruction. Called before anything is computed.
#pragma once

namespace cambium::train {

// Acts once per process. Does nothing if oneDNN is not a shared library, or has another version.
void keep_off_tiles();

}  // namespace cambium::train
