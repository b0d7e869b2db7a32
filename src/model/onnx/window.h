// Strides, pads, dilations and auto_pad of convolutions and pools, with explicit defaults.
#pragma once

#include "base/result.h"
#include "model/onnx/node_context.h"

namespace cambium::model::onnx_io {

struct Window {
  Ints strides, pads, dilations;
};

// Reads strides, pads, dilations and auto_pad of a window of size `kernel` over `input`. SAME pads
// so that the output has input / stride (rounded up) entries. Refuses lists of the wrong length.
Result<Window> read_window(NodeContext& n, const TensorType& input, const Ints& kernel);

// Splits the total padding (or cropping) into begin and end. An odd entry goes to the end for
// SAME_UPPER and to the begin otherwise.
void split_padding(std::int64_t total, bool upper, std::int64_t& begin, std::int64_t& end);

// Refuses lists without exactly `count` entries, and values that could overflow later computations.
Status check_list(const char* name, const Ints& values, std::size_t count, std::int64_t lowest);

}  // namespace cambium::model::onnx_io
