// Folds a batch norm behind a rewritten nest into the nest's weights. Between the two may stand a
// bias: an addition of a constant.
#include <optional>
#include <utility>
#include <vector>

#include "lower/affine_norm.h"
#include "lower/nest_form.h"
#include "lower/passes.h"
#include "model/builder.h"

namespace cambium::lower {
namespace {

using namespace model;

struct BiasedNest {
  Value nest;
  Doubles bias;  // by channel
};

// Whether a constant is one number per channel of a value of that rank, or one for all.
bool is_bias(const Tensor& bias, std::size_t rank) {
  const Ints& dims = bias.dims();
  if (bias.elements() == 1) return dims.size() <= rank;
  if (dims.size() + 1 != rank && dims.size() != rank) return false;
  const std::size_t channel = dims.size() + 1 - rank;
  return bias.elements() == dims[channel];
}

class Folding {
 public:
  Folding(const Model& model, const WeightRowsOf& rows_of)
      : model_(model), uses_(model), builder_(model), rows_of_(rows_of) {}

  Result<Model> run() {
    for (const NodePtr& node : model_.nodes()) {
      if (node->as<BatchNorm>() != nullptr) fold(*node);
    }
    return std::move(builder_).finish();
  }

 private:
  void fold(const Node& norm) {
    const std::optional<BiasedNest> before = nest_before(norm.inputs[0]);
    if (!before) return;
    const std::optional<AffineNorm> affine = affine_of(builder_, norm);
    const std::optional<WeightRows> rows = rows_of_(model_, before->nest.node);
    if (!affine || !rows) return;
    const Node& nest = model_.node(before->nest.node);
    for (std::size_t i = 1; i < nest.inputs.size(); ++i) {
      if (uses_.of(nest.inputs[i]).size() != 1) return;
    }
    for (std::size_t i = 1; i < nest.inputs.size(); ++i) {
      const Tensor& weight = *model_.weight(nest.inputs[i]);
      const std::vector<std::int64_t>& channels = (*rows)[i - 1];
      if (channels.empty()) continue;
      const std::size_t row = static_cast<std::size_t>(weight.elements()) / channels.size();
      const Tensor fresh = scaled(weight, affine->factor, [&](std::size_t element) {
        return static_cast<std::size_t>(channels[element / row]);
      });
      builder_.set_weight(nest.inputs[i].node, fresh);
    }
    Doubles shift;
    for (std::size_t c = 0; c < affine->shift.size(); ++c) {
      shift.push_back(before->bias[c] * affine->factor[c] + affine->shift[c]);
    }
    const TensorType& type = norm.outputs[0];
    Ints dims(type.dims.size() - 1, 1);
    dims[0] = type.dims[1];
    const Value bias =
        builder_.weight(nest.name + ".folded_bias", tensor_of({type.dtype, dims}, shift));
    const Value shifted = builder_.add(Binary{BinaryFn::Add}, {before->nest, bias}, norm.name);
    builder_.replace({norm.id, 0}, shifted);
  }

  // The nest whose value this is, up to a bias, where nobody else reads it.
  std::optional<BiasedNest> nest_before(Value value) const {
    const Node& node = model_.node(value.node);
    if (uses_.of(value).size() != 1) return std::nullopt;
    const auto channels = static_cast<std::size_t>(node.outputs[0].dims[1]);
    if (is_nest(model_, node.id)) return BiasedNest{value, Doubles(channels, 0)};
    const auto* const sum = node.as<Binary>();
    if (sum == nullptr || sum->fn != BinaryFn::Add) return std::nullopt;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const Tensor* const bias = model_.weight(node.inputs[1 - side]);
      const Value nest = node.inputs[side];
      if (bias == nullptr || !is_nest(model_, nest.node) || uses_.of(nest).size() != 1) continue;
      if (!is_bias(*bias, node.outputs[0].dims.size())) return std::nullopt;
      Doubles by_channel = bias->to_doubles();
      if (by_channel.size() == 1) by_channel.assign(channels, by_channel[0]);
      return BiasedNest{nest, std::move(by_channel)};
    }
    return std::nullopt;
  }

  const Model& model_;
  const Uses uses_;
  Builder builder_;
  const WeightRowsOf& rows_of_;
};

}  // namespace

Result<Model> fold_nest_norm(const Model& model, const WeightRowsOf& rows_of) {
  return Folding(model, rows_of).run();
}

}  // namespace cambium::lower
