#include "lower/lower.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "lower/emit.h"
#include "lower/nest_form.h"
#include "program/verify.h"
#include "program/walk.h"

namespace cambium::lower {
namespace {

bool is_leaf(const model::Node& node) {
  return node.as<model::Input>() != nullptr || node.as<model::Weight>() != nullptr;
}

// What a node is called in the program: its name, or its operator and number.
std::string name_of(const model::Node& node, std::uint32_t slot = 0) {
  std::string name = node.name;
  if (name.empty()) {
    name = std::string(model::name_of(node.op)) + "_" + std::to_string(node.id.index);
  }
  return slot == 0 ? name : name + "." + std::to_string(slot);
}

class Lowering {
 public:
  Lowering(program::Context& cx, const model::Model& model, std::span<const model::NodeId> nodes,
           const Layouts& layouts)
      : cx_(cx),
        model_(model),
        layouts_(layouts),
        uses_(model),
        builder_(cx, Names().fresh(nodes.empty() ? "empty" : name_of(model.node(nodes.back())))) {
    for (const model::NodeId id : nodes) {
      const model::Node& node = model.node(id);
      if (!is_leaf(node) && inside_.insert(id).second) nodes_.push_back(&node);
    }
  }

  Result<Lowered> run() {
    if (nodes_.empty()) return Rejection(Reason::NotLowered, "the group", "it computes nothing");
    for (const model::Node* node : nodes_) CAMBIUM_REQUIRE(require_elements(*node));
    CAMBIUM_REQUIRE(find_nest());
    for (const model::Node* node : nodes_) declare_arguments(*node);
    for (const model::Node* node : nodes_) declare_results(*node);
    for (const model::Node* node : nodes_) {
      Site site(cx_, builder_, buffers_, blocks_);
      site.name = name_of(*node);
      for (const model::Value value : arguments_of(*node)) {
        site.in.push_back(places_.at(value));
        site.weights.push_back(model_.weight(value));
      }
      for (std::uint32_t slot = 0; slot < node->outputs.size(); ++slot) {
        site.out.push_back(places_.at({node->id, slot}));
      }
      if (is_the_nest(*node)) {
        site.in.push_back(filter_);
        CAMBIUM_REQUIRE(emit(form_.conv, site));
      } else {
        CAMBIUM_REQUIRE(std::visit([&](const auto& op) { return emit(op, site); }, node->op));
      }
    }
    Lowered lowered{builder_.finish(), std::move(arguments_), std::move(results_)};
    CAMBIUM_REQUIRE(check(cx_, lowered.program, program::Stage::Lowered));
    if (nest_ != nullptr) lowered.nest = original_nest(lowered.program);
    return lowered;
  }

 private:
  Status find_nest() {
    for (const model::Node* node : nodes_) {
      if (!is_nest(model_, node->id)) continue;
      if (nest_ != nullptr) {
        return Rejection(Reason::NotLowered, "the group", "it holds two rewritten nests");
      }
      nest_ = node;
      CAMBIUM_TRY(form_, read_nest_form(node->as<model::Composite>()->document));
    }
    return Ok{};
  }
  bool is_the_nest(const model::Node& node) const { return &node == nest_; }

  // Values that a node reads. Those of a nest beside x are weights that the program does not have
  // yet.
  std::span<const model::Value> arguments_of(const model::Node& node) const {
    const std::span<const model::Value> all(node.inputs);
    return is_the_nest(node) ? all.first(1) : all;
  }

  OriginalNest original_nest(const program::Program& program) const {
    OriginalNest nest;
    nest.filter = std::string(filter_.mem.buffer->name);
    nest.recipe = form_.recipe;
    nest.weights.assign(nest_->inputs.begin() + 1, nest_->inputs.end());
    for (const program::Site& site : program::sites_of(program)) {
      const auto& used = site.block->body->buffers;
      if (std::find(used.begin(), used.end(), filter_.mem.buffer) == used.end()) continue;
      nest.block = std::string(site.block->name);
    }
    return nest;
  }

  // Buffers have at least one element.
  Status require_elements(const model::Node& node) const {
    const auto refuse = [&](const model::TensorType& type) {
      return Rejection(Reason::NotLowered, std::string(model::name_of(node.op)),
                       type.text() + " has no elements")
          .at("node '" + name_of(node) + "'");
    };
    for (const model::Value value : node.inputs) {
      if (model_.type(value).elements() == 0) return refuse(model_.type(value));
    }
    for (const model::TensorType& type : node.outputs) {
      if (type.elements() == 0) return refuse(type);
    }
    return Ok{};
  }

  void declare_arguments(const model::Node& node) {
    for (const model::Value value : arguments_of(node)) {
      if (inside_.contains(value.node) || places_.contains(value)) continue;
      const std::string name = buffers_.fresh(name_of(model_.node(value.node), value.slot));
      const model::TensorType& type = model_.type(value);
      const bool is_weight = model_.weight(value) != nullptr;
      places_[value] =
          is_weight ? Place{builder_.constant(name, type.dims, type.dtype), type.dims, {}}
                    : Place{builder_.input(name, layouts_.dims_of(model_, value), type.dtype),
                            type.dims, layouts_.of(value)};
      arguments_.push_back(value);
    }
    if (!is_the_nest(node)) return;
    const DType dtype = model_.type(node.inputs[1]).dtype;
    const std::string name = buffers_.fresh(name_of(node) + ".filter");
    filter_ = Place{builder_.constant(name, form_.filter, dtype), form_.filter, {}};
    arguments_.push_back({});
  }

  void declare_results(const model::Node& node) {
    for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot) {
      const model::Value value{node.id, slot};
      const std::span<const model::Use> uses = uses_.of(value);
      Place place{{nullptr, nullptr}, node.outputs[slot].dims, layouts_.of(value)};
      if (is_the_nest(node)) place.dims[1] = form_.outs();
      if (!uses.empty()) {
        const bool leaves = std::any_of(uses.begin(), uses.end(), [&](const model::Use& use) {
          return !use.node.valid() || !inside_.contains(use.node);
        });
        const std::string name = buffers_.fresh(name_of(node, slot));
        Dims dims;
        for (const std::size_t dim : place.memory_order()) dims.push_back(place.dims[dim]);
        const DType dtype = node.outputs[slot].dtype;
        place.mem = leaves ? builder_.output(name, dims, dtype) : builder_.local(name, dims, dtype);
        if (leaves) results_.push_back(value);
      }
      places_[value] = std::move(place);
    }
  }

  program::Context& cx_;
  const model::Model& model_;
  const Layouts& layouts_;
  const model::Uses uses_;
  program::Builder builder_;
  Names buffers_, blocks_;
  std::set<model::NodeId> inside_;
  std::vector<const model::Node*> nodes_;
  std::map<model::Value, Place> places_;
  std::vector<model::Value> arguments_, results_;
  const model::Node* nest_ = nullptr;  // nullptr: there is none
  NestForm form_;
  Place filter_;  // of the nest
};

}  // namespace

Status emit(const model::Input&, Site&) {
  return Ok{};  // a parameter; Lowering never asks
}

Status emit(const model::Weight&, Site&) {
  return Ok{};
}

Status emit(const model::Composite& op, Site&) {
  return Rejection(Reason::NotLowered, "composite",
                   "it must be expanded first (from space " + op.space + ")");
}

Result<Lowered> lower(program::Context& cx, const model::Model& model,
                      std::span<const model::NodeId> nodes, const Layouts& layouts) {
  return Lowering(cx, model, nodes, layouts).run();
}

}  // namespace cambium::lower
