#include "data/idx.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "data/gzip.h"

namespace cambium::data {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 30;
constexpr std::uint8_t kUnsignedByte = 0x08;

std::size_t header_bytes(int rank) {
  return 4 + 4 * static_cast<std::size_t>(rank);
}

Result<std::vector<std::int64_t>> parse_header(Bytes head, int rank, const std::string& name) {
  if (head.size() < header_bytes(rank))
    return Rejection(Reason::WrongFileSize, name, {}, static_cast<std::int64_t>(head.size()),
                     static_cast<std::int64_t>(header_bytes(rank)));
  if (head[0] != 0 || head[1] != 0 || head[2] != kUnsignedByte || head[3] != rank)
    return Rejection(Reason::WrongMagic,
                     fmt::format("{:02x}{:02x}{:02x}{:02x}", head[0], head[1], head[2], head[3]),
                     fmt::format("000008{:02x} (idx, unsigned bytes, {} dimensions)", rank, rank))
        .at(name);
  std::vector<std::int64_t> dims;
  std::int64_t elements = 1;
  for (int i = 0; i < rank; ++i) {
    const std::uint8_t* at = head.data() + 4 + 4 * i;
    const std::int64_t dim = (std::int64_t{at[0]} << 24) | (at[1] << 16) | (at[2] << 8) | at[3];
    if (dim < 1 || dim > kMaxElements / elements)
      return Rejection(Reason::SizeOutOfRange, fmt::format("dimension {}", i), {}, dim, 1,
                       kMaxElements / elements)
          .at(name);
    elements *= dim;
    dims.push_back(dim);
  }
  return dims;
}

}  // namespace

Result<IdxArray> parse_idx(Bytes bytes, int rank, const std::string& name) {
  const bool packed = is_gzip(bytes);
  const std::size_t header = header_bytes(rank);
  Inflated inflated;
  if (packed) inflated = inflate_gzip(bytes, header);
  CAMBIUM_TRY(
      std::vector<std::int64_t> dims,
      parse_header(packed ? Bytes(inflated.bytes) : bytes.first(std::min(bytes.size(), header)),
                   rank, name));
  std::size_t expected = header;
  std::size_t elements = 1;
  for (const std::int64_t dim : dims) elements *= static_cast<std::size_t>(dim);
  expected += elements;

  Bytes plain = bytes;
  if (packed) {
    // One byte more than stated tells a surplus without inflating all of it.
    inflated = inflate_gzip(bytes, expected + 1);
    plain = inflated.bytes;
  }
  if (plain.size() != expected)
    return Rejection(Reason::WrongFileSize, name, {}, static_cast<std::int64_t>(plain.size()),
                     static_cast<std::int64_t>(expected));
  if (packed && !inflated.ended)
    return Rejection(Reason::Unreadable, name,
                     inflated.problem.empty() ? "the gzip stream does not end" : inflated.problem);
  IdxArray array{std::move(dims), {}};
  array.values.assign(plain.begin() + static_cast<std::ptrdiff_t>(header), plain.end());
  return array;
}

}  // namespace cambium::data
