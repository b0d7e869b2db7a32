// Reduce and ArgReduce. Whole numbers are summed in 64 bits where more than the last bits of the
// sum matter, and in double where the reference does so.
#include <limits>

#include "lower/emit.h"
#include "lower/folding.h"

namespace cambium::lower {
namespace {

using model::ReduceFn;
using P1 = program::UnaryFn;
using P2 = program::BinaryFn;

bool has_sign(DType dtype) {
  return dtype == DType::I8 || dtype == DType::I16 || dtype == DType::I32 || dtype == DType::I64;
}

// The highest number of 64 bits is no double, so that a minimum of such cannot begin with it: it is
// found as the maximum of the numbers counted from the other end.
bool is_mirrored(DType dtype, bool maximum) {
  return !maximum && (dtype == DType::I64 || dtype == DType::U64);
}
Val mirrored(const Site& site, Val x) {
  return site.whole(-1, x.s->type) - x;  // of u64 this is the highest number
}

class Reducing {
 public:
  Reducing(const model::Reduce& op, Site& site)
      : op_(op), site_(site), x_(site.in[0]), out_(site.out[0]), fold_(site, x_, op.axes) {}

  void emit() {
    const DType own = x_.value_dtype();
    const bool whole = !is_floating(own);
    switch (op_.fn) {
      case ReduceFn::Sum: return fold_direct(Combine::Sum, [](Val x, At) { return x; });
      case ReduceFn::Prod: return fold_direct(Combine::Product, [](Val x, At) { return x; });
      case ReduceFn::SumSquare: return fold_direct(Combine::Sum, [](Val x, At) { return x * x; });
      case ReduceFn::L1:
        return fold_direct(Combine::Sum, [](Val x, At) { return apply(P1::Abs, x); });
      case ReduceFn::Mean: {
        const DType wide = !whole ? own : has_sign(own) ? DType::I64 : DType::U64;
        const Place sum = folded("sum", wide, [](Val x) { return x; });
        return finish(
            sum, [&](Val s) { return s / number_like(s, static_cast<double>(fold_.count())); });
      }
      case ReduceFn::L2:
        return finish(folded("squares", whole ? DType::F64 : own, [](Val x) { return x * x; }),
                      [](Val s) { return apply(P1::Sqrt, s); });
      case ReduceFn::LogSum:
        return finish(folded("sum", whole ? DType::F64 : own, [](Val x) { return x; }),
                      [](Val s) { return apply(P1::Log, s); });
      case ReduceFn::LogSumExp: return emit_log_sum_exp(whole ? DType::F64 : own);
      case ReduceFn::Max: return emit_extreme(true);
      case ReduceFn::Min: return emit_extreme(false);
    }
  }

 private:
  // Into the result itself, where it does not round.
  void fold_direct(Combine combine, const Folding::Element& element) {
    if (out_.dtype() == out_.value_dtype()) return fold_.fold(out_, combine, element);
    const Place acc = fold_.stage("acc", out_.value_dtype());
    fold_.fold(acc, combine, element);
    finish(acc, [](Val v) { return v; });
  }

  Place folded(std::string_view suffix, DType dtype, const std::function<Val(Val)>& element) {
    Place stage = fold_.stage(suffix, dtype);
    fold_.fold(stage, Combine::Sum, [&](Val x, At) { return element(cast(dtype, x)); });
    return stage;
  }

  void finish(const Place& stage, const std::function<Val(Val)>& last) {
    site_.compute(out_, [&](At at) {
      return cast(out_.value_dtype(), last(stage.at(fold_.kept(out_, at))));
    });
  }

