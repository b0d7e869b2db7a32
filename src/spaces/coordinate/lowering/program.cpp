#include "spaces/coordinate/lowering/program.h"

#include <optional>
#include <string>

#include "model/tensor.h"
#include "program/build.h"
#include "spaces/coordinate/structure.h"

namespace cambium::spaces::coordinate {

namespace {

using program::Ix;
using program::Mem;
using program::Val;
using Dims = std::vector<std::int64_t>;

// The loops of one stage, and coordinates as expressions of them.
class Point {
 public:
  Point(const Operator& op, const Extents& extents, const Stage& stage, program::Point point)
      : op_(op), extents_(extents), known_(op.coordinates.size()) {
    std::size_t loop = 0;
    for (const CoordinateIndex c : stage.output) known_[place_of(c)] = point[loop++];
    for (const CoordinateIndex c : stage.reductions) known_[place_of(c)] = point[loop++];
  }

  Ix of(CoordinateIndex c) {
    if (!known_[place_of(c)]) known_[place_of(c)] = made(c);
    return *known_[place_of(c)];
  }
  std::vector<Ix> of(const std::vector<CoordinateIndex>& axes) {
    std::vector<Ix> out;
    for (const CoordinateIndex c : axes) out.push_back(of(c));
    return out;
  }
  // Terms that violate the condition count as zero.
  void require(Ix condition) { inside_ = inside_ ? *inside_ && condition : condition; }
  const std::optional<Ix>& inside() const { return inside_; }

 private:
  Ix made(CoordinateIndex c) {
    const Coordinate& it = op_.coordinates[place_of(c)];
    const Ix first = of(it.first);
    switch (it.kind) {
      case CoordinateKind::Split: return first * extents_.of(it.second) + of(it.second);
      case CoordinateKind::MergeHigh: return first / extents_.parameter(c);
      case CoordinateKind::MergeLow: return first % extents_.parameter(c);
      case CoordinateKind::Shift: return (first + 1) % extents_.of(c);
      case CoordinateKind::Stride: return first * extents_.parameter(c);
      case CoordinateKind::Unfold: {
        const Ix place = first + of(it.second) - extents_.parameter(c);
        require(within(place, 0, extents_.of(c)));
        return place;
      }
      case CoordinateKind::Output:
      case CoordinateKind::Reduce: break;
    }
    CAMBIUM_CHECK(false, "an output or a reduction that is no loop of its stage");
  }

  const Operator& op_;
  const Extents& extents_;
  std::vector<std::optional<Ix>> known_;
  std::optional<Ix> inside_;
};

class Lowering {
 public:
  Lowering(program::Context& cx, std::string_view name, const Operator& op, const Extents& extents)
      : op_(op), extents_(extents), averaged_(averaged_reductions(op)), builder_(cx, name) {}

  Result<program::Program> run(std::span<const Stage> stages) {
    CAMBIUM_REQUIRE(fits(extents_.input));
    Mem before = builder_.input("x", extents_.input);
    for (std::size_t w = 0; w < op_.weights.size(); ++w) {
      const Dims dims = domains(op_.weights[w]);
      CAMBIUM_REQUIRE(fits(dims));
      weights_.push_back(builder_.constant("w" + std::to_string(w + 1), dims));
    }
    CAMBIUM_REQUIRE(fits(extents_.output));
    const Mem y = builder_.output("y", extents_.output);
    for (std::size_t s = 0; s < stages.size(); ++s) {
      const bool is_last = s + 1 == stages.size();
      // Crops the result: the rest is never computed.
      const Dims dims = is_last ? extents_.output : domains(stages[s].output);
      CAMBIUM_REQUIRE(fits(dims));
      const Mem result = is_last ? y : builder_.local("z" + std::to_string(s + 1), dims);
      compute("stage" + std::to_string(s + 1), stages[s], dims, before, s == 0, result);
      before = result;
    }
    return builder_.finish();
  }

 private:
  static Status fits(const Dims& dims) { return model::check_type({DType::F32, dims}); }

  Dims domains(const std::vector<CoordinateIndex>& axes) const {
    Dims out;
    for (const CoordinateIndex c : axes) out.push_back(extents_.of(c));
    return out;
  }

  void compute(const std::string& name, const Stage& stage, const Dims& dims, Mem before,
               bool is_first, Mem result) {
    std::vector<program::Range> ranges;
    double scale = 1;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      ranges.push_back(program::spatial(loop_name(stage.output[axis]), dims[axis]));
    }
    for (const CoordinateIndex c : stage.reductions) {
      ranges.push_back(program::reduce(loop_name(c), extents_.of(c)));
      if ((averaged_ >> c & 1) != 0) {
        scale /= static_cast<double>(extents_.of(c));
      }
    }
    builder_.block(name, ranges, [&](program::Point loops) {
      Point point(op_, extents_, stage, loops);
      const std::vector<Ix> from = point.of(stage.input);
      for (std::size_t axis = 0; is_first && axis < from.size(); ++axis) {
        const std::int64_t extent = extents_.input[axis];
        if (extent < extents_.of(stage.input[axis])) point.require(from[axis] < extent);
      }
      Val value = before.load(from);
      for (const std::size_t w : stage.weights) {
        value = value * weights_[w].load(point.of(op_.weights[w]));
      }
      if (scale != 1) value = value * scale;
      if (point.inside()) value = select(*point.inside(), value, builder_.number(0));
      std::vector<Ix> to(loops.begin(), loops.begin() + std::ssize(dims));
      return stage.reductions.empty() ? assign(result, std::move(to), value)
                                      : sum(result, std::move(to), value);
    });
  }

  std::string loop_name(CoordinateIndex c) const {
    const CoordinateKind own = op_.coordinates[place_of(c)].kind;
    const char* kind = own == CoordinateKind::Output   ? "o"
                       : own == CoordinateKind::Reduce ? "r"
                                                       : "c";
    return kind + std::to_string(c);
  }

  const Operator& op_;
  const Extents& extents_;
  const std::uint64_t averaged_;
  program::Builder builder_;
  std::vector<Mem> weights_;
};

}  // namespace

Result<program::Program> program_of(program::Context& cx, std::string_view name, const Operator& op,
                                    std::span<const Stage> stages, const Extents& extents) {
  return Lowering(cx, name, op, extents).run(stages);
}

Result<program::Program> program_of(program::Context& cx, std::string_view name, const Operator& op,
                                    const expr::Binding& binding) {
  CAMBIUM_TRY(const Extents extents, extents_of(op, binding));
  CAMBIUM_TRY(const std::vector<Stage> stages, stages_of(op, {&binding, 1}));
  return program_of(cx, name, op, stages, extents);
}

}  // namespace cambium::spaces::coordinate
