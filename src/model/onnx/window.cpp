#include "model/onnx/window.h"

#include <algorithm>

#include <fmt/core.h>

namespace cambium::model::onnx_io {

namespace {

// No window of a real network is near this; products of two such numbers fit 64 bits.
constexpr std::int64_t kLargestWindow = std::int64_t{1} << 30;

}  // namespace

void split_padding(std::int64_t total, bool upper, std::int64_t& begin, std::int64_t& end) {
  const std::int64_t smaller = total / 2, larger = total - total / 2;
  begin = upper ? smaller : larger;
  end = upper ? larger : smaller;
}

Status check_list(const char* name, const Ints& values, std::size_t count, std::int64_t lowest) {
  if (values.size() != count) {
    return bad_attribute(name, fmt::format("has {} entries, must have {}", values.size(), count));
  }
  for (const std::int64_t value : values) {
    if (value < lowest || value > kLargestWindow) {
      return bad_attribute(name, fmt::format("{} is not in {}..{}", value, lowest, kLargestWindow));
    }
  }
  return Ok{};
}

Result<Window> read_window(NodeContext& n, const TensorType& input, const Ints& kernel) {
  const std::size_t spatial = kernel.size();
  Window window;
  CAMBIUM_TRY(window.strides, n.ints_or("strides", Ints(spatial, 1)));
  CAMBIUM_TRY(window.dilations, n.ints_or("dilations", Ints(spatial, 1)));
  CAMBIUM_TRY(window.pads, n.ints_or("pads", Ints(2 * spatial, 0)));
  CAMBIUM_TRY(const std::string mode, n.text_or("auto_pad", "NOTSET"));
  CAMBIUM_REQUIRE(check_list("strides", window.strides, spatial, 1));
  CAMBIUM_REQUIRE(check_list("dilations", window.dilations, spatial, 1));
  CAMBIUM_REQUIRE(check_list("kernel_shape", kernel, spatial, 1));
  CAMBIUM_REQUIRE(check_list("pads", window.pads, 2 * spatial, -kLargestWindow));
  if (mode == "NOTSET" || mode.empty()) return window;
  window.pads.assign(2 * spatial, 0);
  if (mode == "VALID") return window;
  if (mode != "SAME_UPPER" && mode != "SAME_LOWER") {
    return bad_attribute("auto_pad", "'" + mode + "' is not known");
  }
  for (std::size_t i = 0; i < spatial; ++i) {
    const std::int64_t size = input.dims[i + 2];
    if (size > kLargestWindow)
      return bad_shape("input", input.text() + " is too large for auto_pad");
    const std::int64_t out = (size + window.strides[i] - 1) / window.strides[i];
    const std::int64_t extent = (kernel[i] - 1) * window.dilations[i] + 1;
    const std::int64_t total =
        std::max<std::int64_t>(0, (out - 1) * window.strides[i] + extent - size);
    split_padding(total, mode == "SAME_UPPER", window.pads[i], window.pads[i + spatial]);
  }
  return window;
}

}  // namespace cambium::model::onnx_io
