#include "model/recognize/roots.h"

#include <algorithm>
#include <array>

#include "model/cost.h"
#include "model/einsum.h"
#include "model/saturating.h"

namespace cambium::model::recognition {

namespace {

constexpr std::size_t kMostFactors = 4;

std::vector<TensorType> input_types(const Builder& builder, const Node& node) {
  std::vector<TensorType> types;
  for (const Value input : node.inputs) types.push_back(builder.type(input));
  return types;
}

Root started(const Builder& builder, const Node& node) {
  Root root;
  root.written = {macs_of(node.op, input_types(builder, node), node.outputs),
                  node.outputs[0].bytes()};
  return root;
}

std::optional<Root> einsum_root(const Builder& builder, const Node& node) {
  const auto equation = parse_einsum(node.as<Einsum>()->equation);
  if (!equation.ok()) return std::nullopt;
  Root root = started(builder, node);
  root.always = true;
  std::array<std::size_t, 128> ids;
  ids.fill(~std::size_t{0});
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    RootOperand operand{node.inputs[i], {}};
    for (std::size_t d = 0; d < equation->inputs[i].size(); ++d) {
      std::size_t& id = ids[static_cast<std::size_t>(equation->inputs[i][d])];
      if (id == ~std::size_t{0}) {
        id = root.extents.size();
        root.extents.push_back(builder.type(node.inputs[i]).dims[d]);
      }
      operand.letters.push_back(id);
    }
    root.operands.push_back(std::move(operand));
  }
  for (const char letter : equation->output) {
    root.output.push_back(ids[static_cast<std::size_t>(letter)]);
  }
  return root;
}

// Letters: the batch in order, then rows, columns, depth.
std::optional<Root> matmul_root(const Builder& builder, const Node& node) {
  const Ints& a = builder.type(node.inputs[0]).dims;
  const Ints& b = builder.type(node.inputs[1]).dims;
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  Root root = started(builder, node);
  const Ints& out = node.outputs[0].dims;
  root.extents = out;
  root.extents.push_back(a.back());
  for (std::size_t i = 0; i < out.size(); ++i) root.output.push_back(i);
  const auto letters = [&](std::size_t rank, std::size_t row, std::size_t column) {
    std::vector<std::size_t> own;
    for (std::size_t i = 0; i + 2 < rank; ++i) own.push_back(out.size() - rank + i);
    own.push_back(row);
    own.push_back(column);
    return own;
  };
  const std::size_t depth = out.size();
  root.operands = {{node.inputs[0], letters(a.size(), out.size() - 2, depth)},
                   {node.inputs[1], letters(b.size(), depth, out.size() - 1)}};
  return root;
}

std::optional<Root> gemm_root(const Builder& builder, const Node& node) {
  const Gemm& op = *node.as<Gemm>();
  if (op.alpha != 1 || node.inputs.size() != 2) return std::nullopt;
  Root root = started(builder, node);
  const Ints& out = node.outputs[0].dims;
  root.extents = {out[0], out[1], builder.type(node.inputs[0]).dims[op.transpose_a ? 0 : 1]};
  root.output = {0, 1};
  using Letters = std::vector<std::size_t>;
  root.operands = {{node.inputs[0], op.transpose_a ? Letters{2, 0} : Letters{0, 2}},
                   {node.inputs[1], op.transpose_b ? Letters{1, 2} : Letters{2, 1}}};
  return root;
}

// The factors of a tree of products, and the bytes of the products.
void collect_factors(const Builder& builder, Value value, std::vector<Value>& factors,
                     std::int64_t& bytes) {
  const Binary* product = builder.node(value.node).as<Binary>();
  if (product == nullptr || product->fn != BinaryFn::Mul || factors.size() >= kMostFactors) {
    factors.push_back(value);
    return;
  }
  bytes = saturating_sum(bytes, builder.type(value).bytes());
  const std::vector<Value> inputs = builder.node(value.node).inputs;
  collect_factors(builder, inputs[0], factors, bytes);
  collect_factors(builder, inputs[1], factors, bytes);
}

std::optional<Root> reduce_root(const Builder& builder, const Node& node) {
  const Reduce& op = *node.as<Reduce>();
  if (op.fn != ReduceFn::Sum && op.fn != ReduceFn::Mean && op.fn != ReduceFn::Max) {
    return std::nullopt;
  }
  Root root = started(builder, node);
  root.fn = op.fn;
  root.extents = builder.type(node.inputs[0]).dims;
  std::int64_t count = 1;
  for (std::size_t i = 0; i < root.extents.size(); ++i) {
    const bool summed =
        std::find(op.axes.begin(), op.axes.end(), static_cast<std::int64_t>(i)) != op.axes.end();
    if (summed) count *= root.extents[i];
    if (!summed) root.output.push_back(i);
  }
  std::vector<Value> factors;
  if (op.fn == ReduceFn::Max) {
    factors = {node.inputs[0]};
  } else {
    collect_factors(builder, node.inputs[0], factors, root.written.bytes);
  }
  if (factors.size() > 1) {
    if (op.fn == ReduceFn::Mean) root.scale = 1.0 / static_cast<double>(count);
    root.fn = ReduceFn::Sum;
    root.written.macs = saturating_product(builder.type(node.inputs[0]).elements(),
                                           static_cast<std::int64_t>(factors.size()) - 1);
  }
  for (const Value factor : factors) {
    const std::size_t rank = builder.type(factor).dims.size();
    RootOperand operand{factor, {}};
    for (std::size_t i = 0; i < rank; ++i) {
      operand.letters.push_back(root.extents.size() - rank + i);
    }
    root.operands.push_back(std::move(operand));
  }
  return root;
}

std::optional<Root> read(const Builder& builder, const Node& node) {
  if (node.as<Einsum>() != nullptr) return einsum_root(builder, node);
  if (node.as<MatMul>() != nullptr) return matmul_root(builder, node);
  if (node.as<Gemm>() != nullptr) return gemm_root(builder, node);
  if (node.as<Reduce>() != nullptr) return reduce_root(builder, node);
  return std::nullopt;
}

}  // namespace

