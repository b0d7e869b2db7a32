#include "compile/arrays.h"

#include <cstring>

#include "base/check.h"
#include "model/convert.h"

namespace cambium::compile {

program::Array array_of(DType dtype, std::span<const std::byte> bytes) {
  return visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    return program::Array::of(
        std::span<const T>(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)));
  });
}

void store(const program::Array& array, std::span<std::byte> bytes) {
  visit_dtype(array.dtype, [&](auto zero) {
    using T = decltype(zero);
    CAMBIUM_CHECK(bytes.size() == static_cast<std::size_t>(array.size()) * sizeof(T),
                  "an array for a buffer of another size");
    std::visit(
        [&](const auto& elements) {
          for (std::size_t i = 0; i < elements.size(); ++i) {
            const T element = model::convert<T>(elements[i]);
            std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
          }
        },
        array.elements);
  });
}

}  // namespace cambium::compile
