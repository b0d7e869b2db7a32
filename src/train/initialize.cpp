#include "train/initialize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <unordered_set>

#include "base/random.h"
#include "model/builder.h"
#include "model/composite.h"
#include "model/cost.h"
#include "model/einsum.h"
#include "model/recognize/recognize.h"
#include "model/reference/execute.h"
#include "train/norms.h"
#include "train/residual.h"

namespace cambium::train {

namespace {

using model::Fill;
using model::Ints;
using model::Node;
using model::NodeId;

constexpr double kTableDeviation = 0.02;

constexpr std::array<std::pair<std::string_view, Scheme>, 5> kSchemes{{
    {"kaiming-out", Scheme::KaimingFanOut},
    {"kaiming-in", Scheme::KaimingFanIn},
    {"xavier", Scheme::Xavier},
    {"lecun", Scheme::Lecun},
    {"normal02", Scheme::Normal02},
}};

// The role of a weight for the node that reads it.
enum class Role : std::uint8_t { Convolution, Matrix, One, Zero, Table };

struct Use {
  Role role = Role::Table;
  double fan_in = 1, fan_out = 1;
  bool is_turned = false;  // a matrix that lies as [in, out]
};

double product_from(const Ints& dims, std::size_t first) {
  double product = 1;
  for (std::size_t i = first; i < dims.size(); ++i) product *= static_cast<double>(dims[i]);
  return product;
}

Use matrix(const Ints& dims, bool is_turned) {
  const std::size_t rank = dims.size();
  const auto rows = static_cast<double>(dims[rank - 2]), columns = static_cast<double>(dims.back());
  return is_turned ? Use{Role::Matrix, rows, columns, true} : Use{Role::Matrix, columns, rows};
}

// Fan in counts the letters that are summed over, fan out the letters of the result that no other
// operand has.
Use einsum_use(const model::Einsum& op, const Ints& dims, std::size_t input) {
  const auto equation = model::parse_einsum(op.equation);
  Use use{Role::Matrix};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const char letter = equation->inputs[input][i];
    bool shared = false;
    for (std::size_t other = 0; other < equation->inputs.size(); ++other) {
      shared =
          shared || (other != input && equation->inputs[other].find(letter) != std::string::npos);
    }
    if (equation->output.find(letter) == std::string::npos) {
      use.fan_in *= static_cast<double>(dims[i]);
    } else if (!shared) {
      use.fan_out *= static_cast<double>(dims[i]);
    }
  }
  return use;
}

// A table varies along more than one axis; a bias or a factor along one.
bool is_table(const Ints& dims) {
  return std::count_if(dims.begin(), dims.end(), [](std::int64_t dim) { return dim > 1; }) > 1;
}

Use use_of(const Node& reader, std::size_t input, const Ints& dims) {
  if (reader.as<model::Conv>() != nullptr && input == 1) {
    const double taps = product_from(dims, 2);
    return {Role::Convolution, static_cast<double>(dims[1]) * taps,
            static_cast<double>(dims[0]) * taps};
  }
  if (reader.as<model::ConvTranspose>() != nullptr && input == 1) {
    const double taps = product_from(dims, 2);
    return {Role::Convolution, static_cast<double>(dims[0]) * taps,
            static_cast<double>(dims[1]) * taps};
  }
  if (const auto* gemm = reader.as<model::Gemm>(); gemm != nullptr && input < 2) {
    return matrix(dims, input == 0 ? gemm->transpose_a : !gemm->transpose_b);
  }
  if (reader.as<model::MatMul>() != nullptr) {
    if (dims.size() == 1) return {Role::Matrix, static_cast<double>(dims[0])};
    return matrix(dims, input == 1);
  }
  if (const auto* einsum = reader.as<model::Einsum>()) return einsum_use(*einsum, dims, input);
  if (reader.as<model::BatchNorm>() != nullptr)
    return {input == 1 || input == 4 ? Role::One : Role::Zero};
  if (is_norm(reader)) return {input == 1 ? Role::One : Role::Zero};
  const bool bias = reader.as<model::Conv>() != nullptr || reader.as<model::Gemm>() != nullptr ||
                    reader.as<model::ConvTranspose>() != nullptr;
  if (bias) return {Role::Zero};
  if (const auto* binary = reader.as<model::Binary>(); binary != nullptr && !is_table(dims)) {
    const bool factor = binary->fn == model::BinaryFn::Mul || binary->fn == model::BinaryFn::Div ||
                        binary->fn == model::BinaryFn::Pow;
    return {factor ? Role::One : Role::Zero};
  }
  return {Role::Table};
}

// A model in the form in which its weights are used.
struct Usage {
  explicit Usage(const model::Model& used) : model(used), uses(used) {
    for (const model::NodePtr& node : used.nodes()) {
      const bool constant =
          node->as<model::Input>() == nullptr &&
          std::all_of(node->inputs.begin(), node->inputs.end(),
                      [&](model::Value input) { return of_weights.count(input.node) != 0; });
      if (constant) of_weights.insert(node->id);
    }
  }

