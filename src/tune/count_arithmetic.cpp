#include "tune/count_arithmetic.h"

namespace cambium::tune {
namespace {

using program::Expr;
using program::Scalar;
using program::ScalarKind;

// Cost in multiply-adds of the same width; of functions, the length of their polynomials.
double slots_of(program::UnaryFn fn) {
  using program::UnaryFn;
  switch (fn) {
    case UnaryFn::Neg:
    case UnaryFn::Abs:
    case UnaryFn::Floor:
    case UnaryFn::Ceil:
    case UnaryFn::Round:
    case UnaryFn::IsNan:
    case UnaryFn::Not: return 1;
    case UnaryFn::Sign: return 3;
    case UnaryFn::Sqrt: return 12;
    case UnaryFn::Exp:
    case UnaryFn::Log: return 12;
    default: return 25;
  }
}

class Counter {
 public:
  Counter(const ReachReader& reader, std::uint32_t unrolled, std::uint32_t lanes)
      : reader_(reader), unrolled_(unrolled), lanes_(lanes) {}

  Counted counted() const { return {counts_, useful_}; }

  void add_body(const program::Body& body) {
    Scalar value = body.value;
    if (is_sum_where(body)) {
      demand(value->operands[0]->indices[0]);
      value = value->operands[1];
    }
    add(value);
    if (body.combine == program::Combine::Assign) return;
    if (body.combine == program::Combine::Sum && value->kind == ScalarKind::Binary &&
        value->binary() == program::BinaryFn::Mul && !is_whole(value->type)) {
      counts_.multiplications -= 1;
      counts_.multiply_adds += 1;  // the slot is the multiplication's
      return;
    }
    counts_.slots += 1;
    (body.combine == program::Combine::Product ? counts_.multiplications : counts_.additions) += 1;
  }

 private:
  // `y += select([...], value, 0.0)`, of which code generators skip what adds nothing.
  static bool is_sum_where(const program::Body& body) {
    const Scalar s = body.value;
    return body.combine == program::Combine::Sum && s->kind == ScalarKind::Select &&
           s->operands[0]->kind == ScalarKind::Index && s->operands[2]->kind == ScalarKind::Const &&
           is_floating(s->type) && s->operands[2]->number() == 0;
  }

  // What is decided by branches outside the innermost loops costs nothing; in each copy it costs a
  // branch, in lanes a mask.
  void demand(Expr condition) {
    if (condition->kind == expr::Kind::And) {
      demand(condition->a);
      demand(condition->b);
      return;
    }
    const std::uint32_t moves = reader_.moves_of(condition);
    if ((moves & lanes_) != 0) {
      counts_.slots += 1;
      return;
    }
    useful_ *= reader_.share_of(condition);
    const bool is_number = (moves & ~unrolled_) == 0;
    if (!is_number && (moves & unrolled_) != 0) counts_.slots += 0.25;
  }

  void add(Scalar s) {
    for (Scalar operand : s->operands) add(operand);
    switch (s->kind) {
      case ScalarKind::Unary: return add_unary(s);
      case ScalarKind::Binary: return add_binary(s);
      case ScalarKind::Select:
        if (s->operands[0]->kind == ScalarKind::Index) {
          if ((reader_.moves_of(s->operands[0]->indices[0]) & ~unrolled_) == 0) return;
          counts_.slots += 0.5;
        }
        counts_.selects += 1;
        counts_.slots += 1;
        return;
      case ScalarKind::Cast:
        counts_.other += 1;
        counts_.slots += 1;
        return;
      default: return;
    }
  }

  void add_unary(Scalar s) {
    const double slots = slots_of(s->unary());
    counts_.slots += slots;
    (slots > 2 ? counts_.mathematics : counts_.other) += 1;
  }

  void add_binary(Scalar s) {
    using program::BinaryFn;
    double slots = 1;
    double* count = &counts_.other;
    switch (s->binary()) {
      case BinaryFn::Add:
      case BinaryFn::Sub: count = &counts_.additions; break;
      case BinaryFn::Mul: count = &counts_.multiplications; break;
      case BinaryFn::Div:
        count = &counts_.divisions;
        slots = 7;
        break;
      case BinaryFn::Mod:
      case BinaryFn::Rem:
        count = &counts_.divisions;
        slots = 12;
        break;
      case BinaryFn::Pow:
        count = &counts_.mathematics;
        slots = 40;
        break;
      case BinaryFn::Min:
      case BinaryFn::Max: count = &counts_.comparisons; break;
      case BinaryFn::Or:
      case BinaryFn::And: count = &counts_.truth; break;
      default: count = &counts_.comparisons; break;
    }
    if (is_whole(s->type)) count = &counts_.whole;
    *count += 1;
    counts_.slots += slots;
  }

  static bool is_whole(DType type) { return !is_floating(type) && type != DType::Bool; }

  const ReachReader& reader_;
  std::uint32_t unrolled_, lanes_;
  Arithmetic counts_;
  double useful_ = 1;
};

}  // namespace

Counted count_arithmetic(const program::Body& body, const ReachReader& reader,
                         std::uint32_t unrolled, std::uint32_t lanes) {
  Counter counter(reader, unrolled, lanes);
  counter.add_body(body);
  return counter.counted();
}

}  // namespace cambium::tune
