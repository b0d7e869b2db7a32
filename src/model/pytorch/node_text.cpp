#include "model/pytorch/node_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "base/check.h"
#include "base/escape.h"
#include "base/text.h"
#include "model/batch_axes.h"

namespace cambium::model::pytorch {

namespace {

// Keywords of Python, and what generated files use themselves.
constexpr std::string_view kReserved =
    "False None True and as assert async await break class continue def del elif else except "
    "finally for from global if import in is lambda nonlocal not or pass raise return try while "
    "with yield self torch nn F json Path slice float super load read_safetensors DTYPES";

// What an nn.Module has, of all versions of PyTorch so far; what begins with '_' is not listed.
constexpr std::string_view kOfModules =
    "T_destination add_module apply bfloat16 buffers call_super_init children compile cpu cuda "
    "double dump_patches eval extra_repr float forward get_buffer get_extra_state get_parameter "
    "get_submodule half ipu load_state_dict modules mtia named_buffers named_children "
    "named_modules named_parameters parameters register_backward_hook register_buffer "
    "register_forward_hook register_forward_pre_hook register_full_backward_hook "
    "register_full_backward_pre_hook register_load_state_dict_post_hook "
    "register_load_state_dict_pre_hook register_module register_parameter "
    "register_state_dict_post_hook register_state_dict_pre_hook requires_grad_ set_extra_state "
    "set_submodule share_memory state_dict to to_empty train training type xpu zero_grad";

bool is_listed(std::string_view list, std::string_view name) {
  const std::vector<std::string_view> words = split(list, ' ');
  return std::find(words.begin(), words.end(), name) != words.end();
}

// Rows of a tensor, one pair of brackets for each axis.
void nested(const std::vector<std::string>& elements, const Ints& dims, std::size_t axis,
            std::size_t& next, std::string& out) {
  if (axis == dims.size()) {
    out += elements[next++];
    return;
  }
  out += "[";
  for (std::int64_t i = 0; i < dims[axis]; ++i) {
    if (i > 0) out += ", ";
    nested(elements, dims, axis + 1, next, out);
  }
  out += "]";
}

}  // namespace

std::string Names::unique(std::string_view wanted) {
  std::string name = identifier(wanted, "x");
  // Two underscores mean something to Python: `__debug__`, and names in classes are changed.
  if (name.starts_with("__")) name = "x" + name;
  if (is_listed(kReserved, name)) name += "_";
  return taken_.unique(name);
}

std::string Names::unique_attribute(std::string_view wanted) {
  std::string name = identifier(wanted, "x");
  if (name.starts_with("_")) name = "x" + name;
  if (is_listed(kOfModules, name)) name += "_";
  return unique(name);
}

NodeText::NodeText(const Model& model, const Node& node, std::vector<std::string> inputs,
                   std::vector<std::string>& lines, Names& names, std::int64_t samples_axis,
                   bool in_module)
    : model_(model),
      node_(node),
      inputs_(std::move(inputs)),
      lines_(lines),
      names_(names),
      samples_axis_(samples_axis),
      in_module_(in_module) {}

Ints NodeText::dims_for_any_batch(Ints dims) const {
  if (samples_axis_ != kNoAxis) dims[static_cast<std::size_t>(samples_axis_)] = -1;
  return dims;
}

std::string NodeText::let(std::string_view name, const std::string& expression) {
  std::string own = names_.unique(name);
  lines_.push_back(own + " = " + expression);
  return own;
}

Rejection NodeText::refusal(const std::string& why) const {
  return Rejection(Reason::UnsupportedOperator, std::string(name_of(node_.op)),
                   " in PyTorch source: " + why);
}

std::string number(double value) {
  if (std::isnan(value)) return "float(\"nan\")";
  if (std::isinf(value)) return value < 0 ? "float(\"-inf\")" : "float(\"inf\")";
  return fmt::format("{}", value);
}

std::string arguments(const Ints& values) {
  std::vector<std::string> parts;
  for (const std::int64_t value : values) parts.push_back(std::to_string(value));
  return join(parts, ", ");
}

std::string list(const Ints& values) {
  return "[" + arguments(values) + "]";
}

bool all_equal(const Ints& values, std::int64_t to) {
  return std::all_of(values.begin(), values.end(), [&](std::int64_t v) { return v == to; });
}

std::string one_or_list(const Ints& values) {
  if (!values.empty() && all_equal(values, values[0])) return std::to_string(values[0]);
  return "(" + arguments(values) + ")";
}

Result<std::string> torch_type(DType dtype) {
  switch (dtype) {
    case DType::F32: return std::string("torch.float32");
    case DType::F64: return std::string("torch.float64");
    case DType::F16: return std::string("torch.float16");
    case DType::BF16: return std::string("torch.bfloat16");
    case DType::I8: return std::string("torch.int8");
    case DType::I16: return std::string("torch.int16");
    case DType::I32: return std::string("torch.int32");
    case DType::I64: return std::string("torch.int64");
    case DType::U8: return std::string("torch.uint8");
    case DType::Bool: return std::string("torch.bool");
    case DType::U16:
    case DType::U32:
    case DType::U64: break;
  }
  return Rejection(Reason::UnsupportedType, "an element of PyTorch", std::string(name_of(dtype)));
}

Result<std::string> tensor_literal(const Tensor& tensor, const std::string& device) {
  CAMBIUM_TRY(const std::string type, torch_type(tensor.dtype()));
  std::vector<std::string> elements;
  if (tensor.dtype() == DType::Bool) {
    for (const std::int64_t v : tensor.to_ints()) elements.emplace_back(v != 0 ? "True" : "False");
  } else if (is_floating(tensor.dtype())) {
    for (const double v : tensor.to_doubles()) elements.push_back(number(v));
  } else {
    for (const std::int64_t v : tensor.to_ints()) elements.push_back(std::to_string(v));
  }
  std::string values;
  std::size_t next = 0;
  nested(elements, tensor.dims(), 0, next, values);
  return "torch.tensor(" + values + ", dtype=" + type + ", device=" + device + ")";
}

std::string pad_call(const std::string& x, const Ints& pads, const std::string& value) {
  const std::size_t axes = pads.size() / 2;
  Ints pairs;  // the last axis first
  for (std::size_t axis = axes; axis-- > 0;) {
    pairs.push_back(pads[axis]);
    pairs.push_back(pads[axis + axes]);
  }
  const std::string fill = value.empty() ? "" : ", value=" + value;
  return "F.pad(" + x + ", " + list(pairs) + fill + ")";
}

}  // namespace cambium::model::pytorch
