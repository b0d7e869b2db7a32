#include "model/zoo/net.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cambium::model::zoo {

namespace {

Ints pads(const Ints& dims, std::int64_t kernel, std::int64_t stride, Padding padding) {
  const std::size_t axes = dims.size() - 2;
  Ints out(2 * axes, 0);
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t size = dims[i + 2];
    if (padding == Padding::Centered) {
      out[i] = out[i + axes] = (kernel - 1) / 2;
    } else if (padding == Padding::Same) {
      const std::int64_t outputs = (size + stride - 1) / stride;
      const std::int64_t total = std::max<std::int64_t>(0, (outputs - 1) * stride + kernel - size);
      out[i] = total / 2;
      out[i + axes] = total - total / 2;
    }
  }
  return out;
}

}  // namespace

Net::Net(std::string_view name, const ZooOptions& options)
    : builder_(std::string(name)), options_(options) {}

Net::Net(const Model& base) : builder_(base) {}

std::int64_t Net::channels(Value x) const {
  return dims(x).size() < 2 ? 1 : dims(x)[1];
}

std::int64_t Net::width(std::int64_t published) const {
  return (published + options_.width_divisor - 1) / options_.width_divisor;
}

std::int64_t Net::classes(std::int64_t published) const {
  return options_.classes > 0 ? options_.classes : published;
}

std::int64_t Net::image(std::int64_t published) const {
  return options_.image > 0 ? options_.image : published;
}

std::int64_t Net::length(std::int64_t published) const {
  return options_.length > 0 ? options_.length : published;
}

Value Net::input_image(std::int64_t channels, std::int64_t published_size) {
  const std::int64_t size = image(published_size);
  return builder_.input("image", {DType::F32, {options_.batch, channels, size, size}});
}

Value Net::input_tokens(std::int64_t published_length) {
  return builder_.input("tokens", {DType::I64, {options_.batch, length(published_length)}});
}

Value Net::weight(const std::string& name, Ints dims, Fill::Law law, double scale) {
  const std::uint64_t seed =
      law == Fill::Law::Constant ? 0 : fingerprint_of(options_.seed, name).low;
  TensorType type{DType::F32, std::move(dims)};
  if (auto sane = check_type(type); !sane.ok()) {
    builder_.refuse(std::move(sane).rejection().at("weight '" + name + "'"));
    return {};
  }
  return builder_.weight(name, Tensor::lazy(std::move(type), {law, scale, seed}));
}

Value Net::scalar(const std::string& name, double value) {
  return weight(name, {}, Fill::Law::Constant, value);
}

Value Net::conv(Value x, const std::string& name, const ConvSpec& spec) {
  if (!builder_.ok() || dims(x).size() < 3) return {};
  const std::int64_t k = spec.kernel;
  const std::size_t axes = dims(x).size() - 2;
  Ints shape{spec.out, channels(x) / spec.groups};
  shape.insert(shape.end(), axes, k);
  // He et al. 2015 by fan-out, as torchvision initializes its networks.
  const double fan_out = static_cast<double>(k * k * spec.out) / static_cast<double>(spec.groups);
  std::vector<Value> inputs{
      x, weight(name + ".weight", std::move(shape), Fill::Law::Normal, std::sqrt(2 / fan_out))};
  if (spec.bias) inputs.push_back(weight(name + ".bias", {spec.out}, Fill::Law::Constant, 0));
  return builder_.add(Conv{Ints(axes, spec.stride), pads(dims(x), k, spec.stride, spec.padding),
                           Ints(axes, 1), spec.groups},
                      inputs, name);
}

Value Net::batch_norm(Value x, const std::string& name, double epsilon) {
  const std::int64_t c = channels(x);
  return builder_.add(BatchNorm{epsilon},
                      {x, weight(name + ".weight", {c}, Fill::Law::Constant, 1),
                       weight(name + ".bias", {c}, Fill::Law::Constant, 0),
                       weight(name + ".running_mean", {c}, Fill::Law::Constant, 0),
                       weight(name + ".running_var", {c}, Fill::Law::Constant, 1)},
                      name);
}