  void emit_log_sum_exp(DType dtype) {
    const Place highest = fold_.stage("max", dtype);
    fold_.fold(highest, Combine::Maximum, [&](Val x, At) { return cast(dtype, x); });
    const Place sum = fold_.stage("sum", dtype);
    fold_.fold(sum, Combine::Sum, [&](Val x, At at) {
      return apply(P1::Exp, cast(dtype, x) - highest.at(fold_.kept(at)));
    });
    site_.compute(out_, [&](At at) {
      const Val top = highest.at(fold_.kept(out_, at));
      const Val infinite = apply(P2::Equal, apply(P1::Abs, top),
                                 number_like(top, std::numeric_limits<double>::infinity()));
      const Val log = apply(P1::Log, sum.at(fold_.kept(out_, at)));
      return cast(out_.value_dtype(), select(infinite, top, top + log));
    });
  }

  void emit_extreme(bool maximum) {
    const DType own = x_.value_dtype();
    const Combine combine = maximum ? Combine::Maximum : Combine::Minimum;
    if (own == DType::Bool) {
      const Place any = fold_.stage("acc", DType::U8);
      fold_.fold(any, combine, [](Val x, At) { return cast(DType::U8, x); });
      return finish(any, [](Val v) { return v; });
    }
    if (is_mirrored(own, maximum)) {
      const Place acc = fold_.stage("acc", own);
      fold_.fold(acc, Combine::Maximum, [&](Val x, At) { return mirrored(site_, x); });
      return finish(acc, [&](Val v) { return mirrored(site_, v); });
    }
    if (!is_floating(own)) return fold_.fold(out_, combine, [](Val x, At) { return x; });
    // A NaN anywhere is the result, whatever comes after it.
    const Place extreme = fold_.stage("acc", own);
    fold_.fold(extreme, combine, [](Val x, At) { return x; });
    const Place bad = fold_.stage("nan", DType::U8);
    fold_.fold(bad, Combine::Maximum,
               [](Val x, At) { return cast(DType::U8, apply(P1::IsNan, x)); });
    site_.compute(out_, [&](At at) {
      const std::vector<Ix> from = fold_.kept(out_, at);
      const Val v = extreme.at(from);
      return select(cast(DType::Bool, bad.at(from)),
                    number_like(v, std::numeric_limits<double>::quiet_NaN()), v);
    });
  }

  const model::Reduce& op_;
  Site& site_;
  const Place& x_;
  const Place& out_;
  Folding fold_;
};

}  // namespace

Status emit(const model::Reduce& op, Site& site) {
  if (op.axes.empty()) {
    site.compute(site.out[0], [&](At at) { return site.in[0].at(at); });
  } else {
    Reducing(op, site).emit();
  }
  return Ok{};
}

// First the extremum, then the first or last place where it stands. The reference begins with the
// first element and goes on to better ones: a NaN is never better, and nothing is better than it.
Status emit(const model::ArgReduce& op, Site& site) {
  const Place& x = site.in[0];
  const DType dtype = x.value_dtype();
  const Dims axes{op.axis};
  const auto axis = static_cast<std::size_t>(op.axis);
  const Folding fold(site, x, axes);
  const bool mirror = is_mirrored(dtype, op.maximum);
  const Combine combine = op.maximum || mirror ? Combine::Maximum : Combine::Minimum;
  const double worst = (op.maximum ? -1.0 : 1.0) * std::numeric_limits<double>::infinity();
  const auto key = [&](Val v) { return mirror ? mirrored(site, v) : v; };
  const Place best = fold.stage("best", dtype);
  fold.fold(best, combine, [&](Val v, At) {
    return is_floating(dtype) ? select(apply(P1::IsNan, v), number_like(v, worst), v) : key(v);
  });
  fold.fold(site.out[0], op.last ? Combine::Maximum : Combine::Minimum, [&](Val v, At at) {
    const Val none = site.whole(op.last ? 0 : x.dims[axis] - 1, DType::I64);
    const Val here = value(at[axis]);
    const Val found = select(apply(P2::Equal, key(v), best.at(fold.kept(at))), here, none);
    if (!is_floating(dtype)) return found;
    std::vector<Ix> first(at.begin(), at.end());
    first[axis] = site.index(0);
    return select(apply(P1::IsNan, x.at(first)), site.whole(0, DType::I64), found);
  });
  return Ok{};
}

}  // namespace cambium::lower
