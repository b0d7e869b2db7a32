#include "schedule/rules/small_operators_testing.h"

#include <cmath>

#include <fmt/format.h>

#include "base/random.h"
#include "program/build.h"
#include "program/interpret.h"
#include "program/text.h"

namespace cambium::schedule {

using program::Array;
using program::BinaryFn;
using program::Builder;
using program::Context;
using program::Ix;
using program::Mem;
using program::Point;
using program::Program;
using program::reduce;
using program::spatial;

namespace {

std::vector<Array> random_arguments(const Program& program) {
  Rng rng(5);
  std::vector<Array> arguments;
  for (const program::Buffer* buffer : program.parameters) {
    if (buffer->role == program::Role::Output) continue;
    std::vector<float> values(static_cast<std::size_t>(buffer->elements()));
    for (float& v : values) v = static_cast<float>(rng.below(9)) - 4.0f;
    arguments.push_back(Array::of(std::move(values)));
  }
  return arguments;
}

}  // namespace

Program matmul(Context& cx, std::int64_t m, std::int64_t n, std::int64_t k) {
  Builder b(cx, "matmul");
  const Mem x = b.input("x", {m, k}), w = b.constant("w", {n, k}), bias = b.constant("bias", {n});
  const Mem acc = b.local("acc", {m, n}), y = b.output("y", {m, n});
  b.block("dot", {spatial("i", m), spatial("j", n), reduce("k", k)}, [&](Point p) {
    return sum(acc, {p[0], p[1]}, x(p[0], p[2]) * w(p[1], p[2]));
  });
  b.block("out", {spatial("i", m), spatial("j", n)}, [&](Point p) {
    return assign(y, {p[0], p[1]}, apply(BinaryFn::Max, b.number(0), acc(p[0], p[1]) + bias(p[1])));
  });
  return b.finish();
}

Program conv(Context& cx, const Conv& c) {
  Builder b(cx, "conv");
  const std::int64_t padded = c.size + 2 * c.pad;
  const std::int64_t after = (padded - c.kernel) / c.stride + 1;
  const std::int64_t per_out = c.out / c.groups, per_in = c.in / c.groups;
  const Mem x = b.input("x", {1, c.size, c.size, c.in});
  const Mem w = b.constant("w", {c.out, per_in, c.kernel, c.kernel});
  const Mem y = b.output("y", {1, after, after, c.out});
  const Mem pad = b.local("pad", {1, padded, padded, c.in});
  const Mem acc = b.local("acc", {1, after, after, c.out});
  b.block("pad", {spatial("n", 1), spatial("h", padded), spatial("w", padded), spatial("c", c.in)},
          [&](Point p) {
            const Ix h = p[1] - c.pad, v = p[2] - c.pad;
            return assign(pad, {p[0], p[1], p[2], p[3]},
                          select(within(h, 0, c.size) && within(v, 0, c.size), x(p[0], h, v, p[3]),
                                 b.number(0)));
          });
  const bool depthwise = per_in == 1 && per_out == 1 && c.groups > 1;
  if (c.groups == 1) {
    b.block("conv",
            {spatial("n", 1), spatial("oh", after), spatial("ow", after), spatial("oc", c.out),
             reduce("kh", c.kernel), reduce("kw", c.kernel), reduce("ic", c.in)},
            [&](Point p) {
              return sum(acc, {p[0], p[1], p[2], p[3]},
                         pad(p[0], p[1] * c.stride + p[4], p[2] * c.stride + p[5], p[6]) *
                             w(p[3], p[6], p[4], p[5]));
            });
  } else if (depthwise) {
    b.block("conv",
            {spatial("n", 1), spatial("oh", after), spatial("ow", after), spatial("c", c.out),
             reduce("kh", c.kernel), reduce("kw", c.kernel)},
            [&](Point p) {
              return sum(acc, {p[0], p[1], p[2], p[3]},
                         pad(p[0], p[1] * c.stride + p[4], p[2] * c.stride + p[5], p[3]) *
                             w(p[3], b.index(0), p[4], p[5]));
            });
  } else {
    b.block("conv",
            {spatial("n", 1), spatial("oh", after), spatial("ow", after), spatial("g", c.groups),
             spatial("oc", per_out), reduce("kh", c.kernel), reduce("kw", c.kernel),
             reduce("ic", per_in)},
            [&](Point p) {
              return sum(
                  acc, {p[0], p[1], p[2], p[3] * per_out + p[4]},
                  pad(p[0], p[1] * c.stride + p[5], p[2] * c.stride + p[6], p[3] * per_in + p[7]) *
                      w(p[3] * per_out + p[4], p[7], p[5], p[6]));
            });
  }
  b.block("relu",
          {spatial("n", 1), spatial("oh", after), spatial("ow", after), spatial("c", c.out)},
          [&](Point p) {
            return assign(y, {p[0], p[1], p[2], p[3]},
                          apply(BinaryFn::Max, b.number(0), acc(p[0], p[1], p[2], p[3])));
          });
  return b.finish();
}

std::string matmul_text(std::int64_t m, std::int64_t n, std::int64_t k) {
  Context cx;
  return program::to_text(cx, matmul(cx, m, n, k));
}

std::string conv_text(const Conv& c) {
  Context cx;
  return program::to_text(cx, conv(cx, c));
}

Program softmax(Context& cx, std::int64_t rows, std::int64_t columns) {
  Builder b(cx, "softmax");
  const Mem x = b.input("x", {rows, columns}), y = b.output("y", {rows, columns});
  const Mem m = b.local("m", {rows}), e = b.local("e", {rows, columns}), s = b.local("s", {rows});
  b.block("max", {spatial("i", rows), reduce("k", columns)},
          [&](Point p) { return maximum(m, {p[0]}, x(p[0], p[1])); });
  b.block("exp", {spatial("i", rows), spatial("j", columns)}, [&](Point p) {
    return assign(e, {p[0], p[1]}, apply(program::UnaryFn::Exp, x(p[0], p[1]) - m(p[0])));
  });
  b.block("sum", {spatial("i", rows), reduce("k", columns)},
          [&](Point p) { return sum(s, {p[0]}, e(p[0], p[1])); });
  b.block("div", {spatial("i", rows), spatial("j", columns)}, [&](Point p) {
    return assign(y, {p[0], p[1]}, e(p[0], p[1]) / s(p[0]));
  });
  return b.finish();
}

Program transposed_conv(Context& cx, std::int64_t size, std::int64_t in, std::int64_t out) {
  const std::string text = fmt::format(
      R"(program transposed(x: f32[1, {0}, {0}, {1}] input, w: f32[{1}, {2}, 4, 4] constant,
                            y: f32[1, {3}, {3}, {2}] output) {{
  local pad: f32[1, {4}, {4}, {1}]
  for k in {4} {{ for l in {4} {{ for j in {1} {{
    block pad(spatial k = k, spatial l = l, spatial j = j) {{
      pad[0, k, l, j] = select([0 <= k - 1 && k - 1 < {0} && 0 <= l - 1 && l - 1 < {0}],
                               x[0, k - 1, l - 1, j], 0.0)
    }}
  }} }} }}
  for oh in {0} {{ for ph in 2 {{ for ow in {0} {{ for pw in 2 {{ for oc in {2} {{
    for kh in 2 {{ for kw in 2 {{ for ic in {1} {{
      block conv(spatial oh = oh, spatial ph = ph, spatial ow = ow, spatial pw = pw,
                 spatial oc = oc, reduce kh = kh, reduce kw = kw, reduce ic = ic) {{
        y[0, 2*oh + ph, 2*ow + pw, oc] +=
            pad[0, oh + 1 + (ph + 1)/2 - kh, ow + 1 + (pw + 1)/2 - kw, ic] *
            w[ic, oc, (ph + 1) % 2 + 2*kh, (pw + 1) % 2 + 2*kw] init 0.0
      }}
    }} }} }}
  }} }} }} }} }}
}})",
      size, in, out, 2 * size, size + 2);
  return program::parse(cx, text).value();
}

