// Linear and cubic resizing of one axis as a matrix: every output is a weighted sum of a few
// inputs, and the weights do not depend on the data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cambium::model::onnx_io {

struct Interpolation {
  bool cubic = false;            // otherwise linear
  double cubic_coefficient = 0;  // ONNX cubic_coeff_a
  bool exclude_outside = false;  // inputs beyond the edge are ignored; otherwise the edge repeats
  std::string coordinates;       // ONNX coordinate_transformation_mode
};

// Whether these coordinates exist.
bool has_coordinates(const std::string& name);

// The weights of `from` inputs (rows) for `to` outputs (columns), row by row.
std::vector<double> interpolation_matrix(const Interpolation& law, std::int64_t from,
                                         std::int64_t to, double scale);

}  // namespace cambium::model::onnx_io
