// Hand-written Composites for published operators. Each replaces a square convolution with stride 1
// that keeps the size. Their bodies unfold windows and use one einsum, as a synthesizer writes
// them; recognition makes them fast. Used by tests and by `bench train`. Refuses sizes that an
// operator does not divide.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "model/composite.h"
#include "model/zoo/soup.h"

namespace cambium::model::zoo {

// The replaced convolution: x[batch, in, side, side] to [batch, out, side, side].
struct ConvPlace {
  std::int64_t batch = 1, in = 64, out = 64, side = 16;
  std::int64_t kernel = 3;                  // odd
  Unfolding unfolding = Unfolding::Slices;  // how windows are unfolded
};

struct KnownComposite {
  std::string_view name;  // "syno-1"
  std::string_view what;  // description in one line
  Result<Model> (*body)(const ConvPlace& place);
};

std::span<const KnownComposite> known_composites();

// The inputs are x and the weights. Refuses UnknownName, SizeNotDivisible and BadAttribute (a size
// below one, an even kernel).
Result<Composite> known_composite(std::string_view name, const ConvPlace& place);

// A Composite as a separate model. Its first input is the model's input; the others are random
// weights from N(0, 0.1^2).
Model model_around(const Composite& composite, std::uint64_t seed = 1);

}  // namespace cambium::model::zoo
