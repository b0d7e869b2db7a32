// The idx format of MNIST and its relatives: a big-endian header of sizes, then unsigned bytes;
// plain or gzip. Refuses other element types, absurd sizes and any length but the stated one.
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

// `name` is the file's path, for the refusal.
Result<IdxArray> parse_idx(Bytes bytes, int rank, const std::string& name);

}  // namespace cambium::data