Program scores(Context& cx, std::int64_t heads, std::int64_t length, std::int64_t depth) {
  Builder b(cx, "scores");
  const Mem q = b.input("q", {length, heads, depth}), v = b.input("v", {length, heads, depth});
  const Mem t = b.local("t", {heads, depth, length}), y = b.output("y", {heads, length, length});
  b.block("turn", {spatial("h", heads), spatial("k", depth), spatial("j", length)}, [&](Point p) {
    return assign(t, {p[0], p[1], p[2]}, v(p[2], p[0], p[1]));
  });
  b.block("dot",
          {spatial("h", heads), spatial("i", length), spatial("j", length), reduce("k", depth)},
          [&](Point p) {
            return sum(y, {p[0], p[1], p[2]}, q(p[1], p[0], p[3]) * t(p[0], p[3], p[2]));
          });
  return b.finish();
}

Program norm(Context& cx, std::int64_t size) {
  Builder b(cx, "norm");
  const Mem x = b.input("x", {2, size}), s = b.local("s", {2}), y = b.output("y", {2});
  b.block("square", {spatial("i", 2), reduce("k", size)},
          [&](Point p) { return sum(s, {p[0]}, x(p[0], p[1]) * x(p[0], p[1])); });
  b.block("root", {spatial("i", 2)},
          [&](Point p) { return assign(y, {p[0]}, apply(program::UnaryFn::Sqrt, s(p[0]))); });
  return b.finish();
}

