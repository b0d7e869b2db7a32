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
std::optional<BinaryFn> sign_here(const Scanner& scanner, int level, bool& swapped) {
  swapped = false;
  if (scanner.kind() != Scanner::Kind::Sign) return std::nullopt;
  if (level == kComparisonLevel && (scanner.at(">") || scanner.at(">="))) {
    swapped = true;
    return scanner.at(">") ? BinaryFn::Less : BinaryFn::LessEqual;
  }
#define CAMBIUM_X(enumerator, name, operands, sign, its_level) \
  if (level == its_level && scanner.at(sign)) return BinaryFn::enumerator;
  CAMBIUM_FOR_EACH_BINARY_FN(CAMBIUM_X)
#undef CAMBIUM_X
  return std::nullopt;
}

// A number with a point or an exponent.
bool at_fraction(const Scanner& scanner) {
  return scanner.kind() == Scanner::Kind::Number &&
         scanner.token().find_first_of(".eE") != std::string_view::npos;
}

template <class T>
bool parse_number(std::string_view text, T& number) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size();
}

}  // namespace

Result<Expr> parse_index(Context& cx, Scanner& scanner, std::string_view stops,
                         std::span<const Expr> axes, bool is_predicate) {
  const std::size_t place = scanner.place();
  const std::string_view text = scanner.until(stops);
  const auto meaning = [axes](std::string_view name) -> Expr {
    for (Expr axis : axes) {
      if (expr::name_of(axis) == name) return axis;
    }
    return nullptr;
  };
  auto parsed = expr::parse(cx.indices(), text, meaning);
  if (!parsed.ok()) {
    return std::move(parsed).rejection().at("index " + quote(text)).at(scanner.describe(place));
  }
  if (!is_finite(*parsed)) {
    return Rejection(Reason::IndexOverflow).at("index " + quote(text)).at(scanner.describe(place));
  }
  if (expr::is_predicate(*parsed) != is_predicate) {
    const std::string_view wanted = is_predicate ? "a predicate" : "an index";
    const std::string_view found = is_predicate ? "an index" : "a predicate";
    return Rejection(Reason::WrongOperand, std::string(wanted), std::string(found))
        .at(scanner.describe(place));
  }
  return *parsed;
}

Result<Scalar> ScalarParser::scalar() {
  return level(0);
}

Status ScalarParser::enough_room(Scalar s) const {
  if (s->depth >= kDeepestScalar) {
    return Rejection(Reason::TooDeep, kDeepestScalar).at(scanner_.describe(scanner_.place()));
  }
  return Ok{};
}

Result<Scalar> ScalarParser::level(int at_least) {
  if (at_least == kUnaryLevel) return unary();
  CAMBIUM_TRY(Scalar left, level(at_least + 1));
  bool swapped = false;
  while (const auto fn = sign_here(scanner_, at_least, swapped)) {
    const std::size_t place = scanner_.place();
    scanner_.advance();
    CAMBIUM_TRY(Scalar right, level(at_least + 1));
    CAMBIUM_REQUIRE(enough_room(left));
    CAMBIUM_REQUIRE(enough_room(right));
    if (swapped) std::swap(left, right);
    CAMBIUM_REQUIRE(type_of(*fn, left->type, right->type).at(scanner_.describe(place)));
    left = cx_.binary(*fn, left, right);
    if (at_least == kComparisonLevel) break;
  }
  return left;
}

Result<Scalar> ScalarParser::unary() {
  if (++depth_ > kDeepestNesting) {
    return Rejection(Reason::TooDeep, kDeepestNesting).at(scanner_.describe(scanner_.place()));
  }
  const std::size_t place = scanner_.place();
  const bool minus = scanner_.take("-");
  if (!minus && !scanner_.take("!")) {
    CAMBIUM_TRY(Scalar s, primary());
    --depth_;
    return s;
  }
  if (minus && at_literal()) {
    --depth_;
    return literal(true, at_fraction(scanner_) || scanner_.kind() == Scanner::Kind::Name
                             ? DType::F32
                             : DType::I64);
  }
  CAMBIUM_TRY(Scalar operand, unary());
  CAMBIUM_REQUIRE(enough_room(operand));
  const UnaryFn fn = minus ? UnaryFn::Neg : UnaryFn::Not;
  CAMBIUM_REQUIRE(type_of(fn, operand->type).at(scanner_.describe(place)));
  --depth_;
  return cx_.unary(fn, operand);
}

bool ScalarParser::at_literal() const {
  return scanner_.kind() == Scanner::Kind::Number || scanner_.at_word("inf") ||
         scanner_.at_word("nan");
}

// A number of that type; the scanner stands at its digits.
Result<Scalar> ScalarParser::literal(bool negative, DType type) {
  if (is_floating(type)) {
    double value = std::numeric_limits<double>::infinity();
    if (scanner_.at_word("nan")) value = std::numeric_limits<double>::quiet_NaN();
    if (scanner_.kind() == Scanner::Kind::Number) {
      float narrow = 0;
      const bool ok = type == DType::F32 ? parse_number(scanner_.token(), narrow)
                                         : parse_number(scanner_.token(), value);
      if (!ok) return scanner_.refuse("a number of type " + std::string(name_of(type)));
      if (type == DType::F32) value = static_cast<double>(narrow);
    }
    scanner_.advance();
    return cx_.constant(negative ? -value : value, type);
  }
  const std::string digits = (negative ? "-" : "") + std::string(scanner_.token());
  std::int64_t number = 0;
  std::uint64_t bits = 0;
  bool ok = parse_number(digits, number) && fits(number, type);
  if (type == DType::U64) {
    ok = parse_number(digits, bits);
    number = static_cast<std::int64_t>(bits);
  }
  if (!ok) return scanner_.refuse("a number of type " + std::string(name_of(type)));
  scanner_.advance();
  return cx_.whole(number, type);
}

