#include "compile/calls.h"

#include <unordered_map>

#include <fmt/format.h>

#include "program/build.h"
#include "program/fingerprint.h"

namespace cambium::compile {
namespace {

using namespace model;

class Maker {
 public:
  Maker(program::Context& cx, const Model& model, const lower::Layouts& layouts)
      : cx_(cx), model_(model), layouts_(layouts) {}

  Result<Calls> run() {
    for (const lower::FusionGroup& group : lower::groups_of(model_)) {
      CAMBIUM_REQUIRE(
          add(group).at(fmt::format("group of node '{}'", model_.node(group.anchor).name)));
    }
    for (std::size_t i = 0; i < model_.outputs().size(); ++i) {
      const Value value = model_.outputs()[i].value;
      const bool is_leaf = model_.node(value.node).inputs.empty();
      if (is_leaf || output_of(model_, value) != static_cast<std::int64_t>(i)) {
        CAMBIUM_REQUIRE(add_copy(value, static_cast<std::int64_t>(i))
                            .at(fmt::format("output '{}'", model_.outputs()[i].name)));
      }
    }
    return std::move(made_);
  }

 private:
  Status add(const lower::FusionGroup& group) {
    CAMBIUM_TRY(GroupProgram made, lower_group(cx_, model_, group.nodes, layouts_));
    Call call{kernel_of(made.program), {}, group.nodes, std::move(made.rewriting)};
    for (const Value value : made.operands) call.operands.push_back({value});
    made_.calls.push_back(std::move(call));
    return Ok{};
  }

  Status add_copy(Value value, std::int64_t output) {
    const TensorType& type = model_.type(value);
    if (type.elements() == 0) {
      return Rejection(Reason::NotLowered, "a copy", type.text() + " has no elements");
    }
    const std::vector<std::int64_t> flat{type.elements()};
    program::Builder b(cx_, "copy");
    const bool is_weight = model_.weight(value) != nullptr;
    const program::Mem from =
        is_weight ? b.constant("x", flat, type.dtype) : b.input("x", flat, type.dtype);
    const program::Mem to = b.output("y", flat, type.dtype);
    b.block("copy", {program::spatial("i", flat[0])},
            [&](program::Point p) { return program::assign(to, {p[0]}, from(p[0])); });
    made_.calls.push_back({kernel_of(b.finish()), {{value}, {Value{}, output}}, {}});
    return Ok{};
  }

  std::size_t kernel_of(const program::Program& program) {
    const auto [known, fresh] = kernels_.emplace(fingerprint_(program), made_.kernels.size());
    if (fresh) made_.kernels.push_back(program);
    return known->second;
  }

  program::Context& cx_;
  const Model& model_;
  const lower::Layouts& layouts_;
  Calls made_;
  program::Fingerprinter fingerprint_;
  std::unordered_map<Fingerprint, std::size_t> kernels_;
};

}  // namespace

std::int64_t output_of(const Model& model, Value value) {
  for (std::size_t i = 0; i < model.outputs().size(); ++i) {
    if (model.outputs()[i].value == value) return static_cast<std::int64_t>(i);
  }
  return -1;
}

Result<Calls> calls_of(program::Context& cx, const Model& model, const lower::Layouts& layouts) {
  return Maker(cx, model, layouts).run();
}

}  // namespace cambium::compile
