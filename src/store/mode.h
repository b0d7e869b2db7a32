// Mode: what a store is opened for. Refuses nothing. Used by both stores.
#pragma once

#include <cstdint>

namespace cambium::store {

enum class Mode : std::uint8_t {
  Make,  // makes the file if it is missing
  Open,  // refuses NotFound if the file is missing
  // Also refuses NotFound. Reads a file that cannot be written, or whose folder cannot be written,
  // as it is; then every change is refused.
  Read,
};

}  // namespace cambium::store