Result<Scalar> ScalarParser::primary() {
  if (scanner_.take("(")) {
    CAMBIUM_TRY(Scalar s, scalar());
    CAMBIUM_REQUIRE(scanner_.expect(")"));
    return s;
  }
  if (scanner_.at("[")) return index();
  if (at_literal()) {
    const bool fraction = at_fraction(scanner_) || scanner_.kind() == Scanner::Kind::Name;
    return literal(false, fraction ? DType::F32 : DType::I64);
  }
  if (scanner_.kind() == Scanner::Kind::Name) return named();
  return scanner_.refuse("a value");
}

// [i < 3] is a bool, [i] a whole number.
Result<Scalar> ScalarParser::index() {
  scanner_.advance();
  Scanner again = scanner_;
  auto number = parse_index(cx_, scanner_, "]", axes_, false);
  if (!number.ok() && number.rejection().reason() == Reason::WrongOperand) {
    scanner_ = again;
    number = parse_index(cx_, scanner_, "]", axes_, true);
  }
  CAMBIUM_TRY(Expr e, std::move(number));
  CAMBIUM_REQUIRE(scanner_.expect("]"));
  return cx_.index(e);
}

Result<Scalar> ScalarParser::named() {
  const std::string_view name = scanner_.token();
  if (scanner_.take_word("true")) return cx_.truth(true);
  if (scanner_.take_word("false")) return cx_.truth(false);
  Scanner ahead = scanner_;
  ahead.advance();
  if (ahead.at("(")) {
    scanner_ = ahead;
    return call(name);
  }
  CAMBIUM_TRY(const Buffer* of, buffer());
  CAMBIUM_TRY(const std::vector<Expr> at, indices(of));
  return cx_.load(of, at);
}

Result<const Buffer*> ScalarParser::buffer() {
  const std::size_t place = scanner_.place();
  CAMBIUM_TRY(const std::string_view name, scanner_.word("a buffer"));
  for (const Buffer* known : buffers_) {
    if (known->name == name) return known;
  }
  return Rejection(Reason::UnknownName, std::string(name)).at(scanner_.describe(place));
}

Result<std::vector<Expr>> ScalarParser::indices(const Buffer* of) {
  std::vector<Expr> at;
  const std::size_t place = scanner_.place();
  CAMBIUM_REQUIRE(scanner_.expect("["));
  while (!scanner_.at("]")) {
    if (!at.empty()) CAMBIUM_REQUIRE(scanner_.expect(","));
    CAMBIUM_TRY(Expr e, parse_index(cx_, scanner_, ",]", axes_, false));
    at.push_back(e);
  }
  CAMBIUM_REQUIRE(scanner_.expect("]"));
  if (at.size() != of->dims.size()) {
    return Rejection(Reason::WrongRank, std::string(of->name), {},
                     static_cast<std::int64_t>(of->dims.size()),
                     static_cast<std::int64_t>(at.size()))
        .at(scanner_.describe(place));
  }
  return at;
}

// The scanner stands at the parenthesis.
Result<Scalar> ScalarParser::call(std::string_view name) {
  const std::size_t place = scanner_.place();
  scanner_.advance();
  if (name == "gather") return gather();
  if (const auto type = dtype_named(name); type && *type == value_type(*type)) return typed(*type);
  std::vector<Scalar> operands;
  while (!scanner_.at(")")) {
    if (!operands.empty()) CAMBIUM_REQUIRE(scanner_.expect(","));
    CAMBIUM_TRY(Scalar operand, scalar());
    CAMBIUM_REQUIRE(enough_room(operand));
    operands.push_back(operand);
  }
  CAMBIUM_REQUIRE(scanner_.expect(")"));
  return apply(name, operands).at(scanner_.describe(place));
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
  const Scanner before = scanner_;
  const bool negative = scanner_.take("-");
  const bool alike =
      is_floating(type) == (at_fraction(scanner_) || scanner_.kind() == Scanner::Kind::Name);
  if (at_literal() && alike && type != DType::Bool) {
    auto number = literal(negative, type);
    if (number.ok() && scanner_.take(")")) return number;
  }
  scanner_ = before;
  CAMBIUM_TRY(Scalar operand, scalar());
  CAMBIUM_REQUIRE(enough_room(operand));
  CAMBIUM_REQUIRE(scanner_.expect(")"));
  return cx_.cast(type, operand);
}

Result<Scalar> ScalarParser::gather() {
  const std::size_t place = scanner_.place();
  CAMBIUM_TRY(const Buffer* from, buffer());
  std::vector<Scalar> at;
  while (scanner_.take(",")) {
    CAMBIUM_TRY(Scalar s, scalar());
    CAMBIUM_REQUIRE(enough_room(s));
    if (!is_integer(s->type)) {
      return Rejection(Reason::OperandType, "gather",
                       "a whole number, found " + std::string(name_of(s->type)))
          .at(scanner_.describe(place));
    }
    at.push_back(s);
  }
  CAMBIUM_REQUIRE(scanner_.expect(")"));
  if (at.size() != from->dims.size()) {
    return Rejection(Reason::WrongRank, std::string(from->name), {},
                     static_cast<std::int64_t>(from->dims.size()),
                     static_cast<std::int64_t>(at.size()))
        .at(scanner_.describe(place));
  }
  return cx_.gather(from, at);
}

}  // namespace cambium::program
