// MatMul, Gemm and Einsum: one block with all the sums; transposes and broadcasts are in the
// indices. An Einsum of more than two operands joins them from the left, as the reference does.
#include <algorithm>

#include "lower/emit.h"
#include "model/convert.h"
#include "model/einsum.h"

namespace cambium::lower {
namespace {

// Moves what was accumulated elsewhere to where it belongs.
void store(Site& site, const Place& acc, const Place& out) {
  if (acc.mem.buffer == out.mem.buffer) return;
  site.compute(out, [&](At at) { return acc.at(at); });
}

// A factor as the reference uses it: of whole numbers only its whole part.
Val scaled(const Site& site, double factor, Val value) {
  if (is_floating(value.s->type)) return factor == 1 ? value : value * factor;
  const auto whole = model::convert<std::int64_t>(factor);
  if (whole == 1) return value;
  return cast(value.s->type, site.whole(whole, DType::I64)) * value;
}

// A value whose axes have letters; a letter may stand twice: the diagonal.
struct Lettered {
  Place place;
  std::string axes;
};

bool has(const std::string& axes, char axis) {
  return axes.find(axis) != std::string::npos;
}

std::string iterator_of(char axis) {
  return std::string(1, axis);
}

// target[axes] = the sum of the products of the factors over all other axes.
void emit_product(Site& site, const Lettered& target, const std::vector<Lettered>& factors) {
  std::string all = target.axes;
  Iterators iterators;
  for (std::size_t i = 0; i < target.axes.size(); ++i) {
    iterators.push_back({program::spatial(iterator_of(target.axes[i]), target.place.dims[i])});
  }
  std::vector<Range> reduced;
  for (const Lettered& factor : factors) {
    for (std::size_t i = 0; i < factor.axes.size(); ++i) {
      if (has(all, factor.axes[i])) continue;
      all += factor.axes[i];
      reduced.push_back(program::reduce(iterator_of(factor.axes[i]), factor.place.dims[i]));
    }
  }
  const Formula formula = [&](At spatial, At sums) {
    std::vector<Val> values;
    for (const Lettered& factor : factors) {
      std::vector<Ix> at;
      for (const char axis : factor.axes) {
        const std::size_t i = all.find(axis);
        at.push_back(i < spatial.size() ? spatial[i] : sums[i - spatial.size()]);
      }
      values.push_back(factor.place.at(at));
    }
    return values.size() == 1 ? values[0] : values[0] * values[1];
  };
  if (reduced.empty()) return site.compute(target.place, iterators, formula);
  const Place acc = site.accumulator(target.place, false);
  site.reduce(acc, Combine::Sum, iterators, reduced, formula);
  store(site, acc, target.place);
}

}  // namespace

Status emit(const model::MatMul&, Site& site) {
  const Place& a = site.in[0];
  const Place& b = site.in[1];
  const Place& out = site.out[0];
  const bool rows = a.dims.size() > 1, columns = b.dims.size() > 1;
  const std::size_t batch = out.dims.size() - (rows ? 1 : 0) - (columns ? 1 : 0);
  const Place acc = site.accumulator(out, false);
  const auto sum = std::vector<Range>{program::reduce("r", a.dims.back())};
  // The batch dimensions of an operand stand right before its matrix, and are stretched.
  const auto operand = [&](const Place& x, bool is_matrix, At its, std::vector<Ix> matrix) {
    const std::size_t own = is_matrix ? x.dims.size() - 2 : 0;
    std::vector<Ix> at;
    for (std::size_t i = 0; i < own; ++i) {
      const std::size_t dim = batch - own + i;
      at.push_back(x.dims[i] == 1 && out.dims[dim] != 1 ? site.index(0) : its[dim]);
    }
    at.insert(at.end(), matrix.begin(), matrix.end());
    return x.at(at);
  };
  site.reduce(acc, Combine::Sum, plain_iterators(out.dims), sum, [&](At its, At sums) {
    const Ix k = sums[0];
    const std::vector<Ix> left = rows ? std::vector<Ix>{its[batch], k} : std::vector<Ix>{k};
    const std::vector<Ix> right = columns ? std::vector<Ix>{k, its.back()} : std::vector<Ix>{k};
    return operand(a, rows, its, left) * operand(b, columns, its, right);
  });
  store(site, acc, out);
  return Ok{};
}

Status emit(const model::Gemm& op, Site& site) {
  const Place& a = site.in[0];
  const Place& b = site.in[1];
  const Place& out = site.out[0];
  const bool adds = site.in.size() > 2;
  const bool scales = op.alpha != 1;
  const Place acc = site.accumulator(out, adds || scales);
  const std::vector<Range> sum{program::reduce("r", a.dim(op.transpose_a ? 0 : 1))};
  site.reduce(acc, Combine::Sum, plain_iterators(out.dims), sum, [&](At its, At sums) {
    const Ix i = its[0], j = its[1], k = sums[0];
    const std::vector<Ix> left = op.transpose_a ? std::vector<Ix>{k, i} : std::vector<Ix>{i, k};
    const std::vector<Ix> right = op.transpose_b ? std::vector<Ix>{j, k} : std::vector<Ix>{k, j};
    return a.at(left) * b.at(right);
  });
  if (!adds && !scales) {
    store(site, acc, out);
    return Ok{};
  }
  site.compute(out, [&](At at) {
    const Val product = scaled(site, op.alpha, acc.at(at));
    if (!adds) return product;
    const Val added = site.in[2].at(stretched(site, site.in[2], out.dims, at));
    return product + scaled(site, op.beta, added);
  });
  return Ok{};
}

Status emit(const model::Einsum& op, Site& site) {
  CAMBIUM_TRY(const model::EinsumEquation equation, model::parse_einsum(op.equation));
  const Lettered out{site.out[0], equation.output};
  std::vector<Lettered> factors;
  for (std::size_t i = 0; i < site.in.size(); ++i) {
    factors.push_back({site.in[i], equation.inputs[i]});
  }
  while (factors.size() > 2) {
    std::string later = equation.output;
    for (std::size_t i = 2; i < factors.size(); ++i) later += factors[i].axes;
    Lettered joined;
    Dims dims;
    for (const Lettered& factor : {factors[0], factors[1]}) {
      for (std::size_t i = 0; i < factor.axes.size(); ++i) {
        if (!has(later, factor.axes[i]) || has(joined.axes, factor.axes[i])) continue;
        joined.axes += factor.axes[i];
        dims.push_back(factor.place.dims[i]);
      }
    }
    joined.place = site.local("joined", dims, out.place.value_dtype());
    emit_product(site, joined, {factors[0], factors[1]});
    factors.erase(factors.begin());
    factors[0] = joined;
  }
  emit_product(site, out, factors);
  return Ok{};
}

}  // namespace cambium::lower
