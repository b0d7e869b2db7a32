// Normalizations and softmaxes, in stages. Variances are taken in two passes, as in the reference:
// numbers far from zero survive. Statistics are of the type in which elements are computed.
#include <numeric>

#include "lower/emit.h"
#include "lower/folding.h"

namespace cambium::lower {
namespace {

using P1 = program::UnaryFn;

Val inverse_root(Val variance, double epsilon) {
  return number_like(variance, 1) / apply(P1::Sqrt, variance + epsilon);
}

Val off(Val x, Val mean) {
  return x - mean;
}

Val divided(Val sum, std::int64_t count) {
  return sum / number_like(sum, static_cast<double>(count));
}

Dims axes_from(std::int64_t first, std::size_t rank) {
  Dims axes(rank - static_cast<std::size_t>(first));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

// Group normalization sees x[N, C, ...] as x[N, G, C/G, ...].
class Groups {
 public:
  Groups(Site& site, std::int64_t groups)
      : site_(site), x_(site.in[0]), groups_(groups), members_(x_.dim(1) / groups) {}

  Place stage(std::string_view suffix) const {
    return site_.local(suffix, {x_.dim(0), groups_}, x_.value_dtype());
  }

  // The index in a stage of the element of x at `at`.
  std::vector<Ix> of(At at) const { return {at[0], at[1] / members_}; }

  std::int64_t count() const {
    return std::accumulate(x_.dims.begin() + 2, x_.dims.end(), members_, std::multiplies<>());
  }

  void sum(const Place& target, const std::function<Val(Val x, At group)>& term) const {
    const Iterators iterators{{program::spatial("n", x_.dim(0))}, {program::spatial("g", groups_)}};
    std::vector<Range> ranges;
    std::vector<std::size_t> place(x_.dims.size());
    for (const std::size_t dim : x_.memory_order()) {
      if (dim == 0) continue;
      place[dim] = ranges.size();
      ranges.push_back(program::reduce(iterator_name(dim), dim == 1 ? members_ : x_.dim(dim)));
    }
    site_.reduce(target, Combine::Sum, iterators, ranges, [&](At group, At sums) {
      std::vector<Ix> at{group[0], group[1] * members_ + sums[place[1]]};
      for (std::size_t dim = 2; dim < place.size(); ++dim) at.push_back(sums[place[dim]]);
      return term(x_.at(at), group);
    });
  }

 private:
  Site& site_;
  const Place& x_;
  std::int64_t groups_, members_;
};

}  // namespace

Status emit(const model::BatchNorm& op, Site& site) {
  const Place& x = site.in[0];
  const Place scale = site.local("scale", {site.in[1].dim(0)}, x.value_dtype());
  site.compute(scale,
               [&](At c) { return site.in[1].at(c) * inverse_root(site.in[4].at(c), op.epsilon); });
  site.compute(site.out[0], [&](At at) {
    const At c = at.subspan(1, 1);
    return off(x.at(at), site.in[3].at(c)) * scale.at(c) + site.in[2].at(c);
  });
  return Ok{};
}

Status emit(const model::LayerNorm& op, Site& site) {
  const Place& x = site.in[0];
  const Folding fold(site, x, axes_from(op.axis, x.dims.size()));
  const DType dtype = x.value_dtype();
  const Place sum = fold.stage("sum", dtype), mean = fold.stage("mean", dtype);
  const Place squares = fold.stage("squares", dtype), scale = fold.stage("scale", dtype);
  fold.fold(sum, Combine::Sum, [](Val element, At) { return element; });
  site.compute(mean, [&](At at) { return divided(sum.at(at), fold.count()); });
  fold.fold(squares, Combine::Sum, [&](Val element, At at) {
    const Val distance = off(element, mean.at(fold.kept(at)));
    return distance * distance;
  });
  site.compute(scale, [&](At at) {
    return inverse_root(divided(squares.at(at), fold.count()), op.epsilon);
  });
  const Dims normalized(x.dims.begin() + op.axis, x.dims.end());
  site.compute(site.out[0], [&](At at) {
    const At inner = at.subspan(static_cast<std::size_t>(op.axis));
    const Val unit = off(x.at(at), mean.at(fold.kept(at))) * scale.at(fold.kept(at));
    const Val scaled = unit * site.in[1].at(stretched(site, site.in[1], normalized, inner));
    if (site.in.size() < 3) return scaled;
    return scaled + site.in[2].at(stretched(site, site.in[2], normalized, inner));
  });
  return Ok{};
}

Status emit(const model::GroupNorm& op, Site& site) {
  const Place& x = site.in[0];
  const Groups groups(site, op.groups);
  const Place sum = groups.stage("sum"), mean = groups.stage("mean");
  const Place squares = groups.stage("squares"), scale = groups.stage("scale");
  groups.sum(sum, [](Val element, At) { return element; });
  site.compute(mean, [&](At at) { return divided(sum.at(at), groups.count()); });
  groups.sum(squares, [&](Val element, At group) {
    const Val distance = off(element, mean.at(group));
    return distance * distance;
  });
  site.compute(scale, [&](At at) {
    return inverse_root(divided(squares.at(at), groups.count()), op.epsilon);
  });
  site.compute(site.out[0], [&](At at) {
    const At c = at.subspan(1, 1);
    const Val unit = off(x.at(at), mean.at(groups.of(at))) * scale.at(groups.of(at));
    return unit * site.in[1].at(c) + site.in[2].at(c);
  });
  return Ok{};
}

Status emit(const model::Softmax& op, Site& site) {
  const Place& x = site.in[0];
  const Dims axes{op.axis};
  const Folding fold(site, x, axes);
  const Place highest = fold.stage("max", x.value_dtype());
  const Place exps = site.local("exp", x.dims, x.value_dtype(), x.order);
  fold.fold(highest, Combine::Maximum, [](Val element, At) { return element; });
  site.compute(exps,
               [&](At at) { return apply(P1::Exp, off(x.at(at), highest.at(fold.kept(at)))); });
  const Folding sums(site, exps, axes);
  const Place sum = sums.stage("sum", x.value_dtype()),
              scale = sums.stage("scale", x.value_dtype());
  sums.fold(sum, Combine::Sum, [](Val element, At) { return element; });
  // A division per element would take as long as its exponential.
  site.compute(scale, [&](At at) { return number_like(sum.at(at), 1) / sum.at(at); });
  site.compute(site.out[0], [&](At at) { return exps.at(at) * scale.at(sums.kept(at)); });
  return Ok{};
}

Status emit(const model::LogSoftmax& op, Site& site) {
  const Place& x = site.in[0];
  const Dims axes{op.axis};
  const Folding fold(site, x, axes);
  const DType dtype = x.value_dtype();
  const Place highest = fold.stage("max", dtype), sum = fold.stage("sum", dtype),
              log = fold.stage("log", dtype);
  fold.fold(highest, Combine::Maximum, [](Val element, At) { return element; });
  fold.fold(sum, Combine::Sum, [&](Val element, At at) {
    return apply(P1::Exp, off(element, highest.at(fold.kept(at))));
  });
  site.compute(log, [&](At at) { return apply(P1::Log, sum.at(at)); });
  site.compute(site.out[0], [&](At at) {
    return off(x.at(at), highest.at(fold.kept(at))) - log.at(fold.kept(at));
  });
  return Ok{};
}

}  // namespace cambium::lower
