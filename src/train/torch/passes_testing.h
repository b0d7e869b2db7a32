// A network of one convolution. For tests of how passes are timed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/builder.h"

namespace cambium::train {

inline model::Model convolution(std::int64_t channels, std::size_t spatial) {
  using namespace model;  // NOLINT(google-build-using-namespace): many operators are named
  Builder b("conv");
  Ints dims(spatial + 2, 8), kernel(spatial + 2, 1);
  dims[0] = 2;
  dims[1] = kernel[0] = kernel[1] = channels;
  const Value x = b.input("x", {DType::F32, dims});
  const Value w = b.weight("w", Tensor::lazy({DType::F32, kernel}, {Fill::Law::Normal, 1, 1}));
  b.output("y", b.add(Conv{Ints(spatial, 1), Ints(2 * spatial, 0), Ints(spatial, 1), 1}, {x, w}));
  return std::move(b).finish().value();
}

}  // namespace cambium::train
