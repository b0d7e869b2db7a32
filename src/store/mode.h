// What a store is opened for. Used by both stores.
#pragma once

#include <cstdint>

namespace cambium::store {

enum class Mode : std::uint8_t {
  Make,  // makes the file where there is none
  Open,  // refuses NotFound where there is none
  // Refuses NotFound, too. Where the file or its folder cannot be written, reads it as it is;
  // whatever would change it is refused then.
  Read,
};

}  // namespace cambium::store
