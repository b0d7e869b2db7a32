#include "program/random_program.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include "base/random.h"
#include "program/build.h"

namespace cambium::program {
namespace {

std::int64_t product(const std::vector<std::int64_t>& dims) {
  return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t positive_mod(std::int64_t a, std::int64_t b) {
  return ((a % b) + b) % b;
}

RandomRead random_read(Rng& rng, const RandomFormula& formula, const RandomStage& stage) {
  RandomRead read;
  read.buffer = rng.below(formula.inputs.size() + formula.stages.size());
  read.is_padded = rng.chance(0.5);
  for (std::size_t d = 0; d < formula.dims_of(read.buffer).size(); ++d) {
    std::vector<std::int64_t> steps(stage.extents.size(), 0);
    for (std::size_t uses = rng.below(3); uses > 0; --uses) {
      steps[rng.below(steps.size())] = rng.between(-1, 2);
    }
    read.steps.push_back(steps);
    read.offsets.push_back(rng.between(-2, 2));
  }
  return read;
}

class Scheduler {
 public:
  Scheduler(Context& cx, Rng rng) : cx_(cx), rng_(rng) {}

  // Bindings for the iterators, and the loops (into `loops`) and tails (into `predicate`).
  std::vector<Expr> bind(const std::vector<Range>& ranges, std::size_t stage) {
    std::vector<Expr> bindings(ranges.size(), nullptr);
    std::size_t made = 0;
    const auto loop = [&](std::int64_t extent) {
      loops.push_back(cx_.axis("l" + std::to_string(stage) + "." + std::to_string(made++), extent));
      return Ix{&cx_, loops.back()};
    };
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (bindings[i] != nullptr) continue;
      const std::int64_t extent = ranges[i].extent;
      const std::uint64_t how = rng_.below(4);
      if (how == 0) {  // split, perhaps with a tail
        const std::int64_t factor = rng_.between(1, extent);
        const Ix outer = loop((extent + factor - 1) / factor);
        const Ix inner = loop(factor);
        const Ix binding = outer * factor + inner;
        bindings[i] = binding.e;
        if (extent % factor != 0) guard(binding < extent);
      } else if (how == 1 && i + 1 < ranges.size() && bindings[i + 1] == nullptr) {  // fuse
        const Ix fused = loop(extent * ranges[i + 1].extent);
        bindings[i] = (fused / ranges[i + 1].extent).e;
        bindings[i + 1] = (fused % ranges[i + 1].extent).e;
      } else {
        bindings[i] = loop(extent).e;
      }
    }
    rng_.shuffle(std::span(loops));
    return bindings;
  }

  LoopKind kind(bool innermost) {
    const LoopKind kinds[] = {LoopKind::Serial, LoopKind::Unrolled, LoopKind::Serial,
                              innermost ? LoopKind::Vectorized : LoopKind::Parallel};
    return kinds[rng_.below(4)];
  }

  std::vector<Expr> loops;
  Expr predicate = nullptr;

 private:
  void guard(Ix p) {
    predicate = predicate == nullptr ? p.e : expr::logical_and(cx_.indices(), predicate, p.e);
  }

  Context& cx_;
  Rng rng_;
};

class Maker {
 public:
  Maker(Context& cx, const RandomFormula& formula) : cx_(cx), formula_(formula) {
    const std::size_t buffers = formula.inputs.size() + formula.stages.size();
    for (std::size_t i = 0; i < buffers; ++i) {
      const Role role = i < formula.inputs.size() ? (i % 2 == 0 ? Role::Input : Role::Constant)
                        : i + 1 == buffers        ? Role::Output
                                                  : Role::Local;
      const std::string name = (role == Role::Output ? "out" : "b") + std::to_string(i);
      buffers_.push_back(cx.buffer(name, DType::F64, formula.dims_of(i), role));
      (role == Role::Local ? locals_ : parameters_).push_back(buffers_.back());
    }
  }

  std::vector<Range> ranges(const RandomStage& stage) const {
    std::vector<Range> all;
    for (std::size_t i = 0; i < stage.extents.size(); ++i) {
      const std::string name = (i < stage.spatial ? "i" : "k") + std::to_string(i);
      all.push_back(i < stage.spatial ? program::spatial(name, stage.extents[i])
                                      : program::reduce(name, stage.extents[i]));
    }
    return all;
  }