  const model::Model& model;
  model::Uses uses;
  std::unordered_set<NodeId> of_weights;  // nodes that weights alone go into
};

// The role of a weight, and the path to the node that decides it.
struct Reading {
  Use use;
  std::vector<const Node*> moves;  // transposes and reshapes on the way, in order
};

// The first reader decides. After a rearrangement, the axes are those that its reader sees. If
// weights are multiplied with each other, the reader of the product decides: the first factor keeps
// the size of the weight that it multiplies, and the others are drawn as the product would be, in
// any order of factors.
Reading first_reading(const Usage& usage, model::Value value, Ints dims) {
  Reading reading;
  bool is_factor = false;
  for (;;) {
    const auto readers = usage.uses.of(value);
    if (readers.empty() || !readers[0].node.valid()) return {};
    const Node& reader = usage.model.node(readers[0].node);
    const bool moved =
        reader.as<model::Transpose>() != nullptr || reader.as<model::Reshape>() != nullptr;
    const bool multiplies = readers[0].input > 0 && usage.of_weights.count(reader.id) != 0;
    if (!moved && !multiplies) {
      reading.use = use_of(reader, readers[0].input, dims);
      if (is_factor) return {{reading.use.role, reading.use.fan_in, reading.use.fan_out}, {}};
      return reading;
    }
    is_factor = is_factor || !moved;
    if (moved) reading.moves.push_back(&reader);
    dims = reader.outputs[0].dims;
    value = {reader.id, 0};
  }
}

model::Tensor transposed(const model::Tensor& tensor, Ints perm) {
  // A permutation of its axes: a refusal would be a bug.
  return model::execute(model::Transpose{std::move(perm)}, {&tensor, 1}).value().front();
}

Ints inverse(const Ints& perm) {
  Ints out(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i) {
    out[static_cast<std::size_t>(perm[i])] = static_cast<std::int64_t>(i);
  }
  return out;
}

Ints last_two_swapped(std::size_t rank) {
  Ints perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[rank - 2], perm[rank - 1]);
  return perm;
}

// Elements are drawn in the order of libtorch's layers, [out, in, kernel], whatever order the
// weight has. A layer that computes the same therefore begins with the same numbers, however it is
// written. Weights that have that order already stay lazy.
model::Tensor drawn(const model::TensorType& type, const Fill& fill, const Reading& reading) {
  const auto is_transpose = [](const Node* node) {
    return node->as<model::Transpose>() != nullptr;
  };
  const auto& moves = reading.moves;
  const bool lies_otherwise =
      reading.use.is_turned || std::any_of(moves.begin(), moves.end(), is_transpose);
  if (fill.law == Fill::Law::Constant || !lies_otherwise) return model::Tensor::lazy(type, fill);
  Ints read = moves.empty() ? type.dims : moves.back()->outputs[0].dims;
  if (reading.use.is_turned) std::swap(read[read.size() - 2], read[read.size() - 1]);
  model::Tensor tensor = model::Tensor::lazy({type.dtype, read}, fill);
  if (reading.use.is_turned) tensor = transposed(tensor, last_two_swapped(read.size()));
  for (std::size_t i = moves.size(); i-- > 0;) {
    if (const auto* move = moves[i]->as<model::Transpose>()) {
      tensor = transposed(tensor, inverse(move->perm));
    } else {
      tensor = tensor.reshaped(i == 0 ? type.dims : moves[i - 1]->outputs[0].dims);
    }
  }
  return tensor;
}

