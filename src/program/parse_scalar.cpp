#include "program/parse_scalar.h"

#include <charconv>
#include <limits>

#include "base/text.h"
#include "expr/text.h"
#include "program/limits.h"

namespace cambium::program {
namespace {

constexpr int kUnaryLevel = 5;
constexpr int kComparisonLevel = 2;
constexpr int kDeepestNesting = 150;  // parentheses, signs and calls

// The function whose sign stands here. `>` and `>=` are read as `<` and `<=` the other way round.
std::optional<BinaryFn> sign_here(const Lexer& lexer, int level, bool& swapped) {
  swapped = false;
  if (lexer.kind() != Lexer::Kind::Sign) return std::nullopt;
  if (level == kComparisonLevel && (lexer.at(">") || lexer.at(">="))) {
    swapped = true;
    return lexer.at(">") ? BinaryFn::Less : BinaryFn::LessEqual;
  }
#define CAMBIUM_X(enumerator, name, operands, sign, its_level) \
  if (level == its_level && lexer.at(sign)) return BinaryFn::enumerator;
  CAMBIUM_FOR_EACH_BINARY_FN(CAMBIUM_X)
#undef CAMBIUM_X
  return std::nullopt;
}

template <class T>
bool parse_number(std::string_view text, T& number) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size();
}

}  // namespace

Result<Expr> parse_index(Context& cx, Lexer& lexer, std::string_view stops,
                         std::span<const Expr> axes, bool is_predicate) {
  const std::size_t place = lexer.place();
  const std::string_view text = lexer.until(stops);
  const auto meaning = [axes](std::string_view name) -> Expr {
    for (Expr axis : axes) {
      if (expr::name_of(axis) == name) return axis;
    }
    return nullptr;
  };
  auto parsed = expr::parse(cx.indices(), text, meaning);
  if (!parsed.ok()) {
    return std::move(parsed).rejection().at("index " + quote(text)).at(lexer.describe(place));
  }
  if (!is_finite(*parsed)) {
    return Rejection(Reason::IndexOverflow).at("index " + quote(text)).at(lexer.describe(place));
  }
  if (expr::is_predicate(*parsed) != is_predicate) {
    const std::string_view wanted = is_predicate ? "a predicate" : "an index";
    const std::string_view found = is_predicate ? "an index" : "a predicate";
    return Rejection(Reason::WrongOperand, std::string(wanted), std::string(found))
        .at(lexer.describe(place));
  }
  return *parsed;
}

Result<Scalar> ScalarParser::scalar() {
  return level(0);
}

Status ScalarParser::enough_room(Scalar s) const {
  if (s->depth >= kDeepestScalar) {
    return Rejection(Reason::TooDeep, kDeepestScalar).at(lexer_.describe(lexer_.place()));
  }
  return Ok{};
}

Result<Scalar> ScalarParser::level(int at_least) {
  if (at_least == kUnaryLevel) return unary();
  CAMBIUM_TRY(Scalar left, level(at_least + 1));
  bool swapped = false;
  while (const auto fn = sign_here(lexer_, at_least, swapped)) {
    const std::size_t place = lexer_.place();
    lexer_.advance();
    CAMBIUM_TRY(Scalar right, level(at_least + 1));
    CAMBIUM_REQUIRE(enough_room(left));
    CAMBIUM_REQUIRE(enough_room(right));
    if (swapped) std::swap(left, right);
    CAMBIUM_REQUIRE(type_of(*fn, left->type, right->type).at(lexer_.describe(place)));
    left = cx_.binary(*fn, left, right);
    if (at_least == kComparisonLevel) break;
  }
  return left;
}

Result<Scalar> ScalarParser::unary() {
  if (++depth_ > kDeepestNesting) {
    return Rejection(Reason::TooDeep, kDeepestNesting).at(lexer_.describe(lexer_.place()));
  }
  const std::size_t place = lexer_.place();
  const bool minus = lexer_.take("-");
  if (!minus && !lexer_.take("!")) {
    CAMBIUM_TRY(Scalar s, primary());
    --depth_;
    return s;
  }
  if (minus && at_literal()) {
    --depth_;
    return literal(
        true, lexer_.at_fraction() || lexer_.kind() == Lexer::Kind::Word ? DType::F32 : DType::I64);
  }
  CAMBIUM_TRY(Scalar operand, unary());
  CAMBIUM_REQUIRE(enough_room(operand));
  const UnaryFn fn = minus ? UnaryFn::Neg : UnaryFn::Not;
  CAMBIUM_REQUIRE(type_of(fn, operand->type).at(lexer_.describe(place)));
  --depth_;
  return cx_.unary(fn, operand);
}

