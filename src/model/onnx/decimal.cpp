#include "model/onnx/decimal.h"

#include <charconv>
#include <cmath>
#include <string>

#include <fmt/core.h>

namespace cambium::model::onnx_io {

double decimal_of(float value) {
  if (!std::isfinite(value)) return value;
  const std::string text = fmt::format("{}", value);
  double read = value;
  std::from_chars(text.data(), text.data() + text.size(), read);
  return read;
}

}  // namespace cambium::model::onnx_io
