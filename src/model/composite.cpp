#include "model/composite.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "model/fingerprint.h"
#include "model/infer_rules.h"

namespace cambium::model {

namespace {

bool holds_composites(const Model& model) {
  return std::any_of(model.nodes().begin(), model.nodes().end(),
                     [](const NodePtr& node) { return node->as<Composite>() != nullptr; });
}

}  // namespace

namespace infer_rules {

namespace {

Status check_body(const Model& body) {
  if (body.outputs().empty()) return bad_attribute("body", "has no outputs");
  for (const NodePtr& node : body.nodes()) {
    if (node->as<Composite>() != nullptr) return bad_attribute("body", "contains a composite");
    if (node->as<Weight>() != nullptr && !is_constant(node->outputs[0])) {
      return bad_attribute("body", "holds the weight '" + node->name +
                                       "'; weights are inputs of a composite, so that they have "
                                       "one name and one place");
    }
  }
  return Ok{};
}

}  // namespace

Inferred rule(const Composite& op, Types inputs) {
  if (op.body == nullptr) return bad_attribute("body", "is missing");
  CAMBIUM_REQUIRE(check_body(*op.body));
  const auto wanted = op.body->inputs();
  if (wanted.size() != inputs.size()) {
    const auto count = static_cast<std::int64_t>(wanted.size());
    return Rejection(Reason::WrongInputCount, static_cast<std::int64_t>(inputs.size()), count,
                     count);
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const TensorType& type = op.body->node(wanted[i]).outputs[0];
    if (type == inputs[i]) continue;
    return bad_shape("input " + std::to_string(i),
                     "is " + inputs[i].text() + ", the body takes " + type.text());
  }
  std::vector<TensorType> outputs;
  for (const Output& output : op.body->outputs()) outputs.push_back(op.body->type(output.value));
  return outputs;
}

}  // namespace infer_rules

Result<Composite> composite_of(std::string space, std::string document, Model body) {
  CAMBIUM_REQUIRE(infer_rules::check_body(body));
  return Composite{std::move(space), std::move(document),
                   std::make_shared<const Model>(std::move(body))};
}

std::vector<Value> inlined(Builder& builder, const Model& body, std::span<const Value> inputs,
                           const std::string& name, std::uint32_t block) {
  CAMBIUM_CHECK(inputs.size() == body.inputs().size(), "a body is given its inputs");
  std::unordered_map<NodeId, Value> first;  // the first output of each node of the body
  for (std::size_t i = 0; i < inputs.size(); ++i) first[body.inputs()[i]] = inputs[i];
  const auto value_of = [&](Value value) {
    const Value made = first.at(value.node);
    return Value{made.node, made.slot + value.slot};
  };
  for (const NodePtr& node : body.nodes()) {
    if (node->as<Input>() != nullptr) continue;
    const std::string own = node->name.empty() ? name : name + "." + node->name;
    if (const Weight* weight = node->as<Weight>()) {
      first[node->id] = builder.weight(own, weight->value);
    } else {
      std::vector<Value> reads;
      for (const Value value : node->inputs) reads.push_back(value_of(value));
      first[node->id] = builder.add(node->op, reads, own);
    }
    if (block != kNoBlock) builder.set_block(first[node->id].node, block);
  }
  std::vector<Value> outputs;
  for (const Output& output : body.outputs()) outputs.push_back(value_of(output.value));
  return outputs;
}

void follow(const Model& model, Moved& moved, const Moved& further) {
  for (auto& [old, now] : moved) {
    const auto place = further.find(now);
    if (place != further.end()) now = place->second;
  }
  for (const auto& [old, now] : further) {
    if (model.contains(old.node)) moved.emplace(old, now);
  }
}

Model expanded(const Model& model) {
  return expanded_except(model, [](NodeId) { return false; }).model;
}

Expansion expanded_except(const Model& model, const std::function<bool(NodeId)>& stays) {
  Expansion out{model, {}};
  if (!holds_composites(model)) return out;
  Builder builder(model);
  for (const NodePtr& node : model.nodes()) {
    const Composite* composite = node->as<Composite>();
    if (composite == nullptr || stays(node->id)) continue;
    // Reads what the node reads by now: an earlier expansion may have replaced it.
    const std::vector<Value> reads = builder.node(node->id).inputs;
    const std::vector<Value> fresh =
        inlined(builder, *composite->body, reads, node->name, node->block);
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      const Value old{node->id, static_cast<std::uint32_t>(i)};
      builder.replace(old, fresh[i]);
      out.moved.emplace(old, fresh[i]);
    }
  }
  // A body that was typed once is typed again, so a refusal is a bug.
  out.model = std::move(builder).finish().value();
  return out;
}

}  // namespace cambium::model