Value Net::layer_norm(Value x, const std::string& name, double epsilon) {
  if (!builder_.ok() || dims(x).empty()) return {};
  const std::int64_t c = dims(x).back();
  return builder_.add(LayerNorm{static_cast<std::int64_t>(dims(x).size()) - 1, epsilon},
                      {x, weight(name + ".weight", {c}, Fill::Law::Constant, 1),
                       weight(name + ".bias", {c}, Fill::Law::Constant, 0)},
                      name);
}

Value Net::linear(Value x, const std::string& name, std::int64_t out, bool bias,
                  std::optional<double> deviation) {
  if (!builder_.ok() || dims(x).empty()) return {};
  const std::int64_t in = dims(x).back();
  const bool matrix = dims(x).size() == 2;
  const Fill::Law law = deviation ? Fill::Law::Normal : Fill::Law::Uniform;
  const double scale = deviation.value_or(1 / std::sqrt(static_cast<double>(in)));
  const Value w = weight(name + ".weight", matrix ? Ints{out, in} : Ints{in, out}, law, scale);
  if (matrix && !bias) return builder_.add(Gemm{1, 1, false, true}, {x, w}, name);
  if (matrix) {
    return builder_.add(Gemm{1, 1, false, true},
                        {x, w, weight(name + ".bias", {out}, Fill::Law::Constant, 0)}, name);
  }
  const Value y = builder_.add(MatMul{}, {x, w}, name);
  return bias ? add(y, weight(name + ".bias", {out}, Fill::Law::Constant, 0), name + ".add") : y;
}

Value Net::act(Value x, Act activation, std::string name) {
  const auto unary = [&](UnaryFn fn) { return builder_.add(Unary{fn}, {x}, std::move(name)); };
  switch (activation) {
    case Act::None: return x;
    case Act::Relu: return unary(UnaryFn::Relu);
    case Act::Relu6:
      return builder_.add(Activation{ActivationFn::Clip, 0, 6}, {x},
                          name.empty() ? "relu6" : std::move(name));
    case Act::Silu: return unary(UnaryFn::Silu);
    case Act::Sigmoid: return unary(UnaryFn::Sigmoid);
    case Act::Gelu: return unary(UnaryFn::Gelu);
    case Act::GeluTanh: return unary(UnaryFn::GeluTanh);
  }
  return x;
}

Value Net::add(Value a, Value b, std::string name) {
  return builder_.add(Binary{BinaryFn::Add}, {a, b}, std::move(name));
}

Value Net::mul(Value a, Value b, std::string name) {
  return builder_.add(Binary{BinaryFn::Mul}, {a, b}, std::move(name));
}

Value Net::pool(Value x, PoolFn fn, std::int64_t kernel, std::int64_t stride, Padding padding) {
  if (!builder_.ok() || dims(x).size() < 3) return {};
  const std::size_t axes = dims(x).size() - 2;
  Pool op;
  op.fn = fn;
  op.kernel = Ints(axes, kernel);
  op.strides = Ints(axes, stride);
  op.dilations = Ints(axes, 1);
  op.pads = pads(dims(x), kernel, stride, padding);
  return builder_.add(op, {x});
}

Value Net::global_mean(Value x, bool keep) {
  Ints axes;
  for (std::size_t axis = 2; axis < dims(x).size(); ++axis) {
    axes.push_back(static_cast<std::int64_t>(axis));
  }
  return builder_.add(Reduce{ReduceFn::Mean, std::move(axes), keep}, {x});
}

Value Net::flatten(Value x) {
  if (!builder_.ok()) return {};
  const std::int64_t batch = options_.batch;
  return reshape(x, {batch, builder_.type(x).elements() / batch});
}

Value Net::conv_bn_act(Value x, const std::string& name, const ConvSpec& spec, Act activation,
                       double epsilon) {
  return act(batch_norm(conv(x, name + ".0", spec), name + ".1", epsilon), activation);
}

Value Net::squeeze_excite(Value x, const std::string& name, std::int64_t squeezed) {
  const std::int64_t c = channels(x);
  Value s = global_mean(x, true);
  s = act(conv(s, name + ".fc1", {.out = squeezed, .bias = true}), Act::Silu);
  s = act(conv(s, name + ".fc2", {.out = c, .bias = true}), Act::Sigmoid);
  return mul(s, x);
}

}  // namespace cambium::model::zoo