std::vector<Operator> small_operators(Context& cx) {
  return {
      {"matmul", matmul(cx, 24, 64, 20)},
      {"matmul with tails", matmul(cx, 13, 100, 21)},
      {"vector times matrix", matmul(cx, 1, 70, 33)},
      {"conv", conv(cx, {7, 8, 48, 3, 1, 1, 1})},
      {"strided conv of a wide row", conv(cx, {29, 3, 20, 5, 2, 2, 1})},
      {"pointwise conv", conv(cx, {5, 16, 40, 1, 1, 0, 1})},
      {"grouped conv", conv(cx, {9, 8, 64, 3, 1, 1, 2})},
      {"narrow groups", conv(cx, {11, 16, 16, 3, 1, 1, 4})},
      {"depthwise conv", conv(cx, {12, 40, 40, 3, 1, 1, 40})},
      {"strided depthwise conv", conv(cx, {13, 32, 32, 3, 2, 1, 32})},
      {"transposed conv", transposed_conv(cx, 4, 8, 32)},
      {"transposed conv of odd size", transposed_conv(cx, 5, 4, 20)},
      {"scores", scores(cx, 3, 32, 8)},
      {"softmax", softmax(cx, 6, 64)},
      {"softmax of odd length", softmax(cx, 5, 50)},
      {"norm", norm(cx, 256)},
      {"norm of odd length", norm(cx, 131)},
      {"long norm", norm(cx, 1 << 16)},
      {"deep matmul", matmul(cx, 12, 48, 384)},
      {"deep matmul with tails", matmul(cx, 7, 100, 288)},
      {"deep conv", conv(cx, {4, 96, 32, 3, 1, 1, 1})},
  };
}

std::string difference(Context& cx, const Program& before, const Program& after) {
  const auto arguments = random_arguments(before);
  const auto wanted = program::interpret(cx, before, arguments, program::Precision::Double);
  const auto got = program::interpret(cx, after, arguments, program::Precision::Double);
  if (!wanted.ok()) return wanted.rejection().message();
  if (!got.ok()) return got.rejection().message();
  for (std::size_t o = 0; o < wanted->size(); ++o) {
    const auto a = (*wanted)[o].as_doubles(), b = (*got)[o].as_doubles();
    if (a.size() != b.size()) return fmt::format("output {} has another size", o);
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (std::abs(a[i] - b[i]) <= 1e-12 * (1 + std::abs(a[i]))) continue;
      return fmt::format("element {} of output {} is {} instead of {}", i, o, b[i], a[i]);
    }
  }
  return {};
}

}  // namespace cambium::schedule
