// What a synthesizer writes: windows as pads, slices and concats or as gathers, contractions as
// einsums. Used by the tests of recognition; and how they compare before with after.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/random.h"
#include "model/builder.h"
#include "model/cost.h"
#include "model/recognize/recognize.h"
#include "model/reference/execute.h"
#include "model/text.h"
#include "model/verify.h"

namespace cambium::model {

enum class Unfolding { Slices, Gather };

struct SoupWindow {
  std::size_t axis = 0;
  std::int64_t kernel = 3, stride = 1, dilation = 1, before = 1, after = 1;
};

class Soup {
 public:
  explicit Soup(std::uint64_t seed = 7) : seed_(seed) {}

  Builder& builder() { return builder_; }
  Value input(Ints dims) { return builder_.input("x", {DType::F32, std::move(dims)}); }
  Value weight(Ints dims) {
    return builder_.weight(
        "w", Tensor::lazy({DType::F32, std::move(dims)}, {Fill::Law::Normal, 1, ++seed_}));
  }
  const Ints& dims(Value x) const { return builder_.type(x).dims; }

  Value pad(Value x, std::size_t axis, std::int64_t before, std::int64_t after, double fill = 0) {
    if (before == 0 && after == 0) return x;
    const std::size_t rank = dims(x).size();
    Pad op{PadMode::Constant, Ints(2 * rank, 0), fill};
    op.pads[axis] = before;
    op.pads[axis + rank] = after;
    return builder_.add(op, {x});
  }
  Value slice(Value x, std::size_t axis, std::int64_t start, std::int64_t extent,
              std::int64_t step = 1) {
    Slice op{Ints(dims(x).size(), 0), dims(x), Ints(dims(x).size(), 1)};
    op.starts[axis] = start;
    op.extents[axis] = extent;
    op.steps[axis] = step;
    return builder_.add(op, {x});
  }
  Value reshape(Value x, Ints to) { return builder_.add(Reshape{std::move(to)}, {x}); }
  Value transpose(Value x, Ints perm) { return builder_.add(Transpose{std::move(perm)}, {x}); }
  Value einsum(const std::string& equation, std::initializer_list<Value> inputs) {
    return builder_.add(Einsum{equation}, inputs);
  }
  Value indices(Ints of, const std::vector<std::int64_t>& values) {
    return builder_.weight("indices", Tensor::of<std::int64_t>(std::move(of), values));
  }

  // x[.., kernel, places, ..] in place of x[.., axis, ..].
  Value unfold(Value x, const SoupWindow& w, Unfolding how, double fill = 0) {
    x = pad(x, w.axis, w.before, w.after, fill);
    const std::int64_t places = (dims(x)[w.axis] - w.dilation * (w.kernel - 1) - 1) / w.stride + 1;
    if (how == Unfolding::Gather) {
      std::vector<std::int64_t> at;
      for (std::int64_t k = 0; k < w.kernel; ++k) {
        for (std::int64_t i = 0; i < places; ++i) at.push_back(k * w.dilation + i * w.stride);
      }
      return builder_.add(Gather{static_cast<std::int64_t>(w.axis)},
                          {x, indices({w.kernel, places}, at)});
    }
    std::vector<Value> pieces;
    for (std::int64_t k = 0; k < w.kernel; ++k) {
      const Value piece = slice(x, w.axis, k * w.dilation, places, w.stride);
      Ints with_kernel = dims(piece);
      with_kernel.insert(with_kernel.begin() + static_cast<std::ptrdiff_t>(w.axis), 1);
      pieces.push_back(reshape(piece, with_kernel));
    }
    return builder_.add(Concat{static_cast<std::int64_t>(w.axis)}, pieces);
  }

  // x[N, C, H, W] as [N, C, kernel, H', kernel, W'].
  Value columns(Value x, std::int64_t kernel, std::int64_t stride, std::int64_t dilation,
                Unfolding how) {
    const std::int64_t around = dilation * (kernel - 1) / 2;
    x = unfold(x, {2, kernel, stride, dilation, around, around}, how);
    return unfold(x, {4, kernel, stride, dilation, around, around}, how);
  }

