#include "expr/text.h"

namespace cambium::expr {
namespace {

// How tightly a text binds; an operand that binds less is put in parentheses.
enum Level { kOr, kAnd, kCompare, kSum, kProduct, kUnary, kAtom };

class Printer {
 public:
  explicit Printer(const Context& cx) : cx_(cx) {}

  void print(Expr e, Level at_least) {
    const bool parentheses = level_of(e) < at_least;
    if (parentheses) out_ += "(";
    print_bare(e);
    if (parentheses) out_ += ")";
  }
  std::string take() { return std::move(out_); }

 private:
  static Level level_of(Expr e) {
    switch (e->kind) {
      case Kind::Or: return kOr;
      case Kind::And: return kAnd;
      case Kind::Less:
      case Kind::Equal: return kCompare;
      case Kind::Add: return kSum;
      case Kind::Mul: return value_of(e->b).is(-1) ? kUnary : kProduct;
      case Kind::Div:
      case Kind::Mod: return kProduct;
      case Kind::Not:
        return e->a->kind == Kind::Less || e->a->kind == Kind::Equal ? kCompare : kUnary;
      case Kind::Const: return level_of(value_of(e));
      case Kind::Bool:
      case Kind::Axis:
      case Kind::Min:
      case Kind::Max: break;
    }
    return kAtom;
  }
  static Level level_of(const Monomial& value) {
    if (value.factor >= 0 && (value.is_number() || value.powers.any_negative())) return kAtom;
    return value.is_number() || value.powers.any_negative() ? kUnary : kProduct;
  }

  void print_bare(Expr e) {
    switch (e->kind) {
      case Kind::Const: return print_constant(value_of(e));
      case Kind::Bool: out_ += truth_of(e) ? "true" : "false"; return;
      case Kind::Axis: out_ += name_of(e); return;
      case Kind::Add: return print_sum(e);
      case Kind::Mul: return print_product(e->a, value_of(e->b));
      case Kind::Div:
      case Kind::Mod:
        print(e->a, kProduct);
        out_ += e->kind == Kind::Div ? "/" : " % ";
        return print_divisor(value_of(e->b));
      case Kind::Min:
      case Kind::Max:
        out_ += info(e->kind).sign;
        out_ += "(";
        print(e->a, kOr);
        out_ += ", ";
        print(e->b, kOr);
        out_ += ")";
        return;
      case Kind::Less: return print_binary(e->a, " < ", e->b, kSum, kSum);
      case Kind::Equal: return print_binary(e->a, " == ", e->b, kSum, kSum);
      case Kind::And: return print_binary(e->a, " && ", e->b, kAnd, kCompare);
      case Kind::Or: return print_binary(e->a, " || ", e->b, kOr, kAnd);
      case Kind::Not:
        if (e->a->kind == Kind::Less) return print_binary(e->a->b, " <= ", e->a->a, kSum, kSum);
        if (e->a->kind == Kind::Equal) return print_binary(e->a->a, " != ", e->a->b, kSum, kSum);
        out_ += "!";
        return print(e->a, kUnary);
    }
  }

  void print_binary(Expr a, std::string_view sign, Expr b, Level left, Level right) {
    print(a, left);
    out_ += sign;
    print(b, right);
  }

  void print_sum(Expr e) {
    print(e->a, kSum);
    Expr last = e->b;
    if (last->kind == Kind::Const && value_of(last).factor < 0) {
      out_ += " - ";
      return print_constant(negate(value_of(last)));
    }
    if (last->kind == Kind::Mul && value_of(last->b).factor < 0) {
      out_ += " - ";
      const Monomial positive = negate(value_of(last->b));
      // `- x` alone, where x is itself no product or constant, is read back as -1*x.
      if (positive.is(1)) return print(last->a, kProduct);
      return print_product(last->a, positive);
    }
    out_ += " + ";
    print(last, kProduct);
  }

  void print_product(Expr x, const Monomial& c) {
    if (c.is(-1)) {
      out_ += "-";
      return print(x, kUnary);
    }
    print_constant(c);
    out_ += "*";
    print(x, kUnary);
  }

  void print_constant(const Monomial& value) {
    if (value.is_number()) {
      out_ += std::to_string(value.factor);
      return;
    }
    if (value.factor < 0) out_ += "-";
    const bool brackets = value.powers.any_negative();
    if (brackets) out_ += "[";
    out_ += cx_.sizes().print(value.magnitude());
    if (brackets) out_ += "]";
  }

  void print_divisor(const Monomial& value) {
    const std::string text = cx_.sizes().print(value.magnitude());
    out_ += value.is_number() || is_name(text) ? text : "[" + text + "]";
  }

  const Context& cx_;
  std::string out_;
};

}  // namespace

std::string print(const Context& cx, Expr e) {
  Printer printer(cx);
  printer.print(e, kOr);
  return printer.take();
}

}  // namespace cambium::expr
