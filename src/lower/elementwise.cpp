// Unary, Activation, Binary, Where and Cast: one block each, except powers of whole numbers.
#include "lower/emit.h"
#include "lower/functions.h"

namespace cambium::lower {
namespace {

using P2 = program::BinaryFn;

Val operand(const Site& site, std::size_t i, At at) {
  return site.in[i].at(stretched(site, site.in[i], site.out[0].dims, at));
}

// The power, if it is one small number that is known now: squares are everywhere in networks.
std::int64_t known_power(const Site& site) {
  const model::Tensor* exponent = site.weights[1];
  if (exponent == nullptr || exponent->elements() != 1) return 0;
  const double number = exponent->to_doubles()[0];
  return number == 2 || number == 3 ? static_cast<std::int64_t>(number) : 0;
}

// Powers of floating numbers, and floating powers of whole ones.
void emit_floating_power(Site& site) {
  const DType base = site.in[0].value_dtype();
  if (const std::int64_t known = known_power(site); known != 0 && is_floating(base)) {
    return site.compute(site.out[0], [&](At at) {
      const Val x = operand(site, 0, at);
      return known == 2 ? x * x : x * x * x;
    });
  }
  const DType type = is_floating(base) ? base : DType::F64;
  site.compute(site.out[0], [&](At at) {
    const Val power =
        apply(P2::Pow, cast(type, operand(site, 0, at)), cast(type, operand(site, 1, at)));
    return cast(base, power);
  });
}

// The digit number `digit` of the exponent, 4 bits of it, to which the base is raised.
Val power_of_digit(const Site& site, Val base, Val exponent, std::int64_t digit) {
  Val power = number_like(base, 1);
  Val square = base;
  for (int bit = 0; bit < 4; ++bit) {
    const Val shifted =
        exponent / site.whole(static_cast<std::int64_t>(1ULL << (4 * digit + bit)), DType::I64);
    const Val odd = apply(P2::Equal, apply(P2::Mod, shifted, site.whole(2, DType::I64)),
                          site.whole(1, DType::I64));
    const Val factor = select(odd, square, number_like(base, 1));
    power = bit == 0 ? factor : power * factor;
    square = square * square;
  }
  return power;
}

// Whole powers of whole numbers wrap around. By digits of the exponent, from the last: after the
// stage of digit d, `power` is the base to the digits so far, and `base` the base to 16^(d + 1).
void emit_whole_power(Site& site) {
  const Place& out = site.out[0];
  const DType type = out.dtype();
  const std::int64_t bits = 8 * size_of(site.in[1].dtype());
  const auto exponent = [&](At at) { return cast(DType::I64, operand(site, 1, at)); };
  Place base = site.in[0];
  Place power{};
  for (std::int64_t digit = 0; 4 * digit < bits; ++digit) {
    const auto base_at = [&](At at) { return base.at(stretched(site, base, out.dims, at)); };
    const Place next = site.local("power", out.dims, type, out.order);
    site.compute(next, [&](At at) {
      // Negative exponents are dealt with in the end; without a sign they are not to disturb here.
      const Val whole = apply(P2::Max, exponent(at), site.whole(0, DType::I64));
      const Val factor = power_of_digit(site, base_at(at), whole, digit);
      return power.is_used() ? power.at(at) * factor : factor;
    });
    power = next;
    if (4 * digit + 4 >= bits) break;
    const Place raised = site.local("base", out.dims, type, out.order);
    site.compute(raised, [&](At at) {
      const Val square = base_at(at) * base_at(at), fourth = square * square,
                eighth = fourth * fourth;
      return eighth * eighth;
    });
    base = raised;
  }
  site.compute(out, [&](At at) {
    const Val x = operand(site, 0, at), one = number_like(x, 1), zero = number_like(x, 0);
    const Val is_even = apply(P2::Equal, apply(P2::Mod, exponent(at), site.whole(2, DType::I64)),
                              site.whole(0, DType::I64));
    const Val minus = zero - one;  // without a sign: the highest number, which has no inverse
    const bool has_sign =
        type == DType::I8 || type == DType::I16 || type == DType::I32 || type == DType::I64;
    const Val of_minus =
        has_sign ? select(apply(P2::Equal, x, minus), select(is_even, one, minus), zero) : zero;
    const Val inverse = select(apply(P2::Equal, x, one), one, of_minus);
    const Val is_negative = apply(P2::Less, exponent(at), site.whole(0, DType::I64));
    return select(is_negative, inverse, power.at(at));
  });
}

}  // namespace

Status emit(const model::Unary& op, Site& site) {
  site.compute(site.out[0], [&](At at) { return unary(op.fn, site.in[0].at(at)); });
  return Ok{};
}

Status emit(const model::Activation& op, Site& site) {
  const DType dtype = site.in[0].dtype();
  site.compute(site.out[0], [&](At at) { return activation(site, op, dtype, site.in[0].at(at)); });
  return Ok{};
}

Status emit(const model::Binary& op, Site& site) {
  if (op.fn == model::BinaryFn::Pow) {
    if (is_floating(site.in[0].dtype()) || is_floating(site.in[1].dtype())) {
      emit_floating_power(site);
    } else {
      emit_whole_power(site);
    }
    return Ok{};
  }
  site.compute(site.out[0],
               [&](At at) { return binary(op.fn, operand(site, 0, at), operand(site, 1, at)); });
  return Ok{};
}

Status emit(const model::Where&, Site& site) {
  site.compute(site.out[0], [&](At at) {
    return select(operand(site, 0, at), operand(site, 1, at), operand(site, 2, at));
  });
  return Ok{};
}

Status emit(const model::Cast&, Site& site) {
  site.compute(site.out[0],
               [&](At at) { return cast(site.out[0].value_dtype(), site.in[0].at(at)); });
  return Ok{};
}

}  // namespace cambium::lower
