// Hostile data files: idx (plain and gzip), pickles and images. Whatever the bytes, the readers
// answer with a value or a Rejection, and what they accept is consistent.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>

#include "base/check.h"
#include "data/idx.h"
#include "data/image_decode.h"
#include "data/pickle.h"

namespace {

using namespace cambium::data;  // NOLINT(google-build-using-namespace)

void try_idx(Bytes bytes) {
  for (const int rank : {1, 3}) {
    const auto array = parse_idx(bytes, rank, "fuzz");
    if (!array.ok()) {
      CAMBIUM_CHECK(!array.rejection().message().empty(), "a refusal says why");
      continue;
    }
    const std::int64_t count = std::accumulate(array->dims.begin(), array->dims.end(),
                                               std::int64_t{1}, std::multiplies<>());
    CAMBIUM_CHECK(count == static_cast<std::int64_t>(array->values.size()),
                  "an accepted idx file has as many values as it says");
  }
}

void try_pickle(Bytes bytes) {
  const auto pickle = Pickle::parse(bytes);
  if (!pickle.ok()) {
    CAMBIUM_CHECK(!pickle.rejection().message().empty(), "a refusal says why");
    return;
  }
  for (const char* field : {"labels", "fine_labels"}) (void)pickle->integers(field).ok();
  (void)pickle->texts("label_names").ok();
  const auto array = pickle->array("data");
  if (!array.ok()) return;
  const std::int64_t count = std::accumulate((*array)->dims.begin(), (*array)->dims.end(),
                                             std::int64_t{1}, std::multiplies<>());
  CAMBIUM_CHECK((*array)->dims.empty() || count == static_cast<std::int64_t>((*array)->text.size()),
                "an accepted array has as many values as it says");
}

void try_image(Bytes bytes) {
  for (const int size : {0, 5}) {
    const auto image = decode_image(bytes, size);
    if (!image.ok()) continue;
    CAMBIUM_CHECK(image->pixels.size() == static_cast<std::size_t>(image->height) *
                                              static_cast<std::size_t>(image->width) * 3,
                  "an accepted image has as many pixels as it says");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Bytes input(bytes, size);
  try_idx(input);
  try_pickle(input);
  try_image(input);
  return 0;
}
