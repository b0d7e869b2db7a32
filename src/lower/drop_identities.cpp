#include <algorithm>
#include <cmath>

#include "lower/passes.h"
#include "model/builder.h"

namespace cambium::lower {
namespace {

using namespace model;

bool all_are(const Ints& numbers, std::int64_t wanted) {
  return std::all_of(numbers.begin(), numbers.end(), [&](std::int64_t n) { return n == wanted; });
}

// Whether every element of a small weight is that number. Large ones are not looked at: nobody
// adds a large tensor of zeros.
bool is_all(const Tensor* weight, double number) {
  if (weight == nullptr || weight->elements() > 65536) return false;
  const std::vector<double> elements = weight->to_doubles();
  return std::all_of(elements.begin(), elements.end(), [&](double e) { return e == number; });
}

// The number that does nothing as the right operand; NaN: there is none.
double neutral_of(BinaryFn fn) {
  switch (fn) {
    case BinaryFn::Add:
    case BinaryFn::Sub: return 0;
    case BinaryFn::Mul:
    case BinaryFn::Div:
    case BinaryFn::Pow: return 1;
    default: return std::nan("");
  }
}

bool moves_nothing(const Node& node) {
  if (const auto* transpose = node.as<Transpose>()) {
    return std::is_sorted(transpose->perm.begin(), transpose->perm.end());
  }
  if (const auto* pad = node.as<Pad>()) return all_are(pad->pads, 0);
  if (const auto* slice = node.as<Slice>()) return all_are(slice->steps, 1);
  if (const auto* pool = node.as<Pool>()) {
    return all_are(pool->kernel, 1) && all_are(pool->strides, 1) && all_are(pool->pads, 0) &&
           !pool->with_indices;
  }
  if (const auto* resize = node.as<Resize>()) {
    return (resize->coordinates == "asymmetric" || resize->coordinates == "half_pixel") &&
           std::all_of(resize->scales.begin(), resize->scales.end(),
                       [](double scale) { return scale == 1; });
  }
  // Of these the same type in and out, which the caller has seen, is enough.
  return node.as<Cast>() || node.as<Reshape>() || node.as<Expand>() || node.as<Tile>() ||
         (node.as<Concat>() && node.inputs.size() == 1) || node.as<Split>() ||
         node.as<DepthToSpace>() || node.as<SpaceToDepth>();
}

// Which input the node gives back as it is; -1: none.
int input_given_back(const Builder& builder, const Node& node) {
  const auto same_type = [&](std::size_t i) {
    return builder.type(node.inputs[i]) == node.outputs[0];
  };
  if (node.inputs.empty() || node.outputs.size() != 1) return -1;
  if (const auto* binary = node.as<Binary>()) {
    const double neutral = neutral_of(binary->fn);
    const bool commutes = binary->fn == BinaryFn::Add || binary->fn == BinaryFn::Mul;
    if (same_type(0) && is_all(builder.weight_of(node.inputs[1]), neutral)) return 0;
    if (commutes && same_type(1) && is_all(builder.weight_of(node.inputs[0]), neutral)) return 1;
    return -1;
  }
  return same_type(0) && moves_nothing(node) ? 0 : -1;
}

}  // namespace

Result<Model> drop_identities(const Model& model) {
  Builder builder(model);
  for (const NodePtr& original : model.nodes()) {
    const Node node = builder.node(original->id);
    const int input = input_given_back(builder, node);
    if (input >= 0) builder.replace({node.id, 0}, node.inputs[static_cast<std::size_t>(input)]);
  }
  return std::move(builder).finish();
}

}  // namespace cambium::lower
