#include "expr/lexer.h"
#include "expr/text.h"

namespace cambium::expr {
namespace {

constexpr int kDeepest = 200;       // parentheses and signs
constexpr int kDeepestNode = 2000;  // chains, over which everything else recurses

// One function per level, loosest first; each gives a node or the reason why not.
class Parser {
 public:
  Parser(Context& cx, std::string_view text, const NameMeaning& meaning)
      : cx_(cx), lexer_(text), meaning_(meaning) {}

  Result<Expr> whole() {
    CAMBIUM_TRY(Expr e, disjunction());
    if (!lexer_.at_end()) return lexer_.refuse("the end");
    return e;
  }

 private:
  Result<Expr> disjunction() {
    if (++depth_ > kDeepest) return Rejection(Reason::TooDeep, kDeepest);
    CAMBIUM_TRY(Expr p, conjunction());
    while (lexer_.take("||")) {
      CAMBIUM_TRY(Expr q, conjunction());
      CAMBIUM_REQUIRE(require_predicates(p, q));
      p = logical_or(cx_, p, q);
    }
    --depth_;
    return p;
  }

  Result<Expr> conjunction() {
    CAMBIUM_TRY(Expr p, comparison());
    while (lexer_.take("&&")) {
      CAMBIUM_TRY(Expr q, comparison());
      CAMBIUM_REQUIRE(require_predicates(p, q));
      p = logical_and(cx_, p, q);
    }
    return p;
  }

  Result<Expr> comparison() {
    CAMBIUM_TRY(Expr x, sum());
    for (const std::string_view sign : {"<", "<=", ">", ">=", "==", "!="}) {
      if (!lexer_.take(sign)) continue;
      CAMBIUM_TRY(Expr y, sum());
      CAMBIUM_REQUIRE(require_indices(x, y));
      if (sign == "<") return less(cx_, x, y);
      if (sign == "<=") return less_equal(cx_, x, y);
      if (sign == ">") return less(cx_, y, x);
      if (sign == ">=") return less_equal(cx_, y, x);
      if (sign == "==") return equal(cx_, x, y);
      return logical_not(cx_, equal(cx_, x, y));
    }
    return x;
  }

  Result<Expr> sum() {
    CAMBIUM_TRY(Expr x, product());
    while (lexer_.at("+") || lexer_.at("-")) {
      const bool plus = lexer_.at("+");
      lexer_.advance();
      CAMBIUM_TRY(Expr y, product());
      CAMBIUM_REQUIRE(require_indices(x, y));
      x = plus ? add(cx_, x, y) : sub(cx_, x, y);
    }
    return x;
  }

  Result<Expr> product() {
    CAMBIUM_TRY(Expr x, unary());
    while (lexer_.at("*") || lexer_.at("/") || lexer_.at("%")) {
      const Lexer before = lexer_;
      lexer_.advance();
      CAMBIUM_TRY(Expr y, unary());
      CAMBIUM_REQUIRE(require_indices(x, y));
      if (before.at("*")) {
        if (x->kind != Kind::Const && y->kind != Kind::Const) return not_affine(before);
        x = x->kind == Kind::Const ? mul(cx_, y, value_of(x)) : mul(cx_, x, value_of(y));
      } else {
        if (y->kind != Kind::Const || value_of(y).factor <= 0) return not_affine(before);
        x = cx_.node(before.at("/") ? Kind::Div : Kind::Mod, x, y);
      }
    }
    return x;
  }

  Result<Expr> unary() {
    if (++depth_ > kDeepest) return Rejection(Reason::TooDeep, kDeepest);
    if (lexer_.take("-")) {
      CAMBIUM_TRY(Expr x, unary());
      CAMBIUM_REQUIRE(require_indices(x, x));
      --depth_;
      return mul(cx_, x, Monomial::of(-1));
    }
    if (lexer_.take("!")) {
      CAMBIUM_TRY(Expr p, unary());
      CAMBIUM_REQUIRE(require_predicates(p, p));
      --depth_;
      return logical_not(cx_, p);
    }
    --depth_;
    return primary();
  }

  Result<Expr> primary() {
    if (lexer_.take("(")) {
      CAMBIUM_TRY(Expr e, disjunction());
      CAMBIUM_REQUIRE(lexer_.expect(")"));
      return e;
    }
    if (lexer_.take("[")) {
      CAMBIUM_TRY(const Size size, cx_.sizes().parse(lexer_));
      CAMBIUM_REQUIRE(lexer_.expect("]"));
      return cx_.constant(size);
    }
    if (const auto number = lexer_.whole()) {
      lexer_.advance();
      return cx_.constant(*number);
    }
    if (lexer_.kind() == Lexer::Kind::Name) return name();
    return lexer_.refuse("an expression");
  }

  Result<Expr> name() {
    const std::string_view word = lexer_.token();
    if (cx_.sizes().find(word)) return size_power();
    lexer_.advance();
    if (word == "true" || word == "false") return cx_.boolean(word == "true");
    if (word == "min" || word == "max") {
      CAMBIUM_REQUIRE(lexer_.expect("("));
      CAMBIUM_TRY(Expr x, disjunction());
      CAMBIUM_REQUIRE(lexer_.expect(","));
      CAMBIUM_TRY(Expr y, disjunction());
      CAMBIUM_REQUIRE(lexer_.expect(")"));
      CAMBIUM_REQUIRE(require_indices(x, y));
      return word == "min" ? min(cx_, x, y) : max(cx_, x, y);
    }
    if (Expr found = meaning_(word)) return found;
    const std::size_t several = cx_.count_axes(word);
    if (several > 1) {
      return Rejection(Reason::AmbiguousName, std::string(word), {},
                       static_cast<std::int64_t>(several));
    }
    return Rejection(Reason::UnknownName, std::string(word));
  }

  // A size variable, perhaps with a power; what follows it belongs to the index expression.
  Result<Expr> size_power() {
    Size size = Size::var(*cx_.sizes().find(lexer_.token()));
    lexer_.advance();
    if (!lexer_.take("^")) return cx_.constant(size);
    CAMBIUM_TRY(const std::int64_t exponent, lexer_.whole("a power"));
    if (exponent > 127) return Rejection(Reason::SizePowerRange);
    CAMBIUM_TRY(size, power(size, static_cast<int>(exponent)));
    return cx_.constant(size);
  }

  static Status require_predicates(Expr p, Expr q) {
    if (p->depth >= kDeepestNode) return Rejection(Reason::TooDeep, kDeepestNode);
    if (is_predicate(p) && is_predicate(q)) return Ok{};
    return Rejection(Reason::WrongOperand, "a predicate", "an index");
  }
  static Status require_indices(Expr x, Expr y) {
    if (x->depth >= kDeepestNode) return Rejection(Reason::TooDeep, kDeepestNode);
    if (!is_predicate(x) && !is_predicate(y)) return Ok{};
    return Rejection(Reason::WrongOperand, "an index", "a predicate");
  }
  static Rejection not_affine(const Lexer& at) {
    return Rejection(Reason::NotQuasiAffine, std::string(at.token()));
  }

  Context& cx_;
  Lexer lexer_;
  const NameMeaning& meaning_;
  int depth_ = 0;
};

}  // namespace

Result<Expr> parse(Context& cx, std::string_view text, const NameMeaning& meaning) {
  return Parser(cx, text, meaning).whole();
}

Result<Expr> parse(Context& cx, std::string_view text) {
  return parse(cx, text, [&cx](std::string_view name) { return cx.find_axis(name); });
}

}  // namespace cambium::expr
