#include "model/recognize/recognize.h"

#include <algorithm>
#include <functional>
#include <set>

#include <fmt/core.h>

#include "base/text.h"
#include "model/cost.h"
#include "model/recognize/roots.h"
#include "model/recognize/solve.h"
#include "model/recognize/tidy.h"

namespace cambium::model {

namespace recognition {

namespace {

// More would be tried in too many orders; nobody has synthesized such an operator.
constexpr std::size_t kMostOperands = 4;

class Recognizer {
 public:
  explicit Recognizer(const Model& model) : model_(model), builder_(model), views_(builder_) {}

  Recognized run(const std::function<bool(NodeId)>& asked) {
    for (const NodePtr& node : model_.nodes()) {
      if (!asked(node->id)) continue;
      const Node& now = builder_.node(node->id);  // its inputs may have been recognized
      if (now.as<Gather>() != nullptr) {
        shift(now);
      } else if (const auto root = root_of(builder_, now)) {
        contract(now, *root);
      }
    }
    if (found_.empty()) return {model_, {}, {}};
    // Nothing was added that inference had refused, so a refusal here is a bug.
    return {std::move(builder_).finish().value(), std::move(found_), std::move(moved_)};
  }

 private:
  void replace(const Node& node, const Solution& solution) {
    found_.push_back(fmt::format("{}: {}", node.name, join(solution.notes, ", ")));
    builder_.replace({node.id, 0}, solution.value);
    moved_.emplace(Value{node.id, 0}, solution.value);
  }

  void shift(const Node& node) {
    Emitter emit(builder_, node.name, node.block);
    const auto value = rolled(emit, builder_, node);
    if (value) replace(node, {*value, emit.effort(), emit.notes()});
  }

  void contract(const Node& node, const Root& root) {
    const std::size_t count = root.operands.size();
    if (count > kMostOperands) return;
    Effort written = root.written;
    for (const RootOperand& operand : root.operands) written.bytes += moved_bytes(operand.value);
    std::optional<Solution> best;
    // Bit i: operand i is taken as it stands, not as what it is a view of.
    for (unsigned taken = 0; taken < (1u << count); ++taken) {
      auto found = attempt(node, root, taken, best.has_value());
      if (found && (!best || found->effort < best->effort)) best = std::move(found);
    }
    if (!best || best->effort.macs > written.macs) return;
    const bool fewer = best->effort.bytes < written.bytes;
    // Tiles that are averaged move as little either way, but libraries pool faster than they reduce
    // over axes that are not the last.
    const bool pools = best->effort.bytes == written.bytes && ends_in_pool(best->value);
    if (root.always || fewer || pools) replace(node, *best);
  }

  bool ends_in_pool(Value value) const {
    while (builder_.node(value.node).as<Reshape>() != nullptr) {
      value = builder_.node(value.node).inputs[0];
    }
    return builder_.node(value.node).as<Pool>() != nullptr;
  }

  std::optional<Solution> attempt(const Node& node, const Root& root, unsigned taken,
                                  bool have_one) {
    Emitter emit(builder_, node.name, node.block);
    std::vector<Term> terms;
    for (std::size_t i = 0; i < root.operands.size(); ++i) {
      const RootOperand& operand = root.operands[i];
      const bool as_is = (taken >> i & 1) != 0;
      const View& view = views_.of(operand.value);
      if (as_is && view.base == operand.value) return std::nullopt;  // would be the same again
      if (as_is && have_one && emit.is_constant(operand.value)) return std::nullopt;
      if (as_is) emit.pay(moved_bytes(operand.value));
      terms.push_back({as_is ? views_.opaque(operand.value) : view, operand.letters});
    }
    auto nest = make_nest(terms, root.extents, root.output);
    if (!nest) return std::nullopt;
    nest->output_dims = builder_.type({node.id, 0}).dims;  // a reduction may keep its axes
    auto solution = solve(std::move(emit), std::move(*nest), root.fn);
    if (solution && root.scale != 1) {
      solution->value = Emitter(builder_, node.name, node.block).scale(solution->value, root.scale);
    }
    return solution;
  }

  // What is copied between the value and the base of its view.
  std::int64_t moved_bytes(Value value) {
    const Value base = views_.of(value).base;
    std::int64_t bytes = 0;
    if (Emitter(builder_, {}, kNoBlock).is_constant(value)) return bytes;
    std::set<Value> seen = {value};
    std::vector<Value> open = {value};
    while (!open.empty()) {
      const Value next = open.back();
      open.pop_back();
      if (next == base) continue;
      const Node& node = builder_.node(next.node);
      if (node.as<Reshape>() == nullptr) bytes += builder_.type(next).bytes();
      for (const Value input : node.inputs) {
        if (builder_.weight_of(input) == nullptr && seen.insert(input).second)
          open.push_back(input);
      }
    }
    return bytes;
  }

  const Model& model_;
  Builder builder_;
  Views views_;
  std::vector<std::string> found_;
  Moved moved_;
};

}  // namespace

}  // namespace recognition

namespace {

Recognized recognized(const Model& model, const std::function<bool(NodeId)>& asked) {
  Recognized out = recognition::Recognizer(model).run(asked);
  Recognized tidy = recognition::tidied(out.model, asked);
  out.model = std::move(tidy.model);
  out.found.insert(out.found.end(), tidy.found.begin(), tidy.found.end());
  follow(model, out.moved, tidy.moved);
  // What a later solution did without is computed by nobody now.
  std::erase_if(out.moved,
                [&out](const auto& moved) { return !out.model.contains(moved.second.node); });
  return out;
}

}  // namespace

Recognized recognize(const Model& model) {
  if (model.outputs().empty()) return {model, {}, {}};  // nobody reads anything
  return recognized(model, [](NodeId) { return true; });
}

Recognized recognize_composites(const Model& model) {
  const Model flat = expanded(model);
  return recognized(flat, [&](NodeId id) { return !model.contains(id); });
}

}  // namespace cambium::model
