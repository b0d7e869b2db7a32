#include "model/text.h"

#include <cmath>
#include <type_traits>
#include <unordered_map>

#include <fmt/core.h>

#include "base/utf8.h"
#include "model/base64.h"

namespace cambium::model {

namespace {

// Weights of at most this many elements print as numbers.
constexpr std::int64_t kFewElements = 16;

// Shortest digits that read back as the same number.
template <class T>
std::string number(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, F16> || std::is_same_v<T, BF16>) {
    return number(static_cast<double>(value));
  } else if constexpr (std::is_integral_v<T>) {
    return fmt::format(
        "{}",
        static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(value));
  } else {
    return std::isnan(value) ? "nan" : fmt::format("{}", value);
  }
}

template <class T>
std::string list(const T& values) {
  std::string out = "[";
  for (const auto value : values) {
    if (out.size() > 1) out += ", ";
    out += number(value);
  }
  return out + "]";
}

// The text of one attribute, by its C++ type.
template <class T>
std::string attribute(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(name_of(value));
  } else if constexpr (std::is_same_v<T, std::string>) {
    return quoted(value);
  } else if constexpr (std::is_same_v<T, std::shared_ptr<const Model>>) {
    return quoted(value == nullptr ? std::string() : to_text(*value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return number(value);
  } else {
    return list(value);
  }
}

// The function of a family stands behind its kind, `unary.relu`; the rest in braces.
struct FieldPrinter {
  std::string function, attributes;

  template <class T>
  void operator()(std::string_view name, const T& value) {
    if (name == "fn") {
      function = "." + attribute(value);
    } else {
      attributes +=
          fmt::format("{}{} = {}", attributes.empty() ? "" : ", ", name, attribute(value));
    }
  }
};

std::string rule(const Fill& fill) {
  switch (fill.law) {
    case Fill::Law::Constant: return fmt::format("constant({})", fill.scale);
    case Fill::Law::Uniform: return fmt::format("uniform({}, {})", fill.scale, fill.seed);
    case Fill::Law::Normal: return fmt::format("normal({}, {})", fill.scale, fill.seed);
  }
  return "";
}

// A NaN has bits that digits do not show.
bool prints_as_numbers(const Tensor& tensor) {
  if (tensor.elements() > kFewElements) return false;
  if (!is_floating(tensor.dtype())) return true;
  for (const double value : tensor.to_doubles()) {
    if (std::isnan(value)) return false;
  }
  return true;
}

std::string elements(const Tensor& tensor, const TextOptions& options) {
  if (const auto fill = tensor.fill()) return rule(*fill);
  if (prints_as_numbers(tensor)) {
    return visit_dtype(tensor.dtype(),
                       [&](auto zero) { return list(tensor.as<decltype(zero)>()); });
  }
  if (options.elide_weights) return "...";
  return '"' + to_base64(tensor.bytes()) + '"';
}

class Printer {
 public:
  Printer(const Model& model, const TextOptions& options) : model_(model), options_(options) {}

  std::string run() {
    out_ = fmt::format("cambium model 1 {}\n", quoted(model_.name()));
    for (std::size_t i = 0; i < model_.blocks().size(); ++i) {
      const Block& block = model_.blocks()[i];
      out_ += fmt::format("block @{} {} {}\n", i, quoted(block.name), quoted(block.type));
    }
    // Inputs first: their order is the interface.
    for (const NodeId id : model_.inputs()) print(model_.node(id));
    for (const NodePtr& node : model_.nodes()) {
      if (node->as<Input>() == nullptr) print(*node);
    }
    for (const Output& output : model_.outputs()) {
      out_ += fmt::format("output {} = {}\n", quoted(output.name), reference(output.value));
    }
    return std::move(out_);
  }

 private:
  std::string reference(Value value) const {
    const std::size_t number = numbers_.at(value.node);
    return value.slot == 0 ? fmt::format("%{}", number) : fmt::format("%{}.{}", number, value.slot);
  }

  void print(const Node& node) {
    const std::size_t number = numbers_.size();
    numbers_.emplace(node.id, number);
    FieldPrinter fields;
    std::visit([&](const auto& op) { std::decay_t<decltype(op)>::fields(op, fields); }, node.op);
    out_ +=
        fmt::format("%{} {} = {}{}", number, quoted(node.name), kind_of(node.op), fields.function);
    if (const Weight* weight = node.as<Weight>()) {
      out_ += ' ';
      out_ += elements(weight->value, options_);
    } else if (node.as<Input>() == nullptr) {
      std::string inputs;
      for (const Value value : node.inputs) {
        if (!inputs.empty()) inputs += ", ";
        inputs += reference(value);
      }
      out_ += fmt::format("({})", inputs);
    }
    if (!fields.attributes.empty()) out_ += fmt::format(" {{{}}}", fields.attributes);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      out_ += i == 0 ? " : " : ", ";
      out_ += node.outputs[i].text();
    }
    if (node.block != kNoBlock) out_ += fmt::format(" @{}", node.block);
    out_ += '\n';
  }

  const Model& model_;
  const TextOptions& options_;
  std::unordered_map<NodeId, std::size_t> numbers_;
  std::string out_;
};

}  // namespace

std::string quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Character next = first_character(text);
    text.remove_prefix(next.bytes.size());
    if (next.code == '\n') {
      out += "\\n";
    } else if (is_invisible(next)) {
      for (const char c : next.bytes) {
        out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      }
    } else {
      if (next.code == '"' || next.code == '\\') out += '\\';
      out += next.bytes;
    }
  }
  return out + "\"";
}

std::string to_text(const Model& model, const TextOptions& options) {
  return Printer(model, options).run();
}

}  // namespace cambium::model
