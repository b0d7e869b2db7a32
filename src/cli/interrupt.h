// Ctrl-C, and SIGTERM as whoever ends a session sends it: the first one asks to stop cleanly, the
// second ends the program the hard way.
#pragma once

#include <atomic>

namespace cambium::cli {

// Set by the first of them from now on.
const std::atomic<bool>& stops_on_interrupt();

}  // namespace cambium::cli
