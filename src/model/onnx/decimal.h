// ONNX stores attributes as float, a Model as double. The double that a person would have written
// for a float (1e-5, not 9.99999974737875163555e-06) is the one whose decimal text is shortest.
#pragma once

namespace cambium::model::onnx_io {

double decimal_of(float value);

}  // namespace cambium::model::onnx_io
