// Net: the layers of published networks, on top of Builder, with lazy weights. Names follow
// PyTorch's state dictionaries (`layer1.0.conv1.weight`). The families of the zoo use it. A mistake
// sticks in the Builder and `finish` returns it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "model/builder.h"
#include "model/zoo/options.h"

namespace cambium::model::zoo {

// Empty: no activation.
enum class Act : std::uint8_t { None, Relu, Relu6, Silu, Sigmoid, Gelu, GeluTanh };

enum class Padding : std::uint8_t {
  Centered,  // (kernel - 1) / 2 on both sides, as in PyTorch's models
  Same,      // ceil(size / stride) outputs, an odd rest at the end, as in TensorFlow and flax
  None,
};

struct ConvSpec {
  std::int64_t out = 0, kernel = 1, stride = 1, groups = 1;
  bool bias = false;
  Padding padding = Padding::Centered;
};

class Net {
 public:
  Net(std::string_view name, const ZooOptions& options);
  // An edit: new layers for a network that is there.
  explicit Net(const Model& base);

  Builder& builder() { return builder_; }
  const ZooOptions& options() const { return options_; }
  const Ints& dims(Value x) const { return builder_.type(x).dims; }
  std::int64_t channels(Value x) const;  // of [N, C, ...]

  // ---- sizes that the options may change
  std::int64_t width(std::int64_t published) const;    // divided, rounded up
  std::int64_t classes(std::int64_t published) const;  // the number of the options, if given
  std::int64_t image(std::int64_t published) const;
  std::int64_t length(std::int64_t published) const;

  // ---- leaves
  Value input_image(std::int64_t channels, std::int64_t published_size);
  Value input_tokens(std::int64_t published_length);
  Value weight(const std::string& name, Ints dims, Fill::Law law, double scale);
  Value scalar(const std::string& name, double value);  // a constant, not a parameter

  // ---- layers
  Value conv(Value x, const std::string& name, const ConvSpec& spec);
  Value batch_norm(Value x, const std::string& name, double epsilon = 1e-5);
  Value layer_norm(Value x, const std::string& name, double epsilon = 1e-5);
  // A dense layer over the last axis: a gemm on matrices, otherwise matmul and add. `deviation`
  // gives normal weights with this standard deviation; otherwise they are uniform by fan-in.
  Value linear(Value x, const std::string& name, std::int64_t out, bool bias = true,
               std::optional<double> deviation = {});
  Value act(Value x, Act act, std::string name = {});
  Value relu(Value x) { return act(x, Act::Relu); }
  Value add(Value a, Value b, std::string name = {});
  Value mul(Value a, Value b, std::string name = {});
  Value pool(Value x, PoolFn fn, std::int64_t kernel, std::int64_t stride,
             Padding padding = Padding::None);
  Value global_mean(Value x, bool keep);  // over the spatial axes
  Value reshape(Value x, Ints dims) { return builder_.add(Reshape{std::move(dims)}, {x}); }
  Value flatten(Value x);  // [N, everything]

  // conv, batch_norm and activation, named `<name>.0`, `<name>.1` as in a Sequential.
  Value conv_bn_act(Value x, const std::string& name, const ConvSpec& spec, Act activation,
                    double epsilon = 1e-5);
  // Two dense layers on the mean over space scale the channels (Hu et al. 2018).
  Value squeeze_excite(Value x, const std::string& name, std::int64_t squeezed);

  void output(Value x) { builder_.output("logits", x); }
  Result<Model> finish() && { return std::move(builder_).finish(); }

 private:
  Builder builder_;
  ZooOptions options_;
};

}  // namespace cambium::model::zoo
