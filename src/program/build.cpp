#include "program/build.h"

#include <limits>

namespace cambium::program {
namespace {

expr::Context& indices(Ix a) {
  return a.cx->indices();
}
Expr number(Ix like, std::int64_t value) {
  return indices(like).constant(value);
}
Scalar number(Context& cx, DType type, double value) {
  return is_floating(type) ? cx.constant(value, type)
                           : cx.whole(static_cast<std::int64_t>(value), type);
}

Write reduction(Mem target, std::vector<Ix> at, Combine combine, Val value, double init) {
  return {target, std::move(at), combine, value, init};
}

// The least and the greatest number of a type, as far as a double holds them.
double extreme(DType type, bool least) {
  return visit_dtype(value_type(type), [least](auto zero) -> double {
    using T = decltype(zero);
    using Limits = std::numeric_limits<T>;
    if constexpr (Limits::has_infinity) {
      return least ? -static_cast<double>(Limits::infinity())
                   : static_cast<double>(Limits::infinity());
    } else if constexpr (Limits::is_integer && sizeof(T) < 8) {
      return static_cast<double>(least ? Limits::min() : Limits::max());
    } else {
      return least ? (Limits::is_signed ? -9007199254740992.0 : 0.0) : 9007199254740992.0;
    }
  });
}

}  // namespace

Ix operator+(Ix a, Ix b) {
  return {a.cx, expr::add(indices(a), a.e, b.e)};
}
Ix operator-(Ix a, Ix b) {
  return {a.cx, expr::sub(indices(a), a.e, b.e)};
}
Ix operator+(Ix a, std::int64_t b) {
  return b == 0 ? a : Ix{a.cx, expr::add(indices(a), a.e, number(a, b))};
}
Ix operator-(Ix a, std::int64_t b) {
  return a + -b;
}
Ix operator*(Ix a, std::int64_t b) {
  return b == 1 ? a : Ix{a.cx, expr::mul(indices(a), a.e, expr::Monomial::of(b))};
}
Ix operator/(Ix a, std::int64_t b) {
  return b == 1 ? a : Ix{a.cx, expr::div(indices(a), a.e, expr::Size(b))};
}
Ix operator%(Ix a, std::int64_t b) {
  return {a.cx, expr::mod(indices(a), a.e, expr::Size(b))};
}
Ix operator<(Ix a, std::int64_t b) {
  return {a.cx, expr::less(indices(a), a.e, number(a, b))};
}
Ix operator<=(std::int64_t a, Ix b) {
  return {b.cx, expr::less_equal(indices(b), number(b, a), b.e)};
}
Ix operator==(Ix a, std::int64_t b) {
  return {a.cx, expr::equal(indices(a), a.e, number(a, b))};
}
Ix operator&&(Ix p, Ix q) {
  return {p.cx, expr::logical_and(indices(p), p.e, q.e)};
}
Ix within(Ix a, std::int64_t lo, std::int64_t hi) {
  return lo <= a && a < hi;
}

Val apply(UnaryFn fn, Val a) {
  return {a.cx, a.cx->unary(fn, a.s)};
}
Val apply(BinaryFn fn, Val a, Val b) {
  return {a.cx, a.cx->binary(fn, a.s, b.s)};
}
Val operator+(Val a, Val b) {
  return apply(BinaryFn::Add, a, b);
}
Val operator-(Val a, Val b) {
  return apply(BinaryFn::Sub, a, b);
}
Val operator*(Val a, Val b) {
  return apply(BinaryFn::Mul, a, b);
}
Val operator/(Val a, Val b) {
  return apply(BinaryFn::Div, a, b);
}
Val operator-(Val a) {
  return apply(UnaryFn::Neg, a);
}
Val number_like(Val like, double value) {
  return {like.cx, number(*like.cx, like.s->type, value)};
}
Val operator+(Val a, double b) {
  return a + number_like(a, b);
}
Val operator*(Val a, double b) {
  return a * number_like(a, b);
}
Val cast(DType type, Val a) {
  return {a.cx, a.cx->cast(type, a.s)};
}
Val value(Ix a) {
  return {a.cx, a.cx->index(a.e)};
}
Val select(Val condition, Val first, Val second) {
  return {first.cx, first.cx->select(condition.s, first.s, second.s)};
}
Val select(Ix predicate, Val first, Val second) {
  return select(value(predicate), first, second);
}

Val Mem::load(std::span<const Ix> at) const {
  std::vector<Expr> indices;
  for (const Ix& i : at) indices.push_back(i.e);
  return {cx, cx->load(buffer, indices)};
}

Range spatial(std::string name, std::int64_t extent) {
  return {std::move(name), extent, IteratorKind::Spatial};
}
Range reduce(std::string name, std::int64_t extent) {
  return {std::move(name), extent, IteratorKind::Reduce};
}

Write assign(Mem target, std::vector<Ix> at, Val value) {
  return {target, std::move(at), Combine::Assign, value, std::nullopt};
}
Write sum(Mem target, std::vector<Ix> at, Val value) {
  return reduction(target, std::move(at), Combine::Sum, value, 0);
}
Write maximum(Mem target, std::vector<Ix> at, Val value) {
  const double lowest = extreme(target.buffer->dtype, true);
  return reduction(target, std::move(at), Combine::Maximum, value, lowest);
}
Write minimum(Mem target, std::vector<Ix> at, Val value) {
  const double highest = extreme(target.buffer->dtype, false);
  return reduction(target, std::move(at), Combine::Minimum, value, highest);
}

Mem Builder::declare(std::string_view name, std::span<const std::int64_t> dims, DType dtype,
                     Role role) {
  const Buffer* made = cx_.buffer(name, dtype, dims, role);
  (role == Role::Local ? locals_ : parameters_).push_back(made);
  return {&cx_, made};
}
Mem Builder::input(std::string_view name, std::vector<std::int64_t> dims, DType dtype) {
  return declare(name, dims, dtype, Role::Input);
}
Mem Builder::constant(std::string_view name, std::vector<std::int64_t> dims, DType dtype) {
  return declare(name, dims, dtype, Role::Constant);
}
Mem Builder::output(std::string_view name, std::vector<std::int64_t> dims, DType dtype) {
  return declare(name, dims, dtype, Role::Output);
}
Mem Builder::local(std::string_view name, std::vector<std::int64_t> dims, DType dtype) {
  return declare(name, dims, dtype, Role::Local);
}

void Builder::block(std::string_view name, std::vector<Range> ranges,
                    const std::function<Write(Point)>& write) {
  std::vector<Iterator> iterators;
  std::vector<Ix> point;
  std::vector<Expr> loops;
  for (const Range& range : ranges) {
    iterators.push_back({cx_.axis(range.name, range.extent), range.kind});
    point.push_back({&cx_, iterators.back().axis});
    loops.push_back(cx_.axis(loop_names_.unique(range.name), range.extent));
  }
  const Write what = write(point);
  std::vector<Expr> at;
  for (const Ix& i : what.at) at.push_back(i.e);
  Body fields{};
  fields.iterators = iterators;
  fields.target = what.target.buffer;
  fields.indices = at;
  fields.combine = what.combine;
  fields.value = what.value.s;
  if (what.init) fields.init = program::number(cx_, what.value.s->type, *what.init);
  Stmt s = cx_.block(name, cx_.body(fields), loops);
  for (auto axis = loops.rbegin(); axis != loops.rend(); ++axis) {
    s = cx_.loop(*axis, LoopKind::Serial, s);
  }
  statements_.push_back(s);
}

Program Builder::finish() {
  return {name_, cx_.keep(parameters_), cx_.keep(locals_), cx_.seq(statements_)};
}

}  // namespace cambium::program
