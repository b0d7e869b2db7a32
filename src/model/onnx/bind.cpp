#include "model/onnx/bind.h"

#include <set>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"

namespace cambium::model::onnx_io {

namespace {

std::string name_of_free(const ValueInfo& input, std::size_t axis) {
  const std::string& name = (*input.dims)[axis].name;
  if (!name.empty()) return name;
  return axis == 0 ? "batch" : fmt::format("{}.{}", input.name, axis);
}

Status check_names(const std::map<std::string, std::int64_t>& bind,
                   const std::set<std::string>& free) {
  const std::vector<std::string> names(free.begin(), free.end());
  for (const auto& [name, size] : bind) {
    if (free.count(name) == 0) {
      const auto near = closest(name, names);
      return Rejection(Reason::UnknownBinding, name,
                       near            ? "did you mean '" + *near + "'?"
                       : names.empty() ? "all its dimensions are fixed"
                                       : "its free dimensions are " + join(names, ", "));
    }
    if (size < 1) return Rejection(Reason::SizeNotPositive, size).at("--bind " + name);
  }
  return Ok{};
}

}  // namespace

Result<BoundInputs> bind_inputs(const std::vector<const ValueInfo*>& inputs,
                                const std::map<std::string, std::int64_t>& bind) {
  std::set<std::string> free;
  std::map<std::string, std::int64_t> sizes = bind;
  BoundInputs out;
  for (const ValueInfo* input : inputs) {
    const std::string what = "input " + quote(input->name);
    if (!input->unsupported.empty()) {
      return Rejection(Reason::UnsupportedType, what, input->unsupported);
    }
    if (!input->dtype) return Rejection(Reason::UnsupportedType, what, "of an undeclared type");
    if (!input->dims) return Rejection(Reason::UnsupportedType, what, "of an undeclared rank");
    for (std::size_t axis = 0; axis < input->dims->size(); ++axis) {
      if ((*input->dims)[axis].size) continue;
      const std::string name = name_of_free(*input, axis);
      free.insert(name);
      if (axis == 0 && sizes.emplace(name, 1).second) {
        out.notes.push_back(
            fmt::format("{} = 1 (a free leading dimension; --bind {}=N changes it)", name, name));
      }
    }
  }
  CAMBIUM_REQUIRE(check_names(bind, free));
  for (const ValueInfo* input : inputs) {
    TensorType type{*input->dtype, {}};
    for (std::size_t axis = 0; axis < input->dims->size(); ++axis) {
      const Dim& dim = (*input->dims)[axis];
      if (dim.size) {
        type.dims.push_back(*dim.size);
        continue;
      }
      const std::string name = name_of_free(*input, axis);
      const auto bound = sizes.find(name);
      if (bound == sizes.end()) return Rejection(Reason::UnboundDimension, name, input->name);
      type.dims.push_back(bound->second);
    }
    CAMBIUM_REQUIRE(check_type(type).at("input " + quote(input->name)));
    out.inputs.emplace_back(input->name, std::move(type));
  }
  return out;
}

}  // namespace cambium::model::onnx_io