  const Body* body(std::size_t s) {
    const RandomStage& stage = formula_.stages[s];
    std::vector<Iterator> iterators;
    std::vector<Ix> point;
    for (const Range& range : ranges(stage)) {
      iterators.push_back({cx_.axis(range.name, range.extent), range.kind});
      point.push_back({&cx_, iterators.back().axis});
    }
    std::vector<Expr> at;
    for (const std::size_t i : stage.order) at.push_back(point[i].e);
    Val value = read(stage.reads[0], point);
    if (stage.reads.size() > 1) {
      const Val second = read(stage.reads[1], point);
      value = stage.multiplies ? value * second : value - second;
    }
    if (stage.reads.size() > 2) {
      value = apply(BinaryFn::Max, value, -read(stage.reads[2], point));
    }
    const bool reduces = stage.spatial < stage.extents.size();
    Body fields{};
    fields.iterators = iterators;
    fields.target = buffers_[formula_.inputs.size() + s];
    fields.indices = at;
    fields.value = value.s;
    if (reduces) {
      fields.combine = stage.takes_maximum ? Combine::Maximum : Combine::Sum;
      fields.init = cx_.constant(stage.takes_maximum ? -1e300 : 0, DType::F64);
    }
    return cx_.body(fields);
  }

  Program finish(const std::vector<Stmt>& statements) {
    return {cx_.name("random"), cx_.keep(parameters_), cx_.keep(locals_), cx_.seq(statements)};
  }

 private:
  Val read(const RandomRead& r, const std::vector<Ix>& point) {
    const Buffer* buffer = buffers_[r.buffer];
    std::vector<Ix> at;
    std::optional<Ix> inside;
    for (std::size_t d = 0; d < r.steps.size(); ++d) {
      Ix index{&cx_, cx_.number(r.offsets[d])};
      for (std::size_t i = 0; i < point.size(); ++i) {
        if (r.steps[d][i] != 0) index = point[i] * r.steps[d][i] + index;
      }
      if (r.is_padded) {
        const Ix here = within(index, 0, buffer->dims[d]);
        inside = inside ? *inside && here : here;
      } else {
        index = index % buffer->dims[d];
      }
      at.push_back(index);
    }
    const Val value = Mem{&cx_, buffer}.load(at);
    return inside ? select(*inside, value, number_like(value, 0)) : value;
  }

  Context& cx_;
  const RandomFormula& formula_;
  std::vector<const Buffer*> buffers_, parameters_, locals_;
};

double element(const RandomRead& r, const std::vector<std::int64_t>& dims,
               const std::vector<double>& values, const std::vector<std::int64_t>& point) {
  std::int64_t flat = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    std::int64_t at = r.offsets[d];
    for (std::size_t i = 0; i < point.size(); ++i) at += r.steps[d][i] * point[i];
    if (r.is_padded && (at < 0 || at >= dims[d])) return 0;
    flat = flat * dims[d] + positive_mod(at, dims[d]);
  }
  return values[static_cast<std::size_t>(flat)];
}

}  // namespace

std::vector<std::int64_t> RandomFormula::dims_of(std::size_t buffer) const {
  if (buffer < inputs.size()) return inputs[buffer];
  const RandomStage& stage = stages[buffer - inputs.size()];
  std::vector<std::int64_t> dims;
  for (const std::size_t i : stage.order) dims.push_back(stage.extents[i]);
  return dims;
}

RandomFormula random_formula(std::uint64_t seed) {
  Rng rng = Rng(seed).split("formula");
  RandomFormula formula;
  for (std::uint64_t i = rng.below(2) + 1; i > 0; --i) {
    std::vector<std::int64_t> dims;
    for (std::uint64_t d = rng.below(3) + 1; d > 0; --d) dims.push_back(rng.between(1, 5));
    formula.inputs.push_back(dims);
  }
  for (std::uint64_t s = rng.below(3) + 1; s > 0; --s) {
    RandomStage stage;
    stage.spatial = rng.below(3) + 1;
    const std::size_t all = stage.spatial + rng.below(3);
    for (std::size_t i = 0; i < all; ++i) stage.extents.push_back(rng.between(1, 5));
    stage.order.resize(stage.spatial);
    std::iota(stage.order.begin(), stage.order.end(), 0);
    rng.shuffle(std::span(stage.order));
    stage.multiplies = rng.chance(0.6);
    stage.takes_maximum = rng.chance(0.3);
    for (std::uint64_t r = rng.below(3) + 1; r > 0; --r) {
      stage.reads.push_back(random_read(rng, formula, stage));
    }
    formula.stages.push_back(stage);
  }
  return formula;
}