  // x[(j + by) % extent] along the axis.
  Value roll(Value x, std::size_t axis, std::int64_t by) {
    std::vector<std::int64_t> at;
    const std::int64_t extent = dims(x)[axis];
    for (std::int64_t j = 0; j < extent; ++j) at.push_back((j + by) % extent);
    return builder_.add(Gather{static_cast<std::int64_t>(axis)}, {x, indices({extent}, at)});
  }

  Model done(Value y) {
    builder_.output("y", y);
    auto model = std::move(builder_).finish();
    EXPECT_TRUE(model.ok()) << model.rejection().message();
    return std::move(model).value();
  }

 private:
  Builder builder_{"soup"};
  std::uint64_t seed_;
};

inline std::vector<Tensor> run_model(const Model& model, std::uint64_t seed) {
  std::vector<Tensor> inputs;
  for (const NodeId id : model.inputs()) {
    inputs.push_back(Tensor::lazy(model.node(id).outputs[0], {Fill::Law::Normal, 1, ++seed}));
  }
  auto outputs = execute(model, inputs);
  EXPECT_TRUE(outputs.ok()) << outputs.rejection().message();
  return outputs.ok() ? *outputs : std::vector<Tensor>{};
}

// Recognizes, verifies, and compares outputs by the reference executor: equal up to rounding in
// proportion to the largest element.
inline Recognized expect_same(const Model& model, std::uint64_t seed = 1) {
  Recognized out = recognize(model);
  const Status sound = verify(out.model);
  EXPECT_TRUE(sound.ok()) << sound.rejection().message();
  const std::vector<Tensor> before = run_model(model, seed), after = run_model(out.model, seed);
  EXPECT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size() && i < after.size(); ++i) {
    EXPECT_EQ(before[i].type(), after[i].type());
    EXPECT_EQ(model.outputs()[i].name, out.model.outputs()[i].name);
    const std::vector<double> a = before[i].to_doubles(), b = after[i].to_doubles();
    double largest = 1;
    for (const double value : a) {
      if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
    }
    for (std::size_t j = 0; j < a.size() && j < b.size(); ++j) {
      if (a[j] == b[j] || (std::isnan(a[j]) && std::isnan(b[j]))) continue;
      EXPECT_NEAR(a[j], b[j], 1e-5 * largest) << "element " << j << "\n"
                                              << to_text(out.model, {true});
      if (std::fabs(a[j] - b[j]) > 1e-5 * largest) break;
    }
  }
  return out;
}

// How often each kind of operator occurs, without inputs, reshapes and what only weights go into.
inline std::map<std::string, int> kinds(const Model& model) {
  std::map<std::string, int> out;
  std::set<NodeId> constant;
  for (const NodePtr& node : model.nodes()) {
    const bool of_weights = std::all_of(node->inputs.begin(), node->inputs.end(), [&](Value input) {
      return constant.count(input.node) != 0;
    });
    if (node->as<Input>() == nullptr && of_weights) {
      constant.insert(node->id);
    } else if (node->as<Input>() == nullptr && node->as<Reshape>() == nullptr) {
      ++out[std::string(kind_of(node->op))];
    }
  }
  return out;
}

// Bytes of the largest activation.
inline std::int64_t largest_activation(const Model& model) {
  std::int64_t largest = 0;
  for (const NodeCost& node : cost_of(model).nodes) {
    largest = std::max(largest, node.activation_bytes);
  }
  return largest;
}

inline void show(const std::string& name, const Model& before, const Recognized& after) {
  const Cost a = cost_of(before), b = cost_of(after.model);
  std::string found;
  for (const std::string& line : after.found) found += " | " + line;
  std::printf("%s: MACs %lld -> %lld, activation bytes %lld -> %lld%s\n", name.c_str(),
              static_cast<long long>(a.macs), static_cast<long long>(b.macs),
              static_cast<long long>(a.activation_bytes),
              static_cast<long long>(b.activation_bytes), found.c_str());
}

}  // namespace cambium::model
