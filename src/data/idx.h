// Reads the idx format of MNIST and its relatives, plain or gzip: a big-endian header with sizes,
// then unsigned bytes. Refuses other element types, absurd sizes and any length but the stated one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/bytes.h"

namespace cambium::data {

struct IdxArray {
  std::vector<std::int64_t> dims;
  std::vector<std::uint8_t> values;
};

// Refusals name the file's path, `name`.
Result<IdxArray> parse_idx(Bytes bytes, int rank, const std::string& name);

}  // namespace cambium::data