std::optional<Root> root_of(const Builder& builder, const Node& node) {
  auto root = read(builder, node);
  if (!root || !is_floating(node.outputs[0].dtype)) return std::nullopt;
  // Nothing to gain, and nothing that a loop could say about it.
  if (std::find(root->extents.begin(), root->extents.end(), 0) != root->extents.end()) {
    return std::nullopt;
  }
  const DType dtype = node.outputs[0].dtype;
  if (root->scale != 1 && dtype != DType::F32 && dtype != DType::F64) return std::nullopt;
  return root;
}

std::optional<Value> rolled(Emitter& emit, const Builder& builder, const Node& gather) {
  const Tensor* indices = builder.weight_of(gather.inputs[1]);
  if (indices == nullptr || indices->dims().size() != 1 || indices->elements() == 0) {
    return std::nullopt;
  }
  const Ints& dims = builder.type(gather.inputs[0]).dims;
  const auto axis = static_cast<std::size_t>(gather.as<Gather>()->axis);
  Ints places = indices->to_ints();
  std::int64_t wraps = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] < 0) places[i] += dims[axis];
    if (places[i] < 0 || places[i] >= dims[axis]) return std::nullopt;
    if (i == 0 || places[i] == places[i - 1] + 1) continue;
    if (places[i] != 0 || places[i - 1] != dims[axis] - 1 || wraps++ > 0) return std::nullopt;
  }
  const auto piece = [&](std::int64_t start, std::int64_t extent) {
    Slice slice{Ints(dims.size(), 0), dims, Ints(dims.size(), 1)};
    slice.starts[axis] = start;
    slice.extents[axis] = extent;
    return emit.slice(gather.inputs[0], slice);
  };
  emit.note(wraps == 0 ? "slice" : "shift");
  const auto count = static_cast<std::int64_t>(places.size());
  if (wraps == 0) return piece(places[0], count);
  const std::int64_t head = dims[axis] - places[0];
  const Value first = piece(places[0], head);
  return emit.add(Concat{gather.as<Gather>()->axis}, {first, piece(0, count - head)});
}

}  // namespace cambium::model::recognition