bool ScalarParser::at_literal() const {
  return lexer_.kind() == Lexer::Kind::Number || lexer_.at_word("inf") || lexer_.at_word("nan");
}

// A number of that type; the lexer stands at its digits.
Result<Scalar> ScalarParser::literal(bool negative, DType type) {
  if (is_floating(type)) {
    double value = std::numeric_limits<double>::infinity();
    if (lexer_.at_word("nan")) value = std::numeric_limits<double>::quiet_NaN();
    if (lexer_.kind() == Lexer::Kind::Number) {
      float narrow = 0;
      const bool ok = type == DType::F32 ? parse_number(lexer_.token(), narrow)
                                         : parse_number(lexer_.token(), value);
      if (!ok) return lexer_.refuse("a number of type " + std::string(name_of(type)));
      if (type == DType::F32) value = static_cast<double>(narrow);
    }
    lexer_.advance();
    return cx_.constant(negative ? -value : value, type);
  }
  const std::string digits = (negative ? "-" : "") + std::string(lexer_.token());
  std::int64_t number = 0;
  std::uint64_t bits = 0;
  bool ok = parse_number(digits, number) && fits(number, type);
  if (type == DType::U64) {
    ok = parse_number(digits, bits);
    number = static_cast<std::int64_t>(bits);
  }
  if (!ok) return lexer_.refuse("a number of type " + std::string(name_of(type)));
  lexer_.advance();
  return cx_.whole(number, type);
}

Result<Scalar> ScalarParser::primary() {
  if (lexer_.take("(")) {
    CAMBIUM_TRY(Scalar s, scalar());
    CAMBIUM_REQUIRE(lexer_.expect(")"));
    return s;
  }
  if (lexer_.at("[")) return index();
  if (at_literal()) {
    const bool fraction = lexer_.at_fraction() || lexer_.kind() == Lexer::Kind::Word;
    return literal(false, fraction ? DType::F32 : DType::I64);
  }
  if (lexer_.kind() == Lexer::Kind::Word) return named();
  return lexer_.refuse("a value");
}

// [i < 3] is a bool, [i] a whole number.
Result<Scalar> ScalarParser::index() {
  lexer_.advance();
  Lexer again = lexer_;
  auto number = parse_index(cx_, lexer_, "]", axes_, false);
  if (!number.ok() && number.rejection().reason() == Reason::WrongOperand) {
    lexer_ = again;
    number = parse_index(cx_, lexer_, "]", axes_, true);
  }
  CAMBIUM_TRY(Expr e, std::move(number));
  CAMBIUM_REQUIRE(lexer_.expect("]"));
  return cx_.index(e);
}

Result<Scalar> ScalarParser::named() {
  const std::string_view name = lexer_.token();
  if (lexer_.take_word("true")) return cx_.truth(true);
  if (lexer_.take_word("false")) return cx_.truth(false);
  Lexer ahead = lexer_;
  ahead.advance();
  if (ahead.at("(")) {
    lexer_ = ahead;
    return call(name);
  }
  CAMBIUM_TRY(const Buffer* of, buffer());
  CAMBIUM_TRY(const std::vector<Expr> at, indices(of));
  return cx_.load(of, at);
}

Result<const Buffer*> ScalarParser::buffer() {
  const std::size_t place = lexer_.place();
  CAMBIUM_TRY(const std::string_view name, lexer_.word("a buffer"));
  for (const Buffer* known : buffers_) {
    if (known->name == name) return known;
  }
  return Rejection(Reason::UnknownName, std::string(name)).at(lexer_.describe(place));
}

