// Composites written by hand, as published operators are defined: each stands in the place of a
// square convolution with stride 1 that keeps the size. In their bodies windows are unfolded and
// everything is one einsum, as a synthesizer would write it: what makes them fast is recognition.
// Used by tests and by `bench train`. Refuses sizes that an operator does not divide.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "model/composite.h"
#include "model/zoo/soup.h"

namespace cambium::model::zoo {

// The convolution whose place is taken: x[batch, in, side, side] to [batch, out, side, side].
struct ConvPlace {
  std::int64_t batch = 1, in = 64, out = 64, side = 16;
  std::int64_t kernel = 3;                  // odd
  Unfolding unfolding = Unfolding::Slices;  // how windows are written
};

struct KnownComposite {
  std::string_view name;  // "syno-1"
  std::string_view what;  // one line
  Result<Model> (*body)(const ConvPlace& place);
};

std::span<const KnownComposite> known_composites();

// Inputs are x and the weights. Refuses UnknownName, SizeNotDivisible and BadAttribute (a size
// below one, an even kernel).
Result<Composite> known_composite(std::string_view name, const ConvPlace& place);

// A Composite as a model of its own: its first input is the model's, the others are weights that
// are drawn, N(0, 0.1^2).
Model model_around(const Composite& composite, std::uint64_t seed = 1);

}  // namespace cambium::model::zoo
