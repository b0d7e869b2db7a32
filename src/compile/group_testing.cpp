#include "compile/group_testing.h"

#include <utility>

namespace cambium::compile {
namespace {

using namespace model;
using Values = std::vector<Value>;

Value slice(Builder& b, Value x, std::size_t axis, std::int64_t first, std::int64_t extent,
            std::int64_t step = 1) {
  const Ints dims = b.type(x).dims;
  Slice op{Ints(dims.size(), 0), dims, Ints(dims.size(), 1)};
  op.starts[axis] = first;
  op.extents[axis] = extent;
  op.steps[axis] = step;
  return b.add(op, {x});
}

Value whole(Builder& b, const NestCase& c, Value x, const Values& w) {
  return b.add(c.conv(c.ci / b.type(w[0]).dims[1]), {x, w[0]});
}

// The second half of the channels has the weights in front, because the first half moved away.
Value halves(Builder& b, const NestCase& c, Value x, const Values& w) {
  return b.add(Concat{1}, {b.add(c.conv(2), {x, w[1]}), b.add(c.conv(4), {x, w[0]})});
}

Value peeled(Builder& b, const NestCase& c, Value x, const Values& w) {
  const std::int64_t first = b.type(w[0]).dims[0];
  return b.add(Concat{1}, {b.add(c.conv(), {x, w[0]}),
                           b.add(c.conv(2), {slice(b, x, 1, first, c.ci - first), w[1]})});
}

Value slabs(Builder& b, const NestCase& c, Value x, const Values& w) {
  const std::int64_t half = c.height / 2;
  const Value upper = slice(b, x, 2, 0, half), lower = slice(b, x, 2, half, half);
  return b.add(Concat{2}, {b.add(c.conv(), {upper, slice(b, w[0], 0, 0, c.co)}),
                           b.add(c.conv(), {lower, slice(b, w[0], 0, c.co, c.co)})});
}

// The upper rows have the first half of the channels, the lower rows the second.
Value shared_out(Builder& b, const NestCase& c, Value x, const Values& w) {
  const std::int64_t rows = c.out_height() / 2, half = c.co / 2;
  const Value y = b.add(c.conv(), {x, w[0]});
  const auto part = [&](std::int64_t g) {
    const Value own = slice(b, slice(b, y, 1, g * half, half), 2, g * rows, rows);
    Pad pad{PadMode::Constant, Ints(8, 0), 0};
    pad.pads[g == 0 ? 5 : 1] = half;
    return b.add(pad, {own});
  };
  return b.add(Concat{2}, {part(0), part(1)});
}

Value repeated(Builder& b, Value y, std::int64_t height) {
  const Ints dims = b.type(y).dims;
  const std::int64_t times = height / dims[2];
  const Value apart = b.add(Reshape{{dims[0], dims[1], dims[2], 1, dims[3], 1}}, {y});
  const Value wide = b.add(Expand{{dims[0], dims[1], dims[2], times, dims[3], times}}, {apart});
  return b.add(Reshape{{dims[0], dims[1], height, height}}, {wide});
}

Value coarse(Builder& b, const NestCase& c, Value x, const Values& w) {
  Conv conv = c.conv(c.ci / b.type(w[0]).dims[1]);
  conv.strides = {2 * c.stride, 2 * c.stride};
  return repeated(b, b.add(conv, {x, w[0]}), c.out_height());
}

Value first_inputs(Builder& b, const NestCase& c, Value x, const Values& w) {
  return b.add(c.conv(), {slice(b, x, 1, 0, b.type(w[0]).dims[1]), w[0]});
}

// Each original group reads the first half of its channels.
Value first_inputs_of_groups(Builder& b, const NestCase& c, Value x, const Values& w) {
  const std::int64_t of_group = c.ci / c.groups, kept = b.type(w[0]).dims[1];
  Values parts;
  for (std::int64_t g = 0; g < c.groups; ++g) parts.push_back(slice(b, x, 1, g * of_group, kept));
  return b.add(c.conv(c.groups), {b.add(Concat{1}, parts), w[0]});
}

// Group g reads channels g, g + 2, g + 4 ...
Value interleaved(Builder& b, const NestCase& c, Value x, const Values& w) {
  const Values parts{slice(b, x, 1, 0, c.ci / 2, 2), slice(b, x, 1, 1, c.ci / 2, 2)};
  return b.add(c.conv(2), {b.add(Concat{1}, parts), w[0]});
}

// A convolution with these taps, along rows and columns, and the case's stride and padding there.
Value along(Builder& b, const NestCase& c, Value x, Value w, std::int64_t groups) {
  Conv conv = c.conv(groups);
  const Ints dims = b.type(w).dims;
  for (std::size_t d = 0; d < 2; ++d) {
    if (dims[d + 2] > 1) continue;
    conv.strides[d] = 1;
    conv.pads[d] = conv.pads[d + 2] = 0;
  }
  return b.add(conv, {x, w});
}

Value pointwise_depthwise(Builder& b, const NestCase& c, Value x, const Values& w) {
  return along(b, c, along(b, c, x, w[0], c.groups), w[1], c.co);
}

Value depthwise_pointwise(Builder& b, const NestCase& c, Value x, const Values& w) {
  return along(b, c, along(b, c, x, w[0], c.ci), w[1], c.groups);
}

Value rows_columns(Builder& b, const NestCase& c, Value x, const Values& w) {
  return along(b, c, along(b, c, x, w[0], c.groups), w[1], c.groups);
}

NestCase with_stride(NestCase c, std::int64_t stride) {
  c.name += ", stride " + std::to_string(stride);
  c.stride = stride;
  return c;
}

NestCase without_pad(NestCase c) {
  c.name += ", no pad";
  c.pad = 0;
  c.height += 2;
  return c;
}

}  // namespace

Model nest_model(const NestCase& c, NestTail tail) {
  Builder inner("body");
  const TensorType x_type{DType::F32, {c.batch, c.ci, c.height, c.height}};
  const Value inner_x = inner.input("x", x_type);
  Values inner_w;
  for (const Ints& dims : c.weights) inner_w.push_back(inner.input("w", {DType::F32, dims}));
  inner.output("y", c.body(inner, c, inner_x, inner_w));
  lower::NestForm form;
  form.conv = c.conv(c.groups);
  form.filter = {c.co, c.ci / c.groups, c.taps, c.taps};
  form.recipe = c.recipe;
  const auto composite = composite_of(std::string(lower::kNestSpace), to_text(form),
                                      std::move(inner).finish().value());

  Builder b("nest");
  std::uint64_t seed = 1;
  const auto weight = [&](const char* name, const Ints& dims, double scale) {
    return b.weight(name, Tensor::lazy({DType::F32, dims}, {Fill::Law::Normal, scale, seed++}));
  };
  Values reads{b.input("x", x_type)};
  for (const Ints& dims : c.weights) reads.push_back(weight("site.w", dims, 0.3));
  Value y = b.add(*composite, reads, "site");
  if (tail == NestTail::Relu) y = b.add(Unary{UnaryFn::Relu}, {y});
  const std::int64_t outs = b.type(y).dims[1];
  const auto normed = [&](Value value) {
    const Value variance =
        b.weight("variance", Tensor::lazy({DType::F32, {outs}}, {Fill::Law::Constant, 0.5, 7}));
    return b.add(BatchNorm{}, {value, weight("scale", {outs}, 1), weight("shift", {outs}, 1),
                               weight("mean", {outs}, 1), variance});
  };
  if (tail == NestTail::Norm) {
    y = normed(b.add(Binary{BinaryFn::Add}, {y, weight("bias", {outs, 1, 1}, 1)}));
    y = b.add(Binary{BinaryFn::Mul}, {y, b.add(Unary{UnaryFn::Sigmoid}, {y})});
    if (b.type(y).dims == x_type.dims) y = b.add(Binary{BinaryFn::Add}, {y, reads[0]});
  }
  if (tail == NestTail::Block) {
    y = b.add(Binary{BinaryFn::Add}, {normed(y), b.input("shortcut", b.type(y))});
    y = b.add(Unary{UnaryFn::Relu}, {y});
  }
  b.output("y", y);
  return std::move(b).finish().value();
}

std::vector<NestCase> nest_cases() {
  NestCase group{.name = "group 4",
                 .recipe = "group(outer: co, inner: ci, factor: 4)\n",
                 .weights = {{8, 2, 3, 3}},
                 .body = whole};
  NestCase in_groups = group;
  in_groups.name = "group 2 in 2 groups";
  in_groups.recipe = "group(outer: co, inner: ci, factor: 2)\n";
  in_groups.groups = 2;
  const NestCase halved{.name = "halves 2 4",
                        .recipe =
                            "partition(loop: co, points: [Co/2])\n"
                            "group(outer: co, inner: ci, factor: 2)\n"
                            "group(outer: co.2, inner: ci.2, factor: 4)\n",
                        .weights = {{4, 2, 3, 3}, {4, 4, 3, 3}},
                        .body = halves};
  const NestCase peel{.name = "peel 2 2",
                      .recipe =
                          "partition(loop: co, points: [2])\n"
                          "group(outer: co.2, inner: ci.2, factor: 2, skip: 2)\n",
                      .weights = {{2, 8, 3, 3}, {6, 3, 3, 3}},
                      .body = peeled};
  const NestCase slab{.name = "slabs 2",
                      .recipe =
                          "split(loop: h, factors: [2, 0], tail: exact)\n"
                          "group_slabs(rows: h.0)\n",
                      .weights = {{16, 8, 3, 3}},
                      .body = slabs};
  const NestCase sharing{.name = "slabs of channels",
                         .recipe =
                             "split(loop: h, factors: [2, 0], tail: exact)\n"
                             "group_channels(rows: h.0, outer: co)\n",
                         .weights = {{8, 8, 3, 3}},
                         .body = shared_out};
  const NestCase spatial{
      .name = "spatial bottleneck 2",
      .recipe = "bottleneck(loop: h, factor: 2)\nbottleneck(loop: w, factor: 2)\n",
      .weights = {{8, 8, 3, 3}},
      .body = coarse};
  NestCase spatial_group = spatial;
  spatial_group.name = "spatial bottleneck 2, group 2";
  spatial_group.recipe += "group(outer: co, inner: ci, factor: 2)\n";
  spatial_group.weights = {{8, 4, 3, 3}};
  const NestCase input{.name = "input bottleneck 2",
                       .recipe = "bottleneck(loop: ci, factor: 2)\n",
                       .weights = {{8, 4, 3, 3}},
                       .body = first_inputs};
  const NestCase input_of_groups{.name = "input bottleneck 2 in 2 groups",
                                 .recipe = "bottleneck(loop: ci, factor: 2)\n",
                                 .groups = 2,
                                 .weights = {{8, 2, 3, 3}},
                                 .body = first_inputs_of_groups};
  const NestCase depthwise{.name = "depthwise",
                           .recipe = "depthwise(outer: co, inner: ci)\n",
                           .weights = {{8, 1, 3, 3}},
                           .body = whole};
  const NestCase output{.name = "output bottleneck 2",
                        .recipe = "bottleneck(loop: co, factor: 2, accept: true)\n",
                        .weights = {{4, 8, 3, 3}},
                        .body = whole};
  const NestCase output_group{.name = "output bottleneck 2, group 2",
                              .recipe =
                                  "bottleneck(loop: co, factor: 2, accept: true)\n"
                                  "group(outer: co, inner: ci, factor: 2)\n",
                              .weights = {{4, 4, 3, 3}},
                              .body = whole};
  NestCase output_of_groups = output;
  output_of_groups.name = "output bottleneck 2 in 2 groups";
  output_of_groups.groups = 2;
  output_of_groups.weights = {{4, 4, 3, 3}};
  const NestCase every_second{.name = "interleaved 2",
                              .recipe =
                                  "split(loop: ci, factors: [0, 2], tail: exact)\n"
                                  "group(outer: co, inner: ci.1, factor: 2)\n",
                              .weights = {{8, 4, 3, 3}},
                              .body = interleaved};
  const NestCase thin_last{.name = "pointwise then depthwise",
                           .recipe = "separate(first: [ci])\n",
                           .weights = {{8, 8, 1, 1}, {8, 1, 3, 3}},
                           .body = pointwise_depthwise};
  const NestCase thin_first{.name = "depthwise then pointwise",
                            .recipe = "separate(first: [kh, kw])\n",
                            .weights = {{8, 1, 3, 3}, {8, 8, 1, 1}},
                            .body = depthwise_pointwise};
  const NestCase lines{.name = "rows then columns",
                       .recipe = "separate(first: [ci, kh], mixes: true)\n",
                       .weights = {{8, 8, 3, 1}, {8, 8, 1, 3}},
                       .body = rows_columns};
  NestCase pointwise = group;
  pointwise.name = "group 4 of 1x1";
  pointwise.taps = 1;
  pointwise.pad = 0;
  pointwise.weights = {{8, 2, 1, 1}};
  return {group,
          with_stride(group, 2),
          without_pad(group),
          in_groups,
          halved,
          with_stride(halved, 2),
          without_pad(halved),
          peel,
          with_stride(peel, 2),
          slab,
          sharing,
          with_stride(sharing, 2),
          spatial,
          with_stride(spatial, 2),
          spatial_group,
          input,
          with_stride(input, 2),
          input_of_groups,
          depthwise,
          with_stride(depthwise, 2),
          output,
          with_stride(output, 2),
          output_group,
          output_of_groups,
          every_second,
          thin_last,
          with_stride(thin_last, 2),
          thin_first,
          with_stride(thin_first, 2),
          without_pad(thin_first),
          lines,
          with_stride(lines, 2),
          pointwise};
}

}  // namespace cambium::compile
