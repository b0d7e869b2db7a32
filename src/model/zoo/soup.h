// Soup: models as a synthesizer writes them. Windows are pads, slices and concats, or gathers;
// contractions are einsums. Such models are correct, but slow until recognition (model/recognize)
// finds the operators. The known composites and the tests of recognition use it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "model/builder.h"

namespace cambium::model::zoo {

enum class Unfolding : std::uint8_t { Slices, Gather };

struct SoupWindow {
  std::size_t axis = 0;
  std::int64_t kernel = 3, stride = 1, dilation = 1, before = 1, after = 1;
};

class Soup {
 public:
  // Weights are random, or inputs: the body of a Composite has them as inputs.
  enum class Weights : std::uint8_t { Drawn, Inputs };
  explicit Soup(std::uint64_t seed = 7) : seed_(seed) {}
  explicit Soup(Weights weights) : weights_(weights) {}

  Builder& builder() { return builder_; }
  Value input(Ints dims) { return builder_.input("x", {DType::F32, std::move(dims)}); }
  Value weight(Ints dims);
  const Ints& dims(Value x) const { return builder_.type(x).dims; }

  Value pad(Value x, std::size_t axis, std::int64_t before, std::int64_t after, double fill = 0);
  Value slice(Value x, std::size_t axis, std::int64_t start, std::int64_t extent,
              std::int64_t step = 1);
  Value reshape(Value x, Ints to) { return builder_.add(Reshape{std::move(to)}, {x}); }
  Value transpose(Value x, Ints perm) { return builder_.add(Transpose{std::move(perm)}, {x}); }
  Value concat(std::size_t axis, const std::vector<Value>& pieces) {
    return builder_.add(Concat{static_cast<std::int64_t>(axis)}, pieces);
  }
  Value einsum(const std::string& equation, std::initializer_list<Value> inputs) {
    return builder_.add(Einsum{equation}, inputs);
  }
  Value indices(Ints of, const std::vector<std::int64_t>& values);

  // Replaces x[.., axis, ..] by x[.., kernel, places, ..].
  Value unfold(Value x, const SoupWindow& window, Unfolding how, double fill = 0);
  // x[N, C, H, W] as [N, C, kernel, H', kernel, W'].
  Value columns(Value x, std::int64_t kernel, std::int64_t stride, std::int64_t dilation,
                Unfolding how);
  // x[(j + by) % extent] along the axis.
  Value roll(Value x, std::size_t axis, std::int64_t by);

  // The model with output y; all added nodes must be valid.
  Model done(Value y);

 private:
  Builder builder_{"soup"};
  std::uint64_t seed_ = 7;
  Weights weights_ = Weights::Drawn;
};

}  // namespace cambium::model::zoo
