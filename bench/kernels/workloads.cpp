#include <numeric>

#include <fmt/format.h>

#include "base/check.h"
#include "kernels/workload.h"
#include "model/builder.h"

namespace cambium::bench {
namespace {

using Ints = std::vector<std::int64_t>;
using model::Value;

double product(const Ints& values) {
  return std::accumulate(values.begin(), values.end(), 1.0,
                         [](double a, std::int64_t b) { return a * static_cast<double>(b); });
}

model::Tensor random_weight(const Ints& dims, std::uint64_t seed) {
  return model::Tensor::lazy({DType::F32, dims}, {model::Fill::Law::Uniform, 0.5, seed});
}

Workload finish(std::string name, Shape shape, double flops, model::Builder builder,
                const std::vector<std::pair<Value, bool>>& layouts) {
  Workload w;
  w.name = std::move(name);
  w.shape = std::move(shape);
  w.flops = flops;
  auto built = std::move(builder).finish();
  CAMBIUM_CHECK(built.ok(), "a benchmark's model is sound");
  w.model = std::move(built).value();
  for (const auto& [value, last] : layouts) {
    if (last) w.layouts.set(value, lower::channels_last(w.model.type(value).rank()));
  }
  return w;
}

struct ConvOptions {
  std::int64_t stride = 1, pad = 0, dilation = 1, groups = 1;
  bool transposed = false;
  bool epilogue = false;
};

// `spatial` is the input, without batch and channels.
Workload conv(const std::string& name, Ints spatial, std::int64_t in, std::int64_t out, Ints kernel,
              const ConvOptions& o = {}) {
  const std::size_t rank = spatial.size();
  ConvShape shape;
  shape.input = {1, in};
  shape.input.insert(shape.input.end(), spatial.begin(), spatial.end());
  shape.kernel = kernel;
  shape.strides.assign(rank, o.stride);
  shape.dilations.assign(rank, o.dilation);
  shape.pads.assign(2 * rank, o.pad);
  shape.groups = o.groups;
  shape.is_transposed = o.transposed;
  shape.has_epilogue = o.epilogue;

  model::Builder b(name);
  const Value x = b.input("x", {DType::F32, shape.input});
  Ints weights = o.transposed ? Ints{in, out / o.groups} : Ints{out, in / o.groups};
  weights.insert(weights.end(), kernel.begin(), kernel.end());
  const Value w = b.weight("w", random_weight(weights, 7));
  Value y;
  if (o.transposed) {
    y = b.add(
        model::ConvTranspose{shape.strides, shape.pads, shape.dilations, Ints(rank, 0), o.groups},
        {x, w}, "conv");
  } else if (o.epilogue) {
    y = b.add(model::Conv{shape.strides, shape.pads, shape.dilations, o.groups},
              {x, w, b.weight("bias", random_weight({out}, 8))}, "conv");
  } else {
    y = b.add(model::Conv{shape.strides, shape.pads, shape.dilations, o.groups}, {x, w}, "conv");
  }
  std::vector<std::pair<Value, bool>> layouts{{x, true}, {y, true}};
  if (o.epilogue) {
    const Ints channels = rank == 2 ? Ints{out, 1, 1} : Ints{out, 1};
    const auto then = [&](model::Op op, std::initializer_list<Value> inputs) {
      y = b.add(std::move(op), inputs);
      layouts.emplace_back(y, true);
    };
    then(model::Binary{model::BinaryFn::Mul}, {y, b.weight("scale", random_weight(channels, 9))});
    then(model::Binary{model::BinaryFn::Add}, {y, b.weight("offset", random_weight(channels, 10))});
    then(model::Unary{model::UnaryFn::Relu}, {y});
  }
  b.output("y", y);
  shape.output = b.type(y).dims;
  double macs = product(kernel) * static_cast<double>(in / o.groups);
  // Each input pixel of a transposed convolution meets each kernel element once.
  macs *= o.transposed ? static_cast<double>(out) * product(spatial) : product(shape.output);
  return finish(name, shape, 2 * macs, std::move(b), layouts);
}

Workload matmul(const std::string& name, std::int64_t rows, std::int64_t columns,
                std::int64_t reduce) {
  model::Builder b(name);
  const Value x = b.input("x", {DType::F32, {1, rows, reduce}});
  const Value y = b.input("y", {DType::F32, {1, reduce, columns}});
  b.output("z", b.add(model::MatMul{}, {x, y}, "matmul"));
  return finish(name, MatMulShape{1, rows, columns, reduce},
                2.0 * static_cast<double>(rows * columns) * static_cast<double>(reduce),
                std::move(b), {});
}

// The scores of attention: queries and keys as [length, heads, depth], both transposed inside.
Workload heads(const std::string& name, std::int64_t length, std::int64_t count,
               std::int64_t depth) {
  model::Builder b(name);
  const Value q = b.input("q", {DType::F32, {1, length, count, depth}});
  const Value v = b.input("v", {DType::F32, {1, length, count, depth}});
  const Value qt = b.add(model::Transpose{{0, 2, 1, 3}}, {q}, "query");
  const Value vt = b.add(model::Transpose{{0, 2, 3, 1}}, {v}, "value");
  b.output("s", b.add(model::MatMul{}, {qt, vt}, "scores"));
  return finish(name, MatMulShape{count, length, length, depth, true},
                2.0 * static_cast<double>(count * length * length) * static_cast<double>(depth),
                std::move(b), {});
}

Workload norm(const std::string& name, std::int64_t rows, std::int64_t columns) {
  model::Builder b(name);
  const Value x = b.input("x", {DType::F32, {1, rows, columns}});
  b.output("y", b.add(model::Reduce{model::ReduceFn::L2, {1, 2}, false}, {x}, "norm"));
  return finish(name, NormShape{rows * columns}, 2.0 * static_cast<double>(rows * columns),
                std::move(b), {});
}

Workload softmax(const std::string& name, std::int64_t size) {
  model::Builder b(name);
  const Value x = b.input("x", {DType::F32, {size, size}});
  b.output("y", b.add(model::Softmax{1}, {x}, "softmax"));
  return finish(name, SoftmaxShape{size, size}, 4.0 * static_cast<double>(size * size),
                std::move(b), {});
}

}  // namespace

std::vector<Workload> operator_table() {
  return {
      conv("C1D-0", {256}, 64, 128, {3}, {.stride = 2, .pad = 1}),
      conv("C1D-1", {128}, 128, 256, {1}, {.stride = 2}),
      conv("C1D-2", {64}, 256, 256, {5}, {.pad = 2}),
      conv("C1D-3", {32}, 512, 512, {3}, {.pad = 1}),
      conv("C2D-0", {224, 224}, 3, 64, {7, 7}, {.stride = 2, .pad = 3}),
      conv("C2D-1", {56, 56}, 64, 64, {1, 1}),
      conv("C2D-2", {14, 14}, 256, 256, {3, 3}, {.pad = 1}),
      conv("C2D-3", {7, 7}, 512, 512, {3, 3}, {.pad = 1}),
      conv("C3D-0", {16, 224, 224}, 3, 64, {7, 7, 7}, {.stride = 2, .pad = 3}),
      conv("C3D-1", {16, 56, 56}, 64, 64, {1, 1, 1}),
      conv("C3D-2", {16, 14, 14}, 256, 256, {3, 3, 3}, {.pad = 1}),
      conv("C3D-3", {16, 7, 7}, 512, 512, {3, 3, 3}, {.pad = 1}),
      conv("DEP-0", {112, 112}, 32, 32, {3, 3}, {.pad = 1, .groups = 32}),
      conv("DEP-1", {112, 112}, 64, 64, {3, 3}, {.stride = 2, .pad = 1, .groups = 64}),
      conv("DEP-2", {14, 14}, 512, 512, {3, 3}, {.stride = 2, .pad = 1, .groups = 512}),
      conv("DEP-3", {7, 7}, 1024, 1024, {3, 3}, {.pad = 1, .groups = 1024}),
      conv("DIL-0", {224, 224}, 3, 64, {7, 7}, {.stride = 2, .pad = 3, .dilation = 2}),
      conv("DIL-1", {56, 56}, 64, 64, {1, 1}, {.dilation = 2}),
      conv("DIL-2", {14, 14}, 256, 256, {3, 3}, {.pad = 1, .dilation = 2}),
      conv("DIL-3", {7, 7}, 512, 512, {3, 3}, {.pad = 1, .dilation = 2}),
      matmul("GMM-0", 128, 128, 128),
      matmul("GMM-1", 512, 32, 512),
      matmul("GMM-2", 512, 512, 512),
      matmul("GMM-3", 1024, 1024, 1024),
      conv("GRP-0", {56, 56}, 64, 128, {3, 3}, {.stride = 2, .pad = 1, .groups = 4}),
      conv("GRP-1", {56, 56}, 64, 64, {1, 1}, {.groups = 4}),
      conv("GRP-2", {14, 14}, 256, 256, {3, 3}, {.pad = 1, .groups = 4}),
      conv("GRP-3", {7, 7}, 512, 512, {3, 3}, {.pad = 1, .groups = 4}),
      conv("T2D-0", {4, 4}, 512, 256, {4, 4}, {.stride = 2, .pad = 1, .transposed = true}),
      conv("T2D-1", {8, 8}, 256, 128, {4, 4}, {.stride = 2, .pad = 1, .transposed = true}),
      conv("T2D-2", {16, 16}, 128, 64, {4, 4}, {.stride = 2, .pad = 1, .transposed = true}),
      conv("T2D-3", {32, 32}, 64, 3, {4, 4}, {.stride = 2, .pad = 1, .transposed = true}),
      conv("CBR-0", {224, 224}, 3, 64, {7, 7}, {.stride = 2, .pad = 3, .epilogue = true}),
      conv("CBR-1", {56, 56}, 64, 128, {3, 3}, {.stride = 2, .pad = 1, .epilogue = true}),
      conv("CBR-2", {28, 28}, 128, 256, {1, 1}, {.stride = 2, .epilogue = true}),
      conv("CBR-3", {7, 7}, 512, 512, {3, 3}, {.pad = 1, .epilogue = true}),
      heads("TBG-0", 128, 12, 64),
      heads("TBG-1", 128, 16, 64),
      heads("TBG-2", 64, 12, 128),
      heads("TBG-3", 128, 12, 128),
      norm("NRM-0", 256, 256),
      norm("NRM-1", 512, 512),
      norm("NRM-2", 1024, 1024),
      norm("NRM-3", 4096, 1024),
      softmax("SFM-0", 256),
      softmax("SFM-1", 512),
      softmax("SFM-2", 1024),
      softmax("SFM-3", 2048),
  };
}

std::vector<Workload> weak_workloads() {
  std::vector<Workload> weak;
  for (Workload& w : operator_table()) {
    for (const char* name : {"DEP-2", "DEP-3", "DIL-3", "GRP-1", "T2D-0"}) {
      if (w.name == name) weak.push_back(std::move(w));
    }
  }
  for (const std::int64_t columns : {24, 40, 56}) {
    weak.push_back(matmul(fmt::format("GMM-196-{}", columns), 196, columns, 256));
  }
  weak.push_back(conv("WIN-3x39", {16, 64}, 8, 8, {3, 39}, {.pad = 1}));
  return weak;
}

Workload conv_of_width(std::int64_t kernel, std::int64_t columns) {
  return conv(fmt::format("W{0}x{0}-{1}", kernel, columns), {28, 28}, 96, columns, {kernel, kernel},
              {.pad = kernel / 2});
}

std::vector<Workload> golden_workloads() {
  return {
      matmul("gemm-512", 512, 512, 512),
      conv("conv-128-28", {28, 28}, 128, 128, {3, 3}, {.pad = 1}),
      conv("conv-256-14", {14, 14}, 256, 256, {3, 3}, {.pad = 1}),
      conv("depthwise-256-28", {28, 28}, 256, 256, {3, 3}, {.pad = 1, .groups = 256}),
      conv("grouped-32-128-28", {28, 28}, 128, 128, {3, 3}, {.pad = 1, .groups = 32}),
  };
}

}  // namespace cambium::bench
