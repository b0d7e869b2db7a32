#include "spaces/coordinate/problem.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "expr/lexer.h"
#include "expr/print_shape.h"

namespace cambium::spaces::coordinate {
namespace {

using expr::Lexer;
using expr::Size;
using expr::SizeTable;
using expr::SizeVar;

// The names in one axis, before the kind of each variable is known.
using AxisNames = std::vector<std::string>;

Result<std::vector<AxisNames>> names_in_shape(std::string_view text) {
  Lexer lexer(text);
  CAMBIUM_REQUIRE(lexer.expect("["));
  std::vector<AxisNames> axes(1);
  while (!lexer.at("]")) {
    if (lexer.at_end()) return lexer.refuse("']'");
    if (lexer.kind() == Lexer::Kind::Name) axes.back().emplace_back(lexer.token());
    if (lexer.at(",")) axes.emplace_back();
    lexer.advance();
  }
  lexer.advance();
  if (!lexer.at_end()) return lexer.refuse("the end");
  return axes;
}

Status declare(SizeTable& table, std::string_view name, bool primary) {
  if (table.find(name)) return Ok{};
  const auto added = primary ? table.add_primary(name) : table.add_coefficient(name);
  if (!added.ok()) return added.rejection();
  return Ok{};
}

// The primary variables (see problem_of).
Status declare_shape_variables(SizeTable& table, const std::vector<AxisNames>& axes) {
  std::set<std::string> alone;
  for (const AxisNames& axis : axes) {
    if (axis.size() == 1) alone.insert(axis.front());
  }
  const auto is_alone = [&](const std::string& name) { return alone.contains(name); };
  std::set<std::string> primary = alone;
  for (const AxisNames& axis : axes) {
    if (std::none_of(axis.begin(), axis.end(), is_alone)) primary.insert(axis.begin(), axis.end());
  }
  for (const AxisNames& axis : axes) {
    for (const std::string& name : axis) {
      CAMBIUM_REQUIRE(declare(table, name, primary.contains(name)));
    }
  }
  return Ok{};
}

Status declare_binding_variables(SizeTable& table, std::string_view text) {
  Lexer lexer(text);
  for (; !lexer.at_end(); lexer.advance()) {
    if (lexer.kind() == Lexer::Kind::Name) CAMBIUM_REQUIRE(declare(table, lexer.token(), false));
  }
  return Ok{};
}

Result<std::vector<Size>> parse_shape(const SizeTable& table, std::string_view text) {
  Lexer lexer(text);
  CAMBIUM_REQUIRE(lexer.expect("["));
  std::vector<Size> shape;
  do {
    CAMBIUM_TRY(const Size axis, table.parse(lexer));
    shape.push_back(axis);
  } while (lexer.take(","));
  CAMBIUM_REQUIRE(lexer.expect("]"));
  if (shape.size() > kMaxRank) {
    return Rejection(Reason::RankTooHigh, static_cast<std::int64_t>(shape.size()),
                     static_cast<std::int64_t>(kMaxRank));
  }
  return shape;
}

Status require_countable(const std::vector<Size>& shape, const expr::Binding& binding) {
  std::int64_t elements = 1;
  for (const Size& axis : shape) {
    CAMBIUM_TRY(const std::int64_t extent, expr::evaluate(axis, binding));
    if (__builtin_mul_overflow(elements, extent, &elements)) {
      return Rejection(Reason::SizeOverflow);
    }
  }
  return Ok{};
}

bool is_batch(const Problem& problem) {
  const std::vector<Size>&in = problem.input, &out = problem.output;
  if (in.size() < 2 || out.size() < 2 || in.front() != out.front()) return false;
  const std::vector<SizeVar> vars = problem.sizes.vars();
  const auto first =
      std::find_if(vars.begin(), vars.end(), [&](SizeVar v) { return in.front() == Size::var(v); });
  if (first == vars.end()) return false;
  const auto free_of_it = [&](const Size& axis) { return axis.powers()[*first] == 0; };
  return std::all_of(in.begin() + 1, in.end(), free_of_it) &&
         std::all_of(out.begin() + 1, out.end(), free_of_it);
}

Result<expr::Binding> complete_binding(const Problem& problem, std::string_view text) {
  CAMBIUM_TRY(const expr::Binding binding, problem.sizes.parse_binding(text));
  for (const SizeVar v : problem.sizes.vars()) {
    if (!binding.has(v)) {
      return Rejection(Reason::MissingField, problem.sizes.name(v), "a positive number");
    }
  }
  return binding;
}

std::string binding_place(std::size_t i) {
  return "binding " + std::to_string(i);
}

}  // namespace

Result<Problem> problem_to_pad(std::string_view input, std::string_view output,
                               std::span<const std::string> bindings) {
  Problem problem;
  CAMBIUM_TRY(std::vector<AxisNames> axes, names_in_shape(input).at("input"));
  CAMBIUM_TRY(const std::vector<AxisNames> more, names_in_shape(output).at("output"));
  axes.insert(axes.end(), more.begin(), more.end());
  CAMBIUM_REQUIRE(declare_shape_variables(problem.sizes, axes));
  for (const std::string& text : bindings) {
    CAMBIUM_REQUIRE(declare_binding_variables(problem.sizes, text));
  }
  CAMBIUM_TRY(problem.input, parse_shape(problem.sizes, input).at("input"));
  CAMBIUM_TRY(problem.output, parse_shape(problem.sizes, output).at("output"));
  if (is_batch(problem)) problem.fixed.push_back({0, 0});
  if (bindings.empty()) return Rejection(Reason::MissingField, "binding", "given at least once");
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    CAMBIUM_TRY(const expr::Binding binding,
                complete_binding(problem, bindings[i]).at(binding_place(i)));
    problem.bindings.push_back(binding);
  }
  return problem;
}

Status check_shapes(const Problem& problem) {
  for (std::size_t i = 0; i < problem.bindings.size(); ++i) {
    for (const auto* shape : {&problem.input, &problem.output}) {
      CAMBIUM_REQUIRE(require_countable(*shape, problem.bindings[i])
                          .at(shape_text(problem.sizes, *shape))
                          .at(binding_place(i)));
    }
  }
  return Ok{};
}

Result<Problem> problem_of(std::string_view input, std::string_view output,
                           std::span<const std::string> bindings) {
  CAMBIUM_TRY(Problem problem, problem_to_pad(input, output, bindings));
  CAMBIUM_REQUIRE(check_shapes(problem));
  return problem;
}

std::string shape_text(const SizeTable& sizes, std::span<const Size> shape) {
  return expr::print_shape(sizes, shape);
}

}  // namespace cambium::spaces::coordinate
