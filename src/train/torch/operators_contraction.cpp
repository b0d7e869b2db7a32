// Contractions and normalizations.
#include <algorithm>
#include <numeric>
#include <optional>

#include "train/torch/operators.h"

namespace cambium::train {

using model::Ints;

namespace {

// The padding that libtorch does itself, equal on both sides, and the padding that it must be given
// explicitly, in the order of constant_pad_nd: last axis first, begin before end.
struct Padding {
  Ints both;
  Ints rest;
  bool even = true;
};

Padding padding_of(const Ints& pads) {
  const std::size_t spatial = pads.size() / 2;
  Padding padding{Ints(spatial), Ints(2 * spatial)};
  for (std::size_t i = 0; i < spatial; ++i) {
    const std::int64_t begin = pads[i], end = pads[i + spatial], both = std::min(begin, end);
    padding.both[i] = both;
    padding.rest[2 * (spatial - 1 - i)] = begin - both;
    padding.rest[2 * (spatial - 1 - i) + 1] = end - both;
    padding.even = padding.even && begin == end;
  }
  return padding;
}

// Whether cuDNN computes a grouped convolution faster with zeros between the groups, although this
// multiplies the arithmetic by `groups`. Its grouped kernels are up to 60 times slower than dense
// ones if groups are small or the window is one pixel or a line, and up to 4 times faster beyond
// these limits (measured on an H200 with 16 to 512 channels, docs/results/training.md).
bool is_faster_dense(const torch::Tensor& w, std::int64_t groups) {
  constexpr std::int64_t kFewChannels = 64, kManyChannels = 512;
  const std::int64_t in_group = w.size(1), in = in_group * groups;
  const bool is_pixel = w.numel() == w.size(0) * in_group;
  const bool is_line = w.dim() == 4 && w.size(2) != w.size(3);
  // Depthwise kernels over one axis and over squares are fast.
  const bool is_depthwise = in_group == 1 && w.size(0) == groups;
  if (is_depthwise && w.dim() <= 4 && !is_line) return false;
  return in <= (is_pixel || is_line || groups == 2 ? kManyChannels : kFewChannels);
}

// w[groups * m, c, ...] as [groups * m, groups * c, ...]: zeros outside of each group's own
// channels.
torch::Tensor dense(const torch::Tensor& w, std::int64_t groups) {
  Ints apart = w.sizes().vec(), together = apart;
  apart[0] /= groups;
  apart.insert(apart.begin(), groups);
  together[1] *= groups;
  Ints blocks = apart;
  blocks.insert(blocks.begin() + 2, groups);
  torch::Tensor out = torch::zeros(blocks, w.options());
  // The diagonal over both axes of groups comes last.
  out.diagonal(0, 0, 2).copy_(w.reshape(apart).movedim(0, -1));
  return out.reshape(together).contiguous(w.suggest_memory_format());
}

// How many samples are computed as groups of one. Synthesized operators convolve few channels of
// very many samples. Libraries are far slower at this than at the same computation with groups: 1.3
// to 12 times with 1 to 4 channels and a window of 3 by 3 on a CPU, 30 times with one pixel.
std::int64_t samples_as_groups(const model::Conv& op, const torch::Tensor& x,
                               const torch::Tensor& w) {
  constexpr std::int64_t kFewChannels = 4, kTogether = 64;
  const std::int64_t most = std::max(w.size(0), w.size(1));
  if (op.groups != 1 || most > kFewChannels) return 1;
  return std::gcd(x.size(0), kTogether / most);
}

// x[a, b, ...] as x[first..., ...].
torch::Tensor with_first_axes(const torch::Tensor& x, Ints first) {
  first.insert(first.end(), x.sizes().begin() + 2, x.sizes().end());
  return x.reshape(first);
}

torch::Tensor repeated(const torch::Tensor& x, std::int64_t times) {
  Ints repeats(static_cast<std::size_t>(x.dim()), 1);
  repeats[0] = times;
  return x.repeat(repeats);
}

// Uses the names that autocast knows: on a CPU, it leaves torch::convolution in f32.
torch::Tensor convolved(const torch::Tensor& x, const torch::Tensor& w, const torch::Tensor& bias,
                        const model::Conv& op, const Ints& pads, std::int64_t groups) {
  switch (op.strides.size()) {
    case 1: return torch::conv1d(x, w, bias, op.strides, pads, op.dilations, groups);
    case 2: return torch::conv2d(x, w, bias, op.strides, pads, op.dilations, groups);
    default: return torch::conv3d(x, w, bias, op.strides, pads, op.dilations, groups);
  }
}

// One of three axes along which windows lie side by side. Its blocks become further samples, and
// the elements within a block further channels, so the convolution has two axes. Kernels for three
// axes are slow if there are few channels.
std::optional<std::int64_t> axis_of_blocks(const model::Conv& op, const torch::Tensor& x,
                                           const torch::Tensor& w) {
  const std::size_t spatial = op.strides.size();
  if (spatial != 3 || op.groups != 1) return std::nullopt;
  for (std::size_t i = 0; i < spatial; ++i) {
    const auto at = static_cast<std::int64_t>(i) + 2;
    const std::int64_t length = w.size(at);
    const bool is_plain = op.dilations[i] == 1 && op.pads[i] == 0 && op.pads[i + spatial] == 0;
    if (is_plain && op.strides[i] == length && x.size(at) % length == 0) return at - 2;
  }
  return std::nullopt;
}

model::Conv without_axis(model::Conv op, std::int64_t axis) {
  op.pads.erase(op.pads.begin() + axis + static_cast<std::int64_t>(op.strides.size()));
  op.pads.erase(op.pads.begin() + axis);
  op.strides.erase(op.strides.begin() + axis);
  op.dilations.erase(op.dilations.begin() + axis);
  return op;
}

torch::Tensor convolution(const model::Conv& op, torch::Tensor x, torch::Tensor w,
                          torch::Tensor bias, bool dense_groups) {
  if (const auto axis = axis_of_blocks(op, x, w)) {
    // x[n, c, ..., b * k, ...] as x[n * b, c * k, ..., ...].
    const std::int64_t at = *axis + 2, samples = x.size(0), length = w.size(at);
    const torch::Tensor blocks =
        x.unflatten(at, {x.size(at) / length, length}).movedim({at, at + 1}, {1, 3});
    const std::int64_t count = blocks.size(1);
    const torch::Tensor y = convolution(without_axis(op, *axis), blocks.flatten(2, 3).flatten(0, 1),
                                        w.movedim(at, 2).flatten(1, 2), bias, dense_groups);
    return y.unflatten(0, {samples, count}).movedim(1, at);
  }
  const Padding padding = padding_of(op.pads);
  if (!padding.even) x = torch::constant_pad_nd(x, padding.rest, 0);
  const std::int64_t samples = x.size(0), together = samples_as_groups(op, x, w);
  std::int64_t groups = op.groups;
  if (together > 1) {
    x = with_first_axes(x, {samples / together, together * x.size(1)});
    w = repeated(w, together);
    if (bias.defined()) bias = repeated(bias, together);
    groups = together;
  }
  if (groups > 1 && (dense_groups || (x.is_cuda() && is_faster_dense(w, groups)))) {
    w = dense(w, groups);
    groups = 1;
  }
  const torch::Tensor y = convolved(x, w, bias, op, padding.both, groups);
  return together > 1 ? with_first_axes(y, {samples, y.size(1) / together}) : y;
}

}  // namespace

Tensors run(const model::Conv& op, const Call& call) {
  return {convolution(op, call.input(0), call.input(1), call.optional_input(2), call.dense_groups)};
}

// libtorch crops both sides equally and extends the end by less than a stride or dilation. The
// extension is therefore first taken from the cropping.
Tensors run(const model::ConvTranspose& op, const Call& call) {
  const std::size_t spatial = op.strides.size();
  Ints crop(spatial), longer(spatial), begin(spatial);
  for (std::size_t i = 0; i < spatial; ++i) {
    const std::int64_t end = op.pads[i + spatial] - op.output_padding[i];
    crop[i] = std::min(op.pads[i], std::max<std::int64_t>(end, 0));
    longer[i] = std::max<std::int64_t>(-end, 0);
    begin[i] = op.pads[i] - crop[i];
  }
  torch::Tensor y = torch::convolution(call.input(0), call.input(1), call.optional_input(2),
                                       op.strides, crop, op.dilations, true, longer, op.groups);
  const Ints& dims = call.node.outputs[0].dims;
  for (std::size_t i = 0; i < spatial; ++i) {
    const auto axis = static_cast<std::int64_t>(i) + 2;
    if (y.size(axis) != dims[i + 2]) y = y.narrow(axis, begin[i], dims[i + 2]);
  }
  return {y};
}

Tensors run(const model::MatMul&, const Call& call) {
  return {torch::matmul(call.input(0), call.input(1))};
}

Tensors run(const model::Gemm& op, const Call& call) {
  const torch::Tensor a = op.transpose_a ? call.input(0).t() : call.input(0);
  const torch::Tensor b = op.transpose_b ? call.input(1).t() : call.input(1);
  const torch::ScalarType type = a.scalar_type();
  if (!torch::isFloatingType(type)) {  // wide, with whole factors, and wrapped once
    torch::Tensor sum =
        torch::mm(a.to(torch::kLong), b.to(torch::kLong)) * static_cast<std::int64_t>(op.alpha);
    if (call.inputs.size() > 2)
      sum = sum + call.input(2).to(torch::kLong) * static_cast<std::int64_t>(op.beta);
    return {sum.to(type)};
  }
  if (call.inputs.size() > 2) return {torch::addmm(call.input(2), a, b, op.beta, op.alpha)};
  const torch::Tensor product = torch::mm(a, b);
  return {op.alpha == 1 ? product : product * op.alpha};
}

Tensors run(const model::Einsum& op, const Call& call) {
  return {torch::einsum(op.equation, Tensors(call.inputs.begin(), call.inputs.end()))};
}

Tensors run(const model::BatchNorm& op, const Call& call) {
  torch::Tensor x = call.input(0);
  const torch::Tensor &scale = call.input(1), &bias = call.input(2);
  constexpr double kMomentum = 0.1;
  const bool fast_kernels = x.is_cuda();
  // A rolled or reshaped tensor has lost its layout. A copy pays here: norms are five times slower
  // in the other layout, and the convolutions behind them would copy as well.
  if (fast_kernels && call.channels_last && x.dim() == 4) {
    x = x.contiguous(torch::MemoryFormat::ChannelsLast);
  }
  if (call.training) {
    const torch::Tensor none;
    return {torch::batch_norm(x, scale, bias, call.updates_statistics ? call.input(3) : none,
                              call.updates_statistics ? call.input(4) : none, true, kMomentum,
                              op.epsilon, fast_kernels)};
  }
  const torch::Tensor &mean = call.input(3), &variance = call.input(4);
  if (!mean.requires_grad() && !variance.requires_grad()) {
    return {torch::batch_norm(x, scale, bias, mean, variance, false, kMomentum, op.epsilon,
                              fast_kernels)};
  }
  // libtorch's own norm has no gradient for statistics, which a graph may compute.
  Ints dims(static_cast<std::size_t>(x.dim()), 1);
  dims[1] = x.size(1);
  const torch::Tensor factor = scale * torch::rsqrt(variance + op.epsilon);
  return {(x - mean.reshape(dims)) * factor.reshape(dims) + bias.reshape(dims)};
}

Tensors run(const model::LayerNorm& op, const Call& call) {
  const torch::Tensor& x = call.input(0);
  const Ints dims = x.sizes().slice(static_cast<std::size_t>(op.axis)).vec();
  torch::Tensor scale = call.input(1).expand(dims), bias = call.optional_input(2);
  if (bias.defined()) bias = bias.expand(dims);
  return {torch::layer_norm(x, dims, scale, bias, op.epsilon)};
}

Tensors run(const model::GroupNorm& op, const Call& call) {
  return {torch::group_norm(call.input(0), op.groups, call.input(1), call.input(2), op.epsilon,
                            call.input(0).is_cuda())};
}

}  // namespace cambium::train
