// Inflating gzip streams with a bound on what comes out, so that a small file cannot ask for
// unbounded memory. Called by the idx reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "data/bytes.h"

namespace cambium::data {

bool is_gzip(Bytes bytes);

struct Inflated {
  std::vector<std::uint8_t> bytes;
  bool ended = false;   // the stream came to its end within the bound, checksum right
  std::string problem;  // empty unless the stream is damaged or cut short
};

// Inflates at most `bound` bytes. What came out before a damaged place is kept, so that the caller
// can say how much was found.
Inflated inflate_gzip(Bytes compressed, std::size_t bound);

}  // namespace cambium::data
