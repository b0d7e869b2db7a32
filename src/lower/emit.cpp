#include "lower/emit.h"

#include <limits>
#include <numeric>
#include <utility>

#include "expr/lexer.h"
#include "model/convert.h"

namespace cambium::lower {
namespace {

double initial(Combine combine, DType dtype) {
  if (combine == Combine::Sum) return 0;
  if (combine == Combine::Product) return 1;
  const bool least = combine == Combine::Maximum;
  return visit_dtype(program::value_type(dtype), [least](auto zero) -> double {
    using Limits = std::numeric_limits<decltype(zero)>;
    if constexpr (Limits::has_infinity) {
      return least ? -static_cast<double>(Limits::infinity())
                   : static_cast<double>(Limits::infinity());
    } else if constexpr (sizeof(zero) == 8) {
      // The highest number of 64 bits is no double. Minima are taken of places only; those of
      // elements are lowered as maxima.
      return least ? static_cast<double>(Limits::min()) : 0x1p62;
    } else {
      return static_cast<double>(least ? Limits::min() : Limits::max());
    }
  });
}

}  // namespace

std::vector<std::size_t> Place::memory_order() const {
  std::vector<std::size_t> dimensions(dims.size());
  std::iota(dimensions.begin(), dimensions.end(), std::size_t{0});
  for (std::size_t i = 0; i < order.size(); ++i) {
    dimensions[i] = static_cast<std::size_t>(order[i]);
  }
  return dimensions;
}

std::vector<Ix> Place::in_memory(At logical) const {
  CAMBIUM_CHECK(logical.size() == dims.size(), "one index per dimension");
  std::vector<Ix> physical;
  for (const std::size_t dim : memory_order()) physical.push_back(logical[dim]);
  return physical;
}

Val Place::at(At logical) const {
  return mem.load(in_memory(logical));
}

std::string Names::fresh(std::string_view wanted) {
  std::string name;
  for (const char c : wanted) {
    const bool legal = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_';
    name += legal ? c : '_';
  }
  if (!expr::is_name(name)) name.insert(0, 1, '_');
  return taken_.unique(name);
}

Place Site::local(std::string_view suffix, Dims dims, DType dtype, Order order) {
  Place place{{nullptr, nullptr}, std::move(dims), std::move(order)};
  Dims physical;
  for (const std::size_t dim : place.memory_order()) physical.push_back(place.dims[dim]);
  const std::string wanted = name + "." + std::string(suffix);
  place.mem = builder_.local(buffers_.fresh(wanted), physical, dtype);
  return place;
}

Place Site::accumulator(const Place& target, bool more_to_do) {
  if (!more_to_do && target.dtype() == target.value_dtype()) return target;
  return local("acc", target.dims, target.value_dtype(), target.order);
}

void Site::compute(const Place& target, const std::function<Val(At)>& formula) {
  compute(target, plain_iterators(target.dims), [&](At at, At) { return formula(at); });
}

void Site::compute(const Place& target, const Iterators& spatial, const Formula& formula) {
  reduce(target, Combine::Assign, spatial, {}, formula);
}

void Site::reduce(const Place& target, Combine combine, const Iterators& spatial,
                  const std::vector<Range>& reduced, const Formula& formula) {
  write(target, Dims(target.dims.size()), combine, spatial, reduced, formula);
}

void Site::compute_part(const Place& target, const Dims& dims, std::size_t axis, std::int64_t begin,
                        const std::function<Val(At)>& formula) {
  Dims begins(dims.size());
  begins[axis] = begin;
  write(target, begins, Combine::Assign, plain_iterators(dims), {},
        [&](At at, At) { return formula(at); });
}

void Site::write(const Place& target, const Dims& begins, Combine combine, const Iterators& spatial,
                 const std::vector<Range>& reduced, const Formula& formula) {
  CAMBIUM_CHECK(spatial.size() == target.dims.size(), "iterators for each dimension");
  std::vector<std::size_t> firsts;  // of each dimension, among the iterators in logical order
  std::size_t count = 0;
  for (const std::vector<Range>& digits : spatial) {
    firsts.push_back(count);
    count += digits.size();
  }
  std::vector<Range> ranges;
  std::vector<std::size_t> logical;  // where the iterator stands in logical order
  for (const std::size_t dim : target.memory_order()) {
    for (std::size_t digit = 0; digit < spatial[dim].size(); ++digit) {
      ranges.push_back(spatial[dim][digit]);
      logical.push_back(firsts[dim] + digit);
    }
  }
  ranges.insert(ranges.end(), reduced.begin(), reduced.end());
  const std::string block = blocks_.fresh(target.mem.buffer->name);
  builder_.block(block, ranges, [&](program::Point point) -> program::Write {
    std::vector<Ix> iterators(count);
    for (std::size_t i = 0; i < count; ++i) iterators[logical[i]] = point[i];
    std::vector<Ix> at;
    for (std::size_t dim = 0; dim < spatial.size(); ++dim) {
      if (spatial[dim].empty()) at.push_back(index(0));
      for (std::size_t digit = 0; digit < spatial[dim].size(); ++digit) {
        const Ix here = iterators[firsts[dim] + digit];
        if (digit == 0) {
          at.push_back(here);
        } else {
          at.back() = at.back() * spatial[dim][digit].extent + here;
        }
      }
      at.back() = at.back() + begins[dim];
    }
    const Val value = formula(iterators, point.subspan(count));
    if (combine == Combine::Assign) return assign(target.mem, target.in_memory(at), value);
    return {target.mem, target.in_memory(at), combine, value, initial(combine, target.dtype())};
  });
}

Val Site::number(double value, DType dtype) const {
  return visit_dtype(dtype, [&](auto zero) -> Val {
    using T = decltype(zero);
    const T element = model::convert<T>(value);
    if constexpr (model::is_float_element<T>) {
      return {&cx_, cx_.constant(model::convert<double>(element), dtype)};
    } else {
      return {&cx_, cx_.whole(static_cast<std::int64_t>(element), dtype)};
    }
  });
}

Val Site::gather(const Place& from, std::span<const Val> logical) const {
  std::vector<program::Scalar> physical;
  for (const std::size_t dim : from.memory_order()) physical.push_back(logical[dim].s);
  return {&cx_, cx_.gather(from.mem.buffer, physical)};
}

std::string iterator_name(std::size_t dim) {
  static_assert(model::kMaxRank == 16);
  return std::string(1, "ijklmnopabcdefgh"[dim]);
}

std::string spatial_name(std::size_t axis, std::size_t axes) {
  return axes <= 3 ? std::string(1, "dhw"[3 - axes + axis]) : "s" + std::to_string(axis);
}

Iterators plain_iterators(const Dims& dims) {
  Iterators iterators;
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    iterators.push_back({program::spatial(iterator_name(dim), dims[dim])});
  }
  return iterators;
}