Fill fill_of(const Use& use, Scheme scheme) {
  const auto normal = [](double variance) { return Fill{Fill::Law::Normal, std::sqrt(variance)}; };
  const auto uniform = [](double variance) {
    return Fill{Fill::Law::Uniform, std::sqrt(3 * variance)};
  };
  switch (use.role) {
    case Role::One: return {Fill::Law::Constant, 1};
    case Role::Zero: return {Fill::Law::Constant, 0};
    case Role::Table: return {Fill::Law::Normal, kTableDeviation};
    case Role::Convolution:
    case Role::Matrix: break;
  }
  switch (scheme) {
    case Scheme::KaimingFanOut:
      if (use.role == Role::Convolution) return normal(2 / use.fan_out);
      return uniform(1 / (3 * use.fan_in));
    case Scheme::KaimingFanIn: return normal(2 / use.fan_in);
    case Scheme::Xavier: return uniform(2 / (use.fan_in + use.fan_out));
    case Scheme::Lecun: return normal(1 / use.fan_in);
    case Scheme::Normal02: break;
  }
  return {Fill::Law::Normal, kTableDeviation};
}

// The scales of norms that end a residual branch.
std::set<NodeId> last_scales(const model::Model& model) {
  std::set<NodeId> scales;
  for (const model::Value end : branch_ends(model)) {
    const Node& node = model.node(end.node);
    if (is_norm(node) && model.weight(node.inputs[1]) != nullptr)
      scales.insert(node.inputs[1].node);
  }
  return scales;
}

}  // namespace

Result<Scheme> scheme_of(std::string_view name) {
  std::string names;
  for (const auto& [known, scheme] : kSchemes) {
    if (known == name) return scheme;
    names += names.empty() ? "" : ", ";
    names += known;
  }
  return Rejection(Reason::BadOption, "initialization",
                   "unknown '" + std::string(name) + "'; expected one of " + names);
}

model::Model initialized(const model::Model& model, const InitializeOptions& options) {
  return beginning_of(model, options).model;
}

Beginning beginning_of(const model::Model& model, const InitializeOptions& options) {
  // The role of a weight shows in the form in which the model runs.
  const model::Model used = model::recognize(model::expanded(model)).model;
  const Usage usage(used);
  const auto listed = model::parameters_of(model);
  const std::set<NodeId> parameters(listed.begin(), listed.end());
  const std::set<NodeId> last = options.zeroes_last_norms ? last_scales(used) : std::set<NodeId>();
  const Rng seeds(options.seed);
  Beginning beginning;
  model::Builder builder(model);
  for (const model::NodePtr& node : model.nodes()) {
    const model::TensorType& type = node->outputs[0];
    if (node->as<model::Weight>() == nullptr || !is_floating(type.dtype) || type.rank() == 0)
      continue;
    // Anything else is a running statistic or a constant that is not trained.
    const Reading reading = first_reading(usage, {node->id, 0}, type.dims);
    const Use& use = reading.use;
    const bool statistic = use.role == Role::One || use.role == Role::Zero;
    if (!parameters.contains(node->id) && !statistic) continue;
    Fill fill =
        last.contains(node->id) ? Fill{Fill::Law::Constant, 0} : fill_of(use, options.scheme);
    if (fill.law != Fill::Law::Constant) fill.seed = seeds.split(node->name).next_u64();
    builder.set_weight(node->id, drawn(type, fill, reading));
    beginning.laws.emplace(node->name, DrawnLaw{fill, use.fan_in});
  }
  beginning.model = std::move(builder).finish().value();
  return beginning;
}

}  // namespace cambium::train
