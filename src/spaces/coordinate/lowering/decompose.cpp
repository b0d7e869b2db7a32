#include "spaces/coordinate/lowering/decompose.h"

#include <algorithm>
#include <string>

#include "spaces/coordinate/lowering/views.h"
#include "spaces/coordinate/structure.h"

namespace cambium::spaces::coordinate {

namespace {

using model::Value;

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

// The most elements of a tensor of a decomposition: this many times what its operator reads, writes
// and multiplies, or this number if that is more.
constexpr double kMostGrowth = 4, kFewElements = 1 << 16;

class Decomposition {
 public:
  Decomposition(const Operator& op, const Extents& extents)
      : op_(op),
        extents_(extents),
        averaged_(averaged_reductions(op)),
        uses_(uses_of(op)),
        builder_("coordinate") {}

  Result<model::Model> run(std::span<const Stage> stages) {
    const Value x = builder_.input("x", {DType::F32, extents_.input});
    for (std::size_t w = 0; w < op_.weights.size(); ++w) {
      model::Ints dims;
      for (const CoordinateIndex c : op_.weights[w]) dims.push_back(extents_.of(c));
      weights_.push_back(
          builder_.input("w" + std::to_string(w + 1), {DType::F32, std::move(dims)}));
    }
    Views padded(builder_, op_, extents_, x, op_.data);
    std::vector<std::int64_t> inside;
    for (const CoordinateIndex c : op_.data) inside.push_back(extents_.of(c));
    padded.resize(inside);

    Value value = padded.value();
    for (const Stage& stage : stages) {
      CAMBIUM_TRY(value, compute(stage, value));
    }
    Views result(builder_, op_, extents_, value, stages.back().output);
    result.resize(extents_.output);
    builder_.output("y", result.value());
    CAMBIUM_TRY(model::Model body, std::move(builder_).finish());
    CAMBIUM_REQUIRE(require_modest(body, stages));
    return body;
  }

 private:
  // A stage reads and multiplies no more elements than it has points, so a far larger tensor would
  // be wasted.
  Status require_modest(const model::Model& body, std::span<const Stage> stages) const {
    double needed = 0;
    for (const auto* axes : {&op_.data, &stages.back().output}) needed += elements(*axes);
    for (const std::vector<CoordinateIndex>& weight : op_.weights) needed += elements(weight);
    for (const Stage& stage : stages) {
      needed += elements(stage.output) * elements(stage.reductions);
    }
    const double most = std::max(kMostGrowth * needed, kFewElements);
    for (const model::NodePtr& node : body.nodes()) {
      for (const model::TensorType& type : node->outputs) {
        double made = 1;
        for (const std::int64_t extent : type.dims) made *= static_cast<double>(extent);
        if (made <= most) continue;
        return Rejection(Reason::SizeOutOfRange,
                         "the number of elements of " + type.text() + " in the stages", "",
                         whole(made), 0, whole(most));
      }
    }
    return Ok{};
  }

  double elements(const std::vector<CoordinateIndex>& axes) const {
    double out = 1;
    for (const CoordinateIndex c : axes) out *= static_cast<double>(extents_.of(c));
    return out;
  }
  static std::int64_t whole(double count) {
    return static_cast<std::int64_t>(std::min(count, 9e18));
  }

  // Outputs and reductions, cut where a MERGE above them is lowered in this stage.
  struct StageLoops : Loops {
    std::vector<CoordinateIndex> output, averaged, summed;
  };

  StageLoops loops_of(const Stage& stage) const {
    StageLoops out;
    out.is_loop.assign(op_.coordinates.size(), false);
    out.halves.assign(op_.coordinates.size(), {kNoCoordinate, kNoCoordinate});
    for (const CoordinateIndex c : stage.output) cut(stage, c, out, out.output);
    for (const CoordinateIndex c : stage.reductions) {
      cut(stage, c, out, (averaged_ >> c & 1) != 0 ? out.averaged : out.summed);
    }
    return out;
  }

