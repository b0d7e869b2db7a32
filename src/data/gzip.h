// Inflates gzip streams with a bound on the output, so that a small file cannot demand unbounded
// memory. The idx reader calls it.
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
  bool ended = false;   // the stream ended within the bound with a correct checksum
  std::string problem;  // empty unless the stream is damaged or truncated
};

// Inflates at most `bound` bytes. Keeps the output before a damaged place, so that the caller can
// report how much there was.
Inflated inflate_gzip(Bytes compressed, std::size_t bound);

}  // namespace cambium::data
