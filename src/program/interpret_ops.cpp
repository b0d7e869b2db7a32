#include "program/arithmetic.h"
#include "program/interpret_code.h"

namespace cambium::program::ops {
namespace {

template <class T>
T& in(Cell& cell) {
  if constexpr (std::is_same_v<T, float>)
    return cell.f;
  else if constexpr (std::is_same_v<T, double>)
    return cell.d;
  else
    return cell.i;
}

template <class T>
T* data(const Memory& memory) {
  return static_cast<T*>(memory.data);
}

const Instruction* refuse(Machine& m, const Instruction* i, std::int64_t value) {
  m.failed = i;
  m.failed_value = value;
  return nullptr;
}

template <expr::Kind kind>
const Instruction* on_slots(Machine& m, const Instruction* i) {
  using enum expr::Kind;
  const std::int64_t a = m.slots[i->a];
  const std::int64_t b = m.slots[i->b];
  std::int64_t& to = m.slots[i->to];
  if constexpr (kind == Add) to = a + b;
  if constexpr (kind == Div) to = expr::floor_div(a, i->number);
  if constexpr (kind == Mod) to = expr::floor_mod(a, i->number);
  if constexpr (kind == Min) to = std::min(a, b);
  if constexpr (kind == Max) to = std::max(a, b);
  if constexpr (kind == Less) to = a < b ? 1 : 0;
  if constexpr (kind == Equal) to = a == b ? 1 : 0;
  if constexpr (kind == And) to = a & b;
  if constexpr (kind == Or) to = a | b;
  if constexpr (kind == Not) to = 1 - a;
  return i + 1;
}

template <class T>
const Instruction* set_constant(Machine& m, const Instruction* i) {
  if constexpr (std::is_floating_point_v<T>)
    in<T>(m.cells[i->to]) = static_cast<T>(i->real);
  else
    m.cells[i->to].i = i->number;
  return i + 1;
}

template <class T, bool stamped>
const Instruction* load_element(Machine& m, const Instruction* i) {
  const Memory& memory = m.memories[i->memory];
  const std::int64_t at = m.slots[i->a];
  if constexpr (stamped) {
    if (memory.stamps[at] != memory.epoch) return refuse(m, i, at);
  }
  in<T>(m.cells[i->to]) = data<T>(memory)[at];
  return i + 1;
}

template <class T, bool rounded>
T as_stored(const Memory& memory, T value) {
  if constexpr (rounded)
    return static_cast<T>(stored(static_cast<double>(value), memory.dtype));
  else
    return value;
}

template <class T, bool rounded>
const Instruction* store_element(Machine& m, const Instruction* i) {
  const Memory& memory = m.memories[i->memory];
  const std::int64_t at = m.slots[i->a];
  data<T>(memory)[at] = as_stored<T, rounded>(memory, in<T>(m.cells[i->b]));
  memory.stamps[at] = memory.epoch;
  return i + 1;
}

template <class T, BinaryFn fn>
T apply_as(T x, T y, DType type) {
  if constexpr (std::is_floating_point_v<T>)
    return apply<fn>(x, y);
  else
    return apply_whole<fn>(x, y, type);
}

template <class T, BinaryFn fn, bool rounded>
const Instruction* combine_element(Machine& m, const Instruction* i) {
  const Memory& memory = m.memories[i->memory];
  const std::int64_t at = m.slots[i->a];
  if (memory.stamps[at] != memory.epoch) return refuse(m, i, at);
  T& element = data<T>(memory)[at];
  element =
      as_stored<T, rounded>(memory, apply_as<T, fn>(element, in<T>(m.cells[i->b]), memory.dtype));
  return i + 1;
}

template <class T, UnaryFn fn>
const Instruction* apply_unary(Machine& m, const Instruction* i) {
  const T x = in<T>(m.cells[i->a]);
  if constexpr (fn == UnaryFn::IsNan) {
    m.cells[i->to].i = x != x ? 1 : 0;
  } else if constexpr (std::is_floating_point_v<T>) {
    in<T>(m.cells[i->to]) = apply<fn>(x);
  } else {
    m.cells[i->to].i = apply_whole<fn>(x, i->type);
  }
  return i + 1;
}

template <class T, BinaryFn fn>
const Instruction* apply_binary(Machine& m, const Instruction* i) {
  const T x = in<T>(m.cells[i->a]);
  const T y = in<T>(m.cells[i->b]);
  if constexpr (gives_truth(fn) && std::is_floating_point_v<T>) {
    m.cells[i->to].i = holds<fn>(x, y) ? 1 : 0;
  } else {
    in<T>(m.cells[i->to]) = apply_as<T, fn>(x, y, i->type);
  }
  return i + 1;
}

template <class From, class To>
const Instruction* convert(Machine& m, const Instruction* i) {
  const From x = in<From>(m.cells[i->a]);
  Cell& to = m.cells[i->to];
  if constexpr (std::is_floating_point_v<From> && std::is_floating_point_v<To>) {
    in<To>(to) = static_cast<To>(x);
  } else if constexpr (std::is_floating_point_v<From>) {
    to.i = whole_from(static_cast<double>(x), i->type);
  } else if constexpr (std::is_floating_point_v<To>) {
    in<To>(to) = floating_from<To>(x, static_cast<DType>(i->b));
  } else {
    to.i = wrap(x, i->type);
  }
  return i + 1;
}

template <class F>
Run by_form(Form form, const F& f) {
  switch (form) {
    case Form::F32: return f(float{});
    case Form::F64: return f(double{});
    case Form::Whole: return f(std::int64_t{});
  }
  return nullptr;
}

template <class T>
Run unary_on(UnaryFn fn) {
  switch (fn) {
#define CAMBIUM_X(name, text, operands) \
  case UnaryFn::name: return apply_unary<T, UnaryFn::name>;
    CAMBIUM_FOR_EACH_UNARY_FN(CAMBIUM_X)
#undef CAMBIUM_X
  }
  return nullptr;
}

template <class T>
Run binary_on(BinaryFn fn) {
  switch (fn) {
#define CAMBIUM_X(name, text, operands, sign, level) \
  case BinaryFn::name: return apply_binary<T, BinaryFn::name>;
    CAMBIUM_FOR_EACH_BINARY_FN(CAMBIUM_X)
#undef CAMBIUM_X
  }
  return nullptr;
}

}  // namespace

const Instruction* add_scaled(Machine& m, const Instruction* i) {
  m.slots[i->to] = m.slots[i->a] + i->number * m.slots[i->b];
  return i + 1;
}
const Instruction* check_index(Machine& m, const Instruction* i) {
  const std::int64_t at = m.slots[i->a];
  if (static_cast<std::uint64_t>(at) >= static_cast<std::uint64_t>(i->number)) {
    return refuse(m, i, at);
  }
  return i + 1;
}
const Instruction* end_unless(Machine& m, const Instruction* i) {
  return m.slots[i->a] != 0 ? i + 1 : nullptr;
}
const Instruction* jump_unless_zero(Machine& m, const Instruction* i) {
  return m.slots[i->a] == 0 ? i + 1 : i + 1 + i->skip;
}
const Instruction* jump_unless_set(Machine& m, const Instruction* i) {
  return m.slots[i->a] != 0 ? i + 1 : i + 1 + i->skip;
}
const Instruction* jump_unless_below(Machine& m, const Instruction* i) {
  const auto at = static_cast<std::uint64_t>(m.slots[i->a]);
  return at < static_cast<std::uint64_t>(i->number) ? i + 1 : i + 1 + i->skip;
}
const Instruction* jump_unless_true(Machine& m, const Instruction* i) {
  return m.cells[i->a].i != 0 ? i + 1 : i + 1 + i->skip;
}
const Instruction* jump(Machine&, const Instruction* i) {
  return i + 1 + i->skip;
}
const Instruction* end(Machine&, const Instruction*) {
  return nullptr;
}
const Instruction* index_value(Machine& m, const Instruction* i) {
  m.cells[i->to].i = m.slots[i->a];
  return i + 1;
}
const Instruction* copy(Machine& m, const Instruction* i) {
  m.cells[i->to] = m.cells[i->a];
  return i + 1;
}
const Instruction* gather_start(Machine& m, const Instruction* i) {
  m.slots[i->to] = 0;
  return i + 1;
}
const Instruction* gather_step(Machine& m, const Instruction* i) {
  const std::int64_t at = m.cells[i->a].i;
  if (static_cast<std::uint64_t>(at) >= static_cast<std::uint64_t>(i->number)) {
    return refuse(m, i, at);
  }
  m.slots[i->to] = i->number * m.slots[i->to] + at;
  return i + 1;
}

Run slot(expr::Kind kind) {
  switch (kind) {
#define CAMBIUM_X(name, operands, predicate, sign) \
  case expr::Kind::name: return on_slots<expr::Kind::name>;
    CAMBIUM_FOR_EACH_NODE(CAMBIUM_X)
#undef CAMBIUM_X
  }
  return nullptr;
}

Run constant(Form form) {
  return by_form(form, [](auto zero) -> Run { return set_constant<decltype(zero)>; });
}

Run load(Form form, bool stamped) {
  return by_form(form, [stamped](auto zero) -> Run {
    using T = decltype(zero);
    return stamped ? load_element<T, true> : load_element<T, false>;
  });
}

Run store(Form form, bool rounded) {
  return by_form(form, [rounded](auto zero) -> Run {
    using T = decltype(zero);
    return rounded ? store_element<T, true> : store_element<T, false>;
  });
}

Run combine(Form form, BinaryFn fn, bool rounded) {
  return by_form(form, [fn, rounded](auto zero) -> Run {
    using T = decltype(zero);
    switch (fn) {
      case BinaryFn::Mul:
        return rounded ? combine_element<T, BinaryFn::Mul, true>
                       : combine_element<T, BinaryFn::Mul, false>;
      case BinaryFn::Max:
        return rounded ? combine_element<T, BinaryFn::Max, true>
                       : combine_element<T, BinaryFn::Max, false>;
      case BinaryFn::Min:
        return rounded ? combine_element<T, BinaryFn::Min, true>
                       : combine_element<T, BinaryFn::Min, false>;
      case BinaryFn::Add:
        return rounded ? combine_element<T, BinaryFn::Add, true>
                       : combine_element<T, BinaryFn::Add, false>;
      default: break;
    }
    CAMBIUM_CHECK(false, "a function that no block combines with");
    return nullptr;
  });
}

Run unary(Form form, UnaryFn fn) {
  return by_form(form, [fn](auto zero) -> Run { return unary_on<decltype(zero)>(fn); });
}

Run binary(Form form, BinaryFn fn) {
  return by_form(form, [fn](auto zero) -> Run { return binary_on<decltype(zero)>(fn); });
}

Run cast(Form from, Form to) {
  return by_form(from, [to](auto zero) -> Run {
    using From = decltype(zero);
    return by_form(to, [](auto other) -> Run { return convert<From, decltype(other)>; });
  });
}

}  // namespace cambium::program::ops
