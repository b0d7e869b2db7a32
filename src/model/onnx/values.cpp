#include "model/onnx/values.h"

#include <algorithm>
#include <map>
#include <utility>

#include "model/einsum.h"
#include "model/infer.h"
#include "model/reference/execute.h"

namespace cambium::model::onnx_io {

namespace {

// A result that grows beyond its inputs stays an operator above this many elements: as a weight it
// would be stored, counted and trained at its full size.
constexpr std::int64_t kMaxGrownElements = 1 << 16;
// What counts as shape arithmetic, by its size: known even where operators stay as written.
constexpr std::int64_t kMaxShapeElements = 64;

double product(const Ints& dims, std::size_t from) {
  double out = 1;
  for (std::size_t i = from; i < dims.size(); ++i) out *= static_cast<double>(dims[i]);
  return out;
}

// The product of the sizes of all letters.
double einsum_work(const Einsum& op, std::span<const TensorType> in) {
  const auto equation = parse_einsum(op.equation);
  if (!equation.ok()) return 0;  // inference has accepted it
  std::map<char, std::int64_t> sizes;
  for (std::size_t i = 0; i < equation->inputs.size(); ++i) {
    for (std::size_t axis = 0; axis < equation->inputs[i].size(); ++axis) {
      sizes[equation->inputs[i][axis]] = in[i].dims[axis];
    }
  }
  double work = 1;
  for (const auto& [letter, size] : sizes) work *= static_cast<double>(size);
  return work;
}

// About how many multiplications or moves the executor needs.
double work_of(const Op& op, std::span<const TensorType> in, const std::vector<TensorType>& out) {
  const auto elements = static_cast<double>(out.empty() ? 0 : out[0].elements());
  if (std::holds_alternative<Conv>(op)) return elements * product(in[1].dims, 1);
  if (std::holds_alternative<ConvTranspose>(op)) {
    return static_cast<double>(in[0].elements()) * product(in[1].dims, 1);
  }
  if (std::holds_alternative<MatMul>(op)) return elements * static_cast<double>(in[0].dims.back());
  if (const auto* gemm = std::get_if<Gemm>(&op)) {
    return elements * static_cast<double>(in[0].dims[gemm->transpose_a ? 0 : 1]);
  }
  if (const auto* einsum = std::get_if<Einsum>(&op)) return einsum_work(*einsum, in);
  if (const auto* pool = std::get_if<Pool>(&op)) return elements * product(pool->kernel, 0);
  double total = elements;
  for (const TensorType& type : in) total += static_cast<double>(type.elements());
  return total;
}

bool is_shape_arithmetic(const std::vector<TensorType>& outputs) {
  return std::all_of(outputs.begin(), outputs.end(), [](const TensorType& type) {
    return !is_floating(type.dtype) && type.elements() <= kMaxShapeElements;
  });
}

}  // namespace

Values::Values(Builder& builder, const ImportLimits& limits, std::int64_t weight_bytes,
               bool as_written)
    : builder_(builder),
      limit_(limits.folded_bytes + 4 * weight_bytes),
      bytes_left_(limit_),
      work_left_(limits.folded_work),
      as_written_(as_written) {}

Operand Values::add(Entry entry) {
  entries_.push_back(std::move(entry));
  return {static_cast<std::uint32_t>(entries_.size() - 1)};
}

Operand Values::constant(std::string name, Tensor tensor) {
  TensorType type = tensor.type();
  return add({std::move(type), std::move(tensor), {}, std::move(name)});
}

Status Values::reserve(std::int64_t bytes) {
  if (bytes > bytes_left_) {
    return Rejection(Reason::TooLarge, "the constants computed while reading the model", "",
                     limit_ - bytes_left_ + bytes, limit_);
  }
  bytes_left_ -= bytes;
  return Ok{};
}

Operand Values::input(const std::string& name, Value value) {
  return add({builder_.type(value), {}, value, name});
}

const TensorType& Values::type(Operand operand) const {
  return entries_[operand.index].type;
}

const Tensor* Values::tensor(Operand operand) const {
  const Entry& entry = entries_[operand.index];
  return entry.tensor ? &*entry.tensor : nullptr;
}

const std::string& Values::origin(Operand operand) const {
  return entries_[operand.index].name;
}

Value Values::in_model(Operand operand) {
  Entry& entry = entries_[operand.index];
  if (entry.tensor && !entry.value.valid())
    entry.value = builder_.weight(entry.name, *entry.tensor);
  return entry.value;
}

bool Values::may_fold(const Op& op, std::span<const Operand> inputs,
                      const std::vector<TensorType>& outputs) {
  std::int64_t bytes = 0, elements = 0, given = 0;
  std::vector<TensorType> types;
  for (const Operand input : inputs) {
    const Tensor& tensor = *entries_[input.index].tensor;
    types.push_back(tensor.type());
    given += tensor.elements();
    if (tensor.fill()) bytes += tensor.type().bytes();
  }
  bool floating = false;
  for (const TensorType& type : outputs) {
    elements += type.elements();
    if (type.bytes() > bytes_left_ - bytes) return false;
    bytes += type.bytes();
    floating = floating || is_floating(type.dtype);
  }
  if (floating && elements > given && elements > kMaxGrownElements) return false;
  const double work = work_of(op, types, outputs);
  if (bytes > bytes_left_ || work > static_cast<double>(work_left_)) return false;
  bytes_left_ -= bytes;
  work_left_ -= static_cast<std::int64_t>(work);
  return true;
}

Result<std::vector<Tensor>> Values::compute(const Op& op, std::span<const Operand> inputs,
                                            const std::vector<TensorType>& outputs) const {
  if (std::holds_alternative<Reshape>(op)) {
    return std::vector<Tensor>{entries_[inputs[0].index].tensor->reshaped(outputs[0].dims)};
  }
  std::vector<Tensor> arguments;
  for (const Operand input : inputs) arguments.push_back(*entries_[input.index].tensor);
  return execute(op, arguments);
}

Result<std::vector<Operand>> Values::emit(const Op& op, std::span<const Operand> inputs,
                                          const std::string& name) {
  const auto dynamic = std::find_if(inputs.begin(), inputs.end(),
                                    [&](Operand input) { return tensor(input) == nullptr; });
  std::vector<Tensor> known;
  if (dynamic == inputs.end()) {
    std::vector<TensorType> types;
    for (const Operand input : inputs) types.push_back(type(input));
    CAMBIUM_TRY(const std::vector<TensorType> outputs, infer(op, types));
    const bool useful = !as_written_ || is_shape_arithmetic(outputs);
    if (useful && may_fold(op, inputs, outputs)) {
      CAMBIUM_TRY(known, compute(op, inputs, outputs));
    }
  }
  std::vector<Operand> out;
  if (!known.empty() && !as_written_) {
    for (Tensor& one : known) out.push_back(constant(name, std::move(one)));
    return out;
  }
  std::vector<Value> values;
  for (const Operand input : inputs) values.push_back(in_model(input));
  const Value first = builder_.add(op, values, name);
  CAMBIUM_REQUIRE(builder_.status());
  const std::string source = dynamic == inputs.end() ? "the size of its weights" : origin(*dynamic);
  for (std::uint32_t slot = 0; slot < builder_.node(first.node).outputs.size(); ++slot) {
    const Value value{first.node, slot};
    out.push_back(add({builder_.type(value), {}, value, source}));
    if (!known.empty()) entries_.back().tensor = std::move(known[slot]);
  }
  return out;
}

}  // namespace cambium::model::onnx_io
