#include "model/pytorch/node_text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "base/check.h"
#include "base/text.h"
#include "model/batch_axes.h"

namespace cambium::model::pytorch {

namespace {

// Keywords of Python, and what generated files and nn.Module use themselves.
constexpr std::string_view kReserved[] = {"False",
                                          "None",
                                          "True",
                                          "and",
                                          "as",
                                          "assert",
                                          "async",
                                          "await",
                                          "break",
                                          "class",
                                          "continue",
                                          "def",
                                          "del",
                                          "elif",
                                          "else",
                                          "except",
                                          "finally",
                                          "for",
                                          "from",
                                          "global",
                                          "if",
                                          "import",
                                          "in",
                                          "is",
                                          "lambda",
                                          "nonlocal",
                                          "not",
                                          "or",
                                          "pass",
                                          "raise",
                                          "return",
                                          "try",
                                          "while",
                                          "with",
                                          "yield",
                                          "self",
                                          "torch",
                                          "nn",
                                          "F",
                                          "json",
                                          "Path",
                                          "slice",
                                          "load",
                                          "apply",
                                          "buffers",
                                          "children",
                                          "cpu",
                                          "cuda",
                                          "double",
                                          "eval",
                                          "float",
                                          "forward",
                                          "half",
                                          "modules",
                                          "parameters",
                                          "to",
                                          "train",
                                          "training",
                                          "type",
                                          "xpu",
                                          "ipu",
                                          "bfloat16",
                                          "state_dict",
                                          "zero_grad",
                                          "named_parameters",
                                          "read_safetensors",
                                          "DTYPES",
                                          "super"};

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
  std::string name;
  for (const char c : wanted) {
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name = "x" + name;
  if (std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved)) {
    name += "_";
  }
  std::string own = name;
  for (int i = 2; !taken_.insert(own).second; ++i) own = name + "_" + std::to_string(i);
  return own;
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
