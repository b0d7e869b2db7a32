#include "lower/lower_testing.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "model/convert.h"
#include "program/text.h"

namespace cambium::lower {
namespace {

// For each element in the order of memory, its place in the logical order.
std::vector<std::size_t> places(const model::Ints& dims, const Order& order) {
  const std::size_t rank = dims.size();
  std::vector<std::size_t> axes(rank);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  for (std::size_t i = 0; i < order.size(); ++i) axes[i] = static_cast<std::size_t>(order[i]);
  model::Ints strides(rank, 1);
  for (std::size_t i = rank; i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  std::vector<std::size_t> out(
      static_cast<std::size_t>(model::TensorType{DType::F32, dims}.elements()));
  model::Ints index(rank);
  std::int64_t offset = 0;
  for (std::size_t& place : out) {
    place = static_cast<std::size_t>(offset);
    for (std::size_t i = rank; i-- > 0;) {
      const std::size_t axis = axes[i];
      offset += strides[axis];
      if (++index[axis] < dims[axis]) break;
      offset -= strides[axis] * dims[axis];
      index[axis] = 0;
    }
  }
  return out;
}

Order random_order(std::size_t rank, Rng& rng) {
  Order order(rank);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  rng.shuffle(std::span<std::int64_t>(order));
  return order;
}

template <class F>
Layouts layouts_by(const model::Model& model, const F& order_of) {
  Layouts layouts;
  for (const model::NodePtr& node : model.nodes()) {
    for (std::uint32_t slot = 0; slot < node->outputs.size(); ++slot) {
      layouts.set({node->id, slot}, order_of(node->outputs[slot].dims.size()));
    }
  }
  return layouts;
}

}  // namespace

program::Array array_of(const model::Tensor& tensor, const Order& order) {
  const std::vector<std::size_t> from = places(tensor.dims(), order);
  return visit_dtype(tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const std::span<const T> elements = tensor.as<T>();
    std::vector<std::byte> bytes(elements.size_bytes());
    T* out = reinterpret_cast<T*>(bytes.data());
    for (std::size_t i = 0; i < from.size(); ++i) out[i] = elements[from[i]];
    return program::Array::of<T>(std::span<const T>(out, from.size()));
  });
}

model::Tensor tensor_of(const program::Array& array, const model::TensorType& type,
                        const Order& order) {
  const std::vector<std::size_t> to = places(type.dims, order);
  std::vector<std::byte> bytes(static_cast<std::size_t>(type.bytes()));
  visit_dtype(type.dtype, [&](auto zero) {
    using T = decltype(zero);
    T* out = reinterpret_cast<T*>(bytes.data());
    std::visit(
        [&](const auto& elements) {
          for (std::size_t i = 0; i < to.size(); ++i) {
            if constexpr (model::is_half<T>) {
              out[to[i]] = T(static_cast<double>(elements[i]));
            } else {
              out[to[i]] = static_cast<T>(elements[i]);
            }
          }
        },
        array.elements);
  });
  return {type, std::move(bytes)};
}

Status run_group(const model::Model& model, std::span<const model::NodeId> nodes,
                 const Layouts& layouts, Values& values) {
  program::Context cx;
  CAMBIUM_TRY(const Lowered lowered, lower(cx, model, nodes, layouts));
  const std::string text = program::to_text(cx, lowered.program);
  program::Context other;
  CAMBIUM_TRY(const program::Program read, program::parse(other, text));
  CAMBIUM_CHECK(program::to_text(other, read) == text, text);
  std::vector<program::Array> arguments;
  for (const model::Value value : lowered.arguments) {
    const model::Tensor* weight = model.weight(value);
    arguments.push_back(weight != nullptr ? array_of(*weight, {})
                                          : array_of(values.at(value), layouts.of(value)));
  }
  CAMBIUM_TRY(const std::vector<program::Array> results,
              program::interpret(cx, lowered.program, arguments));
  for (std::size_t i = 0; i < results.size(); ++i) {
    const model::Value value = lowered.results[i];
    values.insert_or_assign(value, tensor_of(results[i], model.type(value), layouts.of(value)));
  }
  return Ok{};
}

std::vector<model::NodeId> computing_nodes(const model::Model& model) {
  std::vector<model::NodeId> nodes;
  for (const model::NodePtr& node : model.nodes()) {
    if (node->as<model::Input>() == nullptr && node->as<model::Weight>() == nullptr) {
      nodes.push_back(node->id);
    }
  }
  return nodes;
}

Layouts random_layouts(const model::Model& model, Rng& rng) {
  return layouts_by(model, [&](std::size_t rank) { return random_order(rank, rng); });
}

Layouts channels_last_layouts(const model::Model& model) {
  return layouts_by(model, [](std::size_t rank) {
    return rank < 3 ? Order{} : channels_last(static_cast<std::int64_t>(rank));
  });
}

double tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::F64: return 1e-12;
    case DType::F16: return 2e-3;
    case DType::BF16: return 2e-2;
    default: return 1e-5;
  }
}

double disagreement(const model::Tensor& actual, const model::Tensor& expected) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  if (actual.type() != expected.type()) return kNever;
  if (!is_floating(actual.dtype())) {
    const auto a = actual.bytes(), b = expected.bytes();
    return std::equal(a.begin(), a.end(), b.begin(), b.end()) ? 0.0 : kNever;
  }
  const std::vector<double> a = actual.to_doubles(), b = expected.to_doubles();
  double magnitude = std::numeric_limits<double>::min(), worst = 0;
  for (const double v : b) {
    if (std::isfinite(v)) magnitude = std::max(magnitude, std::fabs(v));
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    const double off = std::fabs(a[i] - b[i]) / (tolerance_of(actual.dtype()) * magnitude);
    if (std::isnan(off)) return kNever;
    worst = std::max(worst, off);
  }
  return worst;
}

}  // namespace cambium::lower