Ix least(Ix a, Ix b) {
  return {a.cx, expr::min(a.cx->indices(), a.e, b.e)};
}
Ix greatest(Ix a, Ix b) {
  return {a.cx, expr::max(a.cx->indices(), a.e, b.e)};
}

std::vector<Ix> stretched(const Site& site, const Place& operand, const Dims& result, At at) {
  const std::size_t shift = result.size() - operand.dims.size();
  std::vector<Ix> own;
  for (std::size_t dim = 0; dim < operand.dims.size(); ++dim) {
    const bool repeats = operand.dims[dim] == 1 && result[shift + dim] != 1;
    own.push_back(repeats ? site.index(0) : at[shift + dim]);
  }
  return own;
}

Place padded(Site& site, const Place& x, const Dims& begins, const Dims& dims, double fill) {
  if (dims == x.dims && begins == Dims(dims.size())) return x;
  Place pad = site.local("pad", dims, x.dtype(), x.order);
  site.compute(pad, [&](At at) {
    std::vector<Ix> from;
    std::vector<Ix> conditions;
    for (std::size_t dim = 0; dim < dims.size(); ++dim) {
      const Ix here = at[dim] - begins[dim];
      from.push_back(here);
      if (begins[dim] > 0) conditions.push_back(0 <= here);
      if (dims[dim] - begins[dim] > x.dims[dim]) conditions.push_back(here < x.dims[dim]);
    }
    const Val element = x.at(from);
    if (conditions.empty()) return element;
    Ix inside = conditions[0];
    for (std::size_t i = 1; i < conditions.size(); ++i) inside = inside && conditions[i];
    return select(inside, element, site.number(fill, x.dtype()));
  });
  return pad;
}

}  // namespace cambium::lower
