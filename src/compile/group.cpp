#include "compile/group.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lower/lower.h"
#include "schedule/recipe/canonical.h"
#include "schedule/recipe/replay.h"

namespace cambium::compile {
namespace {

using model::Model;
using model::Value;

// Parameters without outputs take the arguments in order, outputs the results.
std::vector<Value> operands_of(const lower::Lowered& lowered) {
  std::vector<Value> operands;
  std::size_t arguments = 0, results = 0;
  for (const program::Buffer* parameter : lowered.program.parameters) {
    operands.push_back(parameter->role == program::Role::Output ? lowered.results[results++]
                                                                : lowered.arguments[arguments++]);
  }
  return operands;
}

Result<schedule::NeuralHalf> replayed(program::Context& cx, const program::Program& program,
                                      const lower::OriginalNest& nest) {
  // Sizes are named by the loops of the normal form.
  schedule::Schedule normal(cx, program);
  CAMBIUM_TRY([[maybe_unused]] const schedule::Names loops,
              normal.apply(schedule::Normalize{nest.block}));
  CAMBIUM_TRY(const schedule::NestSizes sizes, schedule::sizes_of(normal.program(), nest.block));
  CAMBIUM_TRY(const schedule::Trace document, schedule::parse_document(nest.recipe, sizes.named));
  return schedule::replay_document(cx, program, nest.block, document);
}

Rejection differs(std::string what) {
  return Rejection(Reason::NotLowered, "a rewritten nest", std::move(what));
}

class Matching {
 public:
  Matching(const Model& model, const lower::Layouts& layouts, const lower::Lowered& lowered)
      : model_(model), layouts_(layouts), weights_(lowered.nest->weights) {
    const std::vector<Value> operands = operands_of(lowered);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const std::string_view name = lowered.program.parameters[i]->name;
      if (name != lowered.nest->filter) known_[name] = operands[i];
    }
  }

  // The constants that the recipe made are the weights of the node, in their order; the others keep
  // their names.
  Result<std::vector<Value>> run(const program::Program& rewritten) {
    std::vector<Value> operands;
    std::size_t next = 0;
    for (const program::Buffer* parameter : rewritten.parameters) {
      const auto found = known_.find(parameter->name);
      if (found != known_.end()) {
        operands.push_back(found->second);
      } else if (next < weights_.size()) {
        operands.push_back(weights_[next++]);
      } else {
        return differs(fmt::format("the recipe makes more than {} weights", weights_.size()));
      }
      CAMBIUM_REQUIRE(same_shape(*parameter, operands.back()));
    }
    if (next == weights_.size()) return operands;
    return differs(
        fmt::format("the recipe makes {} weights, the node reads {}", next, weights_.size()));
  }

 private:
  Status same_shape(const program::Buffer& parameter, Value value) const {
    const std::vector<std::int64_t> dims =
        model_.weight(value) != nullptr ? model_.type(value).dims : layouts_.dims_of(model_, value);
    if (std::equal(dims.begin(), dims.end(), parameter.dims.begin(), parameter.dims.end())) {
      return Ok{};
    }
    return differs(fmt::format("'{}' is [{}] after the recipe, and [{}] in the model",
                               parameter.name, fmt::join(parameter.dims, ", "),
                               fmt::join(dims, ", ")));
  }

  const Model& model_;
  const lower::Layouts& layouts_;
  const std::vector<Value>& weights_;
  std::map<std::string_view, Value> known_;  // by parameters that the recipe leaves
};

}  // namespace

schedule::Trace joined(const Rewriting& rewriting, const schedule::Trace& loop_half) {
  schedule::Trace whole = rewriting.trace;
  whole.push_back({schedule::CanonicalNames{}, {}});
  whole.insert(whole.end(), loop_half.begin(), loop_half.end());
  return whole;
}

Result<GroupProgram> lower_group(program::Context& cx, const Model& model,
                                 std::span<const model::NodeId> nodes,
                                 const lower::Layouts& layouts) {
  CAMBIUM_TRY(const lower::Lowered lowered, lower::lower(cx, model, nodes, layouts));
  if (!lowered.nest) return GroupProgram{lowered.program, operands_of(lowered), {}};
  CAMBIUM_TRY(schedule::NeuralHalf half,
              replayed(cx, lowered.program, *lowered.nest).at("the recipe of a rewritten nest"));
  GroupProgram made;
  made.program = half.schedule.program();
  CAMBIUM_TRY(made.operands, Matching(model, layouts, lowered).run(made.program));
  made.rewriting = Rewriting{lowered.program, std::move(half.schedule).trace()};
  return made;
}

}  // namespace cambium::compile
