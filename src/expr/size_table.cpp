#include "expr/size_table.h"

#include <limits>

namespace cambium::expr {
namespace {

constexpr int kDeepestSize = 64;  // parentheses in the text of a size

}  // namespace

Result<SizeVar> SizeTable::add(std::string_view name, int& count, int first,
                               std::string_view kind) {
  if (!is_name(name)) return Rejection(Reason::BadName, std::string(name));
  if (find(name)) return Rejection(Reason::NameTaken, std::string(name));
  static_assert(kMaxPrimary == kMaxCoefficient);
  if (count == kMaxPrimary) {
    return Rejection(Reason::TooManySizeVars, std::string(name), std::string(kind), kMaxPrimary);
  }
  const SizeVar v{static_cast<std::uint8_t>(first + count)};
  ++count;
  names_[v.index] = name;
  return v;
}

Result<SizeVar> SizeTable::add_primary(std::string_view name) {
  return add(name, primaries_, 0, "primary");
}

Result<SizeVar> SizeTable::add_coefficient(std::string_view name) {
  return add(name, coefficients_, kMaxPrimary, "coefficient");
}

std::optional<SizeVar> SizeTable::find(std::string_view name) const {
  for (const SizeVar v : vars()) {
    if (names_[v.index] == name) return v;
  }
  return std::nullopt;
}

std::vector<SizeVar> SizeTable::vars() const {
  std::vector<SizeVar> all;
  for (int i = 0; i < primaries_; ++i) all.push_back({static_cast<std::uint8_t>(i)});
  for (int i = 0; i < coefficients_; ++i) {
    all.push_back({static_cast<std::uint8_t>(kMaxPrimary + i)});
  }
  return all;
}

std::string SizeTable::print(const Size& size) const {
  std::string above;
  std::string below;
  if (size.factor() != 1) above = std::to_string(size.factor());
  const auto write = [&](SizeVar v) {
    const int power = size.powers()[v];
    if (power == 0) return;
    if (power < 0) below += "/";
    if (power > 0 && !above.empty()) above += "*";
    std::string& out = power < 0 ? below : above;
    out += names_[v.index];
    const int shown = power < 0 ? -power : power;
    if (shown != 1) out += "^" + std::to_string(shown);
  };
  for (int i = kMaxPrimary; i < kMaxVars; ++i) write({static_cast<std::uint8_t>(i)});
  for (int i = 0; i < kMaxPrimary; ++i) write({static_cast<std::uint8_t>(i)});
  return (above.empty() ? "1" : above) + below;
}

Result<Size> SizeTable::parse_unit(Lexer& lexer, int depth) const {
  Size base;
  if (const auto number = lexer.whole()) {
    CAMBIUM_TRY(base, Size::constant(*number));
    lexer.advance();
  } else if (lexer.kind() == Lexer::Kind::Name) {
    const std::optional<SizeVar> v = find(lexer.token());
    if (!v) return Rejection(Reason::UnknownName, std::string(lexer.token()));
    base = Size::var(*v);
    lexer.advance();
  } else if (depth < kDeepestSize && lexer.take("(")) {
    CAMBIUM_TRY(base, parse_product(lexer, depth + 1));
    CAMBIUM_REQUIRE(lexer.expect(")"));
  } else {
    return lexer.refuse("a size");
  }
  if (!lexer.take("^")) return base;
  const bool negative = lexer.take("-");
  CAMBIUM_TRY(const std::int64_t exponent, lexer.whole("a power"));
  if (exponent > std::numeric_limits<std::int8_t>::max()) return Rejection(Reason::SizePowerRange);
  return power(base, static_cast<int>(negative ? -exponent : exponent));
}

Result<Size> SizeTable::parse_product(Lexer& lexer, int depth) const {
  CAMBIUM_TRY(Size size, parse_unit(lexer, depth));
  while (lexer.at("*") || lexer.at("/")) {
    const bool times = lexer.at("*");
    lexer.advance();
    CAMBIUM_TRY(const Size next, parse_unit(lexer, depth));
    CAMBIUM_TRY(size, times ? product(size, next) : quotient(size, next));
  }
  return size;
}

Result<Size> SizeTable::parse(Lexer& lexer) const {
  return parse_product(lexer, 0);
}

Result<Size> SizeTable::parse(std::string_view text) const {
  Lexer lexer(text);
  CAMBIUM_TRY(const Size size, parse(lexer));
  if (!lexer.at_end()) return lexer.refuse("'*', '/' or the end");
  return size;
}

std::string SizeTable::print(const Binding& binding) const {
  std::string out;
  for (const SizeVar v : vars()) {
    if (!binding.has(v)) continue;
    if (!out.empty()) out += ", ";
    out += names_[v.index] + "=" + std::to_string(binding[v]);
  }
  return out;
}

Result<Binding> SizeTable::parse_binding(std::string_view text) const {
  Lexer lexer(text);
  Binding binding;
  while (!lexer.at_end()) {
    if (lexer.kind() != Lexer::Kind::Name) return lexer.refuse("a size variable");
    const std::optional<SizeVar> v = find(lexer.token());
    if (!v) return Rejection(Reason::UnknownName, std::string(lexer.token()));
    if (binding.has(*v)) return Rejection(Reason::NameTaken, std::string(lexer.token()));
    lexer.advance();
    CAMBIUM_REQUIRE(lexer.expect("="));
    CAMBIUM_TRY(const std::int64_t value, lexer.whole("a positive number"));
    CAMBIUM_REQUIRE(binding.set(*v, value));
    if (!lexer.at_end()) CAMBIUM_REQUIRE(lexer.expect(","));
  }
  return binding;
}

}  // namespace cambium::expr
