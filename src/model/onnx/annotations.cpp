#include "model/onnx/annotations.h"

#include <cmath>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "model/onnx/decimal.h"

namespace cambium::model::onnx_io {

namespace {

using nlohmann::json;

const json& member(const json& object, const char* name) {
  static const json kNothing;
  const auto found = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && found != object.end() ? *found : kNothing;
}

std::string text_in(const json& object, const char* name) {
  const json& value = member(object, name);
  return value.is_string() ? value.get<std::string>() : "";
}

// What is left of a number that the file stores as an element.
double rounded(double value, DType dtype) {
  if (dtype == DType::F16) return static_cast<double>(F16(value));
  if (dtype == DType::BF16) return static_cast<double>(BF16(value));
  return static_cast<float>(value);
}

bool survives(double value, const Op& op, DType dtype) {
  if (std::isnan(value)) return true;
  const auto* activation = std::get_if<Activation>(&op);
  const bool as_it_is = dtype == DType::F16 || dtype == DType::BF16 ||
                        (activation != nullptr && activation->fn == ActivationFn::ThresholdedRelu);
  return (as_it_is ? rounded(value, dtype) : decimal_of(static_cast<float>(value))) == value;
}

bool rounds_alike(double a, double b, DType dtype) {
  return rounded(a, dtype) == rounded(b, dtype);
}

}  // namespace

Annotations parse_annotations(std::string_view text) {
  Annotations out;
  const auto parsed = parse_json(text);
  if (!parsed.ok()) return out;
  for (const json& block : member(*parsed, "blocks")) {
    const auto index = static_cast<std::uint32_t>(out.blocks.size());
    out.blocks.push_back({text_in(block, "name"), text_in(block, "type")});
    for (const json& node : member(block, "nodes")) {
      if (node.is_string()) out.block_of.emplace(node.get<std::string>(), index);
    }
  }
  for (const json& node : member(*parsed, "composed")) {
    if (node.is_string()) out.composed.insert(node.get<std::string>());
  }
  const json& exact = member(*parsed, "exact");
  if (!exact.is_object()) return out;
  for (const auto& [node, attributes] : exact.items()) {
    if (!attributes.is_object()) continue;
    for (const auto& [name, values] : attributes.items()) {
      for (const json& value : values) {
        if (value.is_number()) out.exact[node][name].push_back(value.get<double>());
      }
    }
  }
  return out;
}

std::string text_of(const Annotations& annotations) {
  json blocks = json::array();
  for (const Block& block : annotations.blocks) {
    blocks.push_back({{"name", block.name}, {"type", block.type}, {"nodes", json::array()}});
  }
  for (const auto& [node, block] : annotations.block_of) blocks[block]["nodes"].push_back(node);
  return json_text({{"blocks", std::move(blocks)},
                    {"composed", annotations.composed},
                    {"exact", annotations.exact}});
}

std::map<std::string, std::vector<double>> inexact_attributes(const Op& op, DType dtype) {
  std::map<std::string, std::vector<double>> out;
  std::visit(
      [&](const auto& one) {
        using T = std::decay_t<decltype(one)>;
        T::fields(one, [&](const char* name, const auto& field) {
          using F = std::decay_t<decltype(field)>;
          if constexpr (std::is_same_v<F, double>) {
            if (!survives(field, op, dtype)) out[name] = {field};
          } else if constexpr (std::is_same_v<F, std::vector<double>>) {
            for (const double value : field) {
              if (!survives(value, op, dtype)) out[name] = field;
            }
          }
        });
      },
      op);
  return out;
}

void restore_exact(const std::map<std::string, std::vector<double>>& exact, DType dtype, Op& op) {
  std::visit(
      [&](auto& one) {
        using T = std::decay_t<decltype(one)>;
        T::fields(one, [&](const char* name, auto& field) {
          using F = std::decay_t<decltype(field)>;
          const auto found = exact.find(name);
          if (found == exact.end()) return;
          [[maybe_unused]] const std::vector<double>& values = found->second;
          if constexpr (std::is_same_v<F, double>) {
            if (values.size() == 1 && rounds_alike(values[0], field, dtype)) field = values[0];
          } else if constexpr (std::is_same_v<F, std::vector<double>>) {
            if (values.size() != field.size()) return;
            for (std::size_t i = 0; i < values.size(); ++i) {
              if (rounds_alike(values[i], field[i], dtype)) field[i] = values[i];
            }
          }
        });
      },
      op);
}

}  // namespace cambium::model::onnx_io
