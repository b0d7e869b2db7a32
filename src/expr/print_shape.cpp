#include "expr/print_shape.h"

namespace cambium::expr {

std::string print_shape(const SizeTable& sizes, std::span<const Size> shape) {
  std::string text = "[";
  for (const Size& axis : shape) {
    if (text.size() > 1) text += ", ";
    text += sizes.print(axis);
  }
  return text + "]";
}

}  // namespace cambium::expr