Result<std::vector<Expr>> ScalarParser::indices(const Buffer* of) {
  std::vector<Expr> at;
  const std::size_t place = lexer_.place();
  CAMBIUM_REQUIRE(lexer_.expect("["));
  while (!lexer_.at("]")) {
    if (!at.empty()) CAMBIUM_REQUIRE(lexer_.expect(","));
    CAMBIUM_TRY(Expr e, parse_index(cx_, lexer_, ",]", axes_, false));
    at.push_back(e);
  }
  CAMBIUM_REQUIRE(lexer_.expect("]"));
  if (at.size() != of->dims.size()) {
    return Rejection(Reason::WrongRank, std::string(of->name), {},
                     static_cast<std::int64_t>(of->dims.size()),
                     static_cast<std::int64_t>(at.size()))
        .at(lexer_.describe(place));
  }
  return at;
}

// The lexer stands at the parenthesis.
Result<Scalar> ScalarParser::call(std::string_view name) {
  const std::size_t place = lexer_.place();
  lexer_.advance();
  if (name == "gather") return gather();
  if (const auto type = dtype_named(name); type && *type == value_type(*type)) return typed(*type);
  std::vector<Scalar> operands;
  while (!lexer_.at(")")) {
    if (!operands.empty()) CAMBIUM_REQUIRE(lexer_.expect(","));
    CAMBIUM_TRY(Scalar operand, scalar());
    CAMBIUM_REQUIRE(enough_room(operand));
    operands.push_back(operand);
  }
  CAMBIUM_REQUIRE(lexer_.expect(")"));
  return apply(name, operands).at(lexer_.describe(place));
}

Result<Scalar> ScalarParser::apply(std::string_view name, std::span<const Scalar> operands) {
  if (name == "select" && operands.size() == 3) {
    CAMBIUM_REQUIRE(type_of_select(operands[0]->type, operands[1]->type, operands[2]->type));
    return cx_.select(operands[0], operands[1], operands[2]);
  }
  if (const auto fn = enumerator_named<UnaryFn>(name); fn && operands.size() == 1) {
    CAMBIUM_REQUIRE(type_of(*fn, operands[0]->type));
    return cx_.unary(*fn, operands[0]);
  }
  if (const auto fn = enumerator_named<BinaryFn>(name); fn && operands.size() == 2) {
    CAMBIUM_REQUIRE(type_of(*fn, operands[0]->type, operands[1]->type));
    return cx_.binary(*fn, operands[0], operands[1]);
  }
  return Rejection(Reason::UnknownFunction, std::string(name), {},
                   static_cast<std::int64_t>(operands.size()));
}

// A literal of that type, or a cast.
Result<Scalar> ScalarParser::typed(DType type) {
  const Lexer before = lexer_;
  const bool negative = lexer_.take("-");
  const bool alike =
      is_floating(type) == (lexer_.at_fraction() || lexer_.kind() == Lexer::Kind::Word);
  if (at_literal() && alike && type != DType::Bool) {
    auto number = literal(negative, type);
    if (number.ok() && lexer_.take(")")) return number;
  }
  lexer_ = before;
  CAMBIUM_TRY(Scalar operand, scalar());
  CAMBIUM_REQUIRE(enough_room(operand));
  CAMBIUM_REQUIRE(lexer_.expect(")"));
  return cx_.cast(type, operand);
}

Result<Scalar> ScalarParser::gather() {
  const std::size_t place = lexer_.place();
  CAMBIUM_TRY(const Buffer* from, buffer());
  std::vector<Scalar> at;
  while (lexer_.take(",")) {
    CAMBIUM_TRY(Scalar s, scalar());
    CAMBIUM_REQUIRE(enough_room(s));
    if (!is_integer(s->type)) {
      return Rejection(Reason::OperandType, "gather",
                       "a whole number, found " + std::string(name_of(s->type)))
          .at(lexer_.describe(place));
    }
    at.push_back(s);
  }
  CAMBIUM_REQUIRE(lexer_.expect(")"));
  if (at.size() != from->dims.size()) {
    return Rejection(Reason::WrongRank, std::string(from->name), {},
                     static_cast<std::int64_t>(from->dims.size()),
                     static_cast<std::int64_t>(at.size()))
        .at(lexer_.describe(place));
  }
  return cx_.gather(from, at);
}

}  // namespace cambium::program
