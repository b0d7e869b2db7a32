#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

#include "data/decoders.h"

namespace cambium::data {
namespace {

constexpr std::int64_t kMaxNumber = 1 << 24;

// The next number of a header; white space and comments may stand before it.
std::optional<std::int64_t> next_number(Bytes file, std::size_t& at) {
  while (at < file.size() && (std::isspace(file[at]) != 0 || file[at] == '#')) {
    if (file[at] == '#') {
      while (at < file.size() && file[at] != '\n') ++at;
    } else {
      ++at;
    }
  }
  std::int64_t value = 0;
  const std::size_t begin = at;
  for (; at < file.size() && std::isdigit(file[at]) != 0; ++at) {
    value = value * 10 + (file[at] - '0');
    if (value > kMaxNumber) return std::nullopt;
  }
  return at == begin ? std::nullopt : std::optional(value);
}

}  // namespace

bool is_pnm(Bytes file) {
  return file.size() >= 3 && file[0] == 'P' && (file[1] == '5' || file[1] == '6') &&
         std::isspace(file[2]) != 0;
}

Result<Raster> decode_pnm(Bytes file) {
  const std::size_t channels = file[1] == '6' ? 3 : 1;
  std::size_t at = 2;
  const auto width = next_number(file, at);
  const auto height = next_number(file, at);
  const auto largest = next_number(file, at);
  if (!width || !height || largest != 255 || at == file.size() || std::isspace(file[at]) == 0)
    return Rejection(Reason::BadImage, "a PPM or PGM header needs width, height and 255");
  const Bytes samples = file.subspan(at + 1);
  CAMBIUM_TRY(Raster raster, blank_raster(*height, *width));
  const std::size_t count = raster.pixels.size() / 3;
  if (samples.size() < count * channels)
    return Rejection(Reason::BadImage, "the file is cut short: " + std::to_string(samples.size()) +
                                           " of " + std::to_string(count * channels) + " bytes");
  for (std::size_t p = 0; p < count; ++p) {
    for (std::size_t c = 0; c < 3; ++c)
      raster.pixels[p * 3 + c] = samples[p * channels + std::min(c, channels - 1)];
  }
  return raster;
}

}  // namespace cambium::data
