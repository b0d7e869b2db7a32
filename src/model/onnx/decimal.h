// ONNX stores attributes as float, a Model as double. For each float this gives the double with the
// shortest decimal text, which is the number that a person would have written (1e-5, not
// 9.99999974737875163555e-06).
#pragma once

namespace cambium::model::onnx_io {

double decimal_of(float value);

}  // namespace cambium::model::onnx_io
