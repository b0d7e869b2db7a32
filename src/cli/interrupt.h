// Ctrl-C: the first one asks to stop cleanly, the second ends the program the hard way.
#pragma once

#include <atomic>

namespace cambium::cli {

// Set by the first Ctrl-C from now on.
const std::atomic<bool>& stops_on_interrupt();

}  // namespace cambium::cli