Program plain_program(Context& cx, const RandomFormula& formula) {
  Maker maker(cx, formula);
  std::vector<Stmt> statements;
  for (std::size_t s = 0; s < formula.stages.size(); ++s) {
    std::vector<Expr> loops;
    for (const Range& range : maker.ranges(formula.stages[s])) {
      loops.push_back(cx.axis("s" + std::to_string(s) + "." + range.name, range.extent));
    }
    Stmt nest = cx.block("stage" + std::to_string(s), maker.body(s), loops);
    for (auto axis = loops.rbegin(); axis != loops.rend(); ++axis) {
      nest = cx.loop(*axis, LoopKind::Serial, nest);
    }
    statements.push_back(nest);
  }
  return maker.finish(statements);
}

Program scheduled_program(Context& cx, const RandomFormula& formula, std::uint64_t seed) {
  Maker maker(cx, formula);
  const Rng root = Rng(seed).split("schedule");
  std::vector<Stmt> statements;
  for (std::size_t s = 0; s < formula.stages.size(); ++s) {
    Scheduler scheduler(cx, root.split(s));
    const std::vector<Expr> bindings = scheduler.bind(maker.ranges(formula.stages[s]), s);
    Stmt nest = cx.block("stage" + std::to_string(s), maker.body(s), bindings, scheduler.predicate);
    bool innermost = true;
    for (auto axis = scheduler.loops.rbegin(); axis != scheduler.loops.rend(); ++axis) {
      nest = cx.loop(*axis, scheduler.kind(innermost), nest);
      innermost = false;
    }
    statements.push_back(nest);
  }
  return maker.finish(statements);
}

std::vector<std::vector<double>> random_inputs(const RandomFormula& formula, std::uint64_t seed) {
  Rng rng = Rng(seed).split("inputs");
  std::vector<std::vector<double>> inputs;
  for (const auto& dims : formula.inputs) {
    std::vector<double> values(static_cast<std::size_t>(product(dims)));
    for (double& v : values) v = static_cast<double>(rng.between(-3, 3));
    inputs.push_back(values);
  }
  return inputs;
}

std::vector<double> evaluate(const RandomFormula& formula,
                             const std::vector<std::vector<double>>& inputs) {
  std::vector<std::vector<double>> buffers = inputs;
  for (const RandomStage& stage : formula.stages) {
    const std::vector<std::int64_t> dims = formula.dims_of(buffers.size());
    const bool reduces = stage.spatial < stage.extents.size();
    const double start = reduces && stage.takes_maximum ? -1e300 : 0;
    std::vector<double> result(static_cast<std::size_t>(product(dims)), start);
    std::vector<std::int64_t> point(stage.extents.size());
    for (std::int64_t n = 0; n < product(stage.extents); ++n) {
      std::int64_t rest = n;
      for (std::size_t i = point.size(); i-- > 0; rest /= stage.extents[i]) {
        point[i] = rest % stage.extents[i];
      }
      const auto read = [&](std::size_t r) {
        const RandomRead& from = stage.reads[r];
        return element(from, formula.dims_of(from.buffer), buffers[from.buffer], point);
      };
      double value = read(0);
      if (stage.reads.size() > 1) value = stage.multiplies ? value * read(1) : value - read(1);
      if (stage.reads.size() > 2) value = std::max(value, -read(2));
      std::int64_t flat = 0;
      for (std::size_t d = 0; d < dims.size(); ++d) flat = flat * dims[d] + point[stage.order[d]];
      double& to = result[static_cast<std::size_t>(flat)];
      to = !reduces ? value : stage.takes_maximum ? std::max(to, value) : to + value;
    }
    buffers.push_back(result);
  }
  return buffers.back();
}

}  // namespace cambium::program
