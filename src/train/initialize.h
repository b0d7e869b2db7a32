// Fresh weights for a model, by the usual scheme of each operator. Weights are drawn here, without
// libtorch, so a seed gives the same numbers on every device. Called before training from scratch,
// and by the measures that score a network at its initialization.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/model.h"
#include "model/tensor.h"

namespace cambium::train {

// How weights of contractions are drawn. The role of a weight is read off the model with its
// composites expanded and everything recognized. Under every scheme, norms get scale 1 and bias 0,
// running means 0 and variances 1, other biases 0, factors 1, and tables that are looked up, added
// or concatenated (embeddings, positions, class tokens) N(0, 0.02^2). Fans are those of libtorch:
// for a convolution [M, C / groups, kernel], in = C / groups * kernel, out = M * kernel.
enum class Scheme : std::uint8_t {
  KaimingFanOut,  // convolutions N(0, 2 / fan out), matrices U(+-sqrt(1 / fan in)): the usual CNN
  KaimingFanIn,   // N(0, 2 / fan in)
  Xavier,         // U(+-sqrt(6 / (fan in + fan out)))
  Lecun,          // N(0, 1 / fan in)
  Normal02,       // N(0, 0.02^2): transformers
};
Result<Scheme> scheme_of(std::string_view name);  // "kaiming-out", ...; refuses BadOption

struct InitializeOptions {
  Scheme scheme = Scheme::KaimingFanOut;
  std::uint64_t seed = 1;
  bool zeroes_last_norms = false;  // the scale of the norm that ends a residual branch
};

// The same graph with every parameter (model::parameters_of) drawn anew. A weight depends on the
// seed, its name, its shape and its law, not on the rest of the model, so variants share the
// weights of their common parts. Elements are drawn in the order [out, in, kernel] of the node that
// reads the weight, so a layer that is written in another way begins with the same numbers. Weights
// in that order are lazy: a network that is only counted costs nothing.
model::Model initialized(const model::Model& model, const InitializeOptions& options);

// How a weight was drawn.
struct DrawnLaw {
  model::Fill fill;
  double fan_in = 1;  // of the node that reads it
};
// A model with fresh weights, and their laws by the names of their nodes.
struct Beginning {
  model::Model model;
  std::map<std::string, DrawnLaw> laws;
};
Beginning beginning_of(const model::Model& model, const InitializeOptions& options);

}  // namespace cambium::train