  void cut(const Stage& stage, CoordinateIndex c, StageLoops& loops,
           std::vector<CoordinateIndex>& out) const {
    const bool was_there =
        std::find(stage.input.begin(), stage.input.end(), c) != stage.input.end();
    const CoordinateIndex above = was_there ? kNoCoordinate : uses_[place_of(c)].consumer;
    if (above == kNoCoordinate ||
        op_.coordinates[place_of(above)].kind != CoordinateKind::MergeHigh) {
      loops.is_loop[place_of(c)] = true;
      out.push_back(c);
      return;
    }
    const auto low = std::find_if(
        op_.coordinates.begin(), op_.coordinates.end(),
        [&](const Coordinate& it) { return it.kind == CoordinateKind::MergeLow && it.first == c; });
    loops.halves[place_of(c)] = {above,
                                 static_cast<CoordinateIndex>(low - op_.coordinates.begin())};
    for (const CoordinateIndex half : loops.halves[place_of(c)]) cut(stage, half, loops, out);
  }

  Result<Value> compute(const Stage& stage, Value before) {
    const StageLoops loops = loops_of(stage);
    Views data(builder_, op_, extents_, before, stage.input);
    data.lower_to(loops);
    data.reduce(model::ReduceFn::Mean, loops.averaged);
    std::vector<Views> operands;
    for (const std::size_t w : stage.weights) {
      operands.emplace_back(builder_, op_, extents_, weights_[w], op_.weights[w]);
      operands.back().lower_to(loops);
    }
    // A sum over a loop on which nothing depends multiplies by its extent.
    for (const CoordinateIndex c : loops.summed) {
      const bool is_read = std::any_of(operands.begin(), operands.end(),
                                       [&](const Views& operand) { return operand.has(c); });
      if (!is_read && !data.has(c)) data.repeat(c);
    }
    if (operands.empty()) {
      data.reduce(model::ReduceFn::Sum, loops.summed);
      return finished(data, loops.output, stage.output);
    }
    operands.insert(operands.begin(), data);
    CAMBIUM_TRY(Views product, contract(operands, loops.output));
    return finished(product, loops.output, stage.output);
  }

  // It remains to repeat, to order the loops and to join halves.
  Value finished(Views& result, const std::vector<CoordinateIndex>& loops,
                 const std::vector<CoordinateIndex>& axes) {
    for (const CoordinateIndex c : loops) {
      if (!result.has(c)) result.repeat(c);
    }
    result.transpose_to(loops);
    result.reshape_to(axes);
    return result.value();
  }

  // The product, summed over all loops but these. The result has those loops that an operand has.
  Result<Views> contract(std::span<const Views> operands,
                         const std::vector<CoordinateIndex>& output) {
    std::vector<CoordinateIndex> named, kept;
    const auto letters = [&](const std::vector<CoordinateIndex>& axes) {
      std::string out;
      for (const CoordinateIndex c : axes) {
        const auto place = std::find(named.begin(), named.end(), c) - named.begin();
        if (place == std::ssize(named)) named.push_back(c);
        out += kLetters[static_cast<std::size_t>(place) % kLetters.size()];
      }
      return out;
    };
    std::string equation;
    std::vector<Value> values;
    for (const Views& operand : operands) {
      equation += (values.empty() ? "" : ",") + letters(operand.axes());
      values.push_back(operand.value());
    }
    if (named.size() > kLetters.size()) {
      return Rejection(Reason::SizeOutOfRange, "the number of axes of a stage", "",
                       std::ssize(named), 1, std::ssize(kLetters));
    }
    for (const CoordinateIndex c : output) {
      if (std::find(named.begin(), named.end(), c) != named.end()) kept.push_back(c);
    }
    const Value product = builder_.add(model::Einsum{equation + "->" + letters(kept)}, values);
    return Views(builder_, op_, extents_, product, kept);
  }

  const Operator& op_;
  const Extents& extents_;
  const std::uint64_t averaged_;
  const std::vector<Use> uses_;
  model::Builder builder_;
  std::vector<Value> weights_;
};

}  // namespace

Result<model::Model> decompose(const Operator& op, std::span<const Stage> stages,
                               const Extents& extents) {
  return Decomposition(op, extents).run(stages);
}

Result<model::Model> decompose(const Operator& op, const expr::Binding& binding) {
  CAMBIUM_TRY(const Extents extents, extents_of(op, binding));
  CAMBIUM_TRY(const std::vector<Stage> stages, stages_of(op, {&binding, 1}));
  return decompose(op, stages, extents);
}

}  // namespace cambium::spaces::coordinate
