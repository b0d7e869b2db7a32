#include "spaces/coordinate/document.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "expr/lexer.h"
#include "spaces/coordinate/canonical.h"
#include "spaces/coordinate/document_reader.h"
#include "spaces/coordinate/structure.h"

namespace cambium::spaces::coordinate {
namespace {

using expr::Lexer;

bool is_json(std::string_view document) {
  return trim(document).substr(0, 1) == "{";
}

// Consumes a shape and returns its text.
Result<std::string> shape_here(Lexer& lexer) {
  std::string shape;
  if (!lexer.at("[")) return lexer.refuse("'['");
  while (!lexer.at("]")) {
    if (lexer.at_end()) return lexer.refuse("']'");
    shape += lexer.token();
    lexer.advance();
  }
  lexer.advance();
  return shape + "]";
}

Result<DocumentShapes> header_here(Lexer& lexer) {
  DocumentShapes shapes;
  CAMBIUM_REQUIRE(lexer.expect_word("operator"));
  CAMBIUM_TRY(shapes.input, shape_here(lexer));
  CAMBIUM_REQUIRE(lexer.expect("-"));
  CAMBIUM_REQUIRE(lexer.expect(">"));
  CAMBIUM_TRY(shapes.output, shape_here(lexer));
  return shapes;
}

// Reads items separated by commas.
template <class Item>
Status list_here(Lexer& lexer, const Item& item) {
  do {
    CAMBIUM_REQUIRE(item());
  } while (lexer.take(","));
  return Ok{};
}

Result<Operator> parse_text(const Problem& problem, std::string_view text) {
  DocumentReader reader(problem);
  Lexer lexer(text, true);
  const PlaceOf place = [&](std::string_view token) {
    return lexer.describe(lexer.place_of(token));
  };
  CAMBIUM_TRY(const DocumentShapes shapes, header_here(lexer));
  CAMBIUM_REQUIRE(reader.shapes(shapes.input, shapes.output));
  CAMBIUM_REQUIRE(lexer.expect_word("out"));
  CAMBIUM_REQUIRE(list_here(lexer, [&] { return reader.output(lexer, place); }));
  if (lexer.take_word("sum")) {
    CAMBIUM_REQUIRE(list_here(lexer, [&] { return reader.sum(lexer, place); }));
  }
  CAMBIUM_REQUIRE(lexer.expect_word("x"));
  CAMBIUM_REQUIRE(list_here(lexer, [&] { return reader.data(lexer, place); }));
  for (int number = 1; lexer.take_word("w" + std::to_string(number)); ++number) {
    CAMBIUM_REQUIRE(reader.begin_weight());
    CAMBIUM_REQUIRE(list_here(lexer, [&] { return reader.weight_axis(lexer, place); }));
  }
  if (lexer.take_word("expand")) {
    CAMBIUM_REQUIRE(list_here(lexer, [&] { return reader.expand(lexer, place); }));
  }
  if (!lexer.at_end()) return lexer.refuse("',', the next weight, expand or the end");
  return reader.finish();
}

// Renames the used variables in the order of their names, because an identity must not depend on
// the order in which a problem declares them.
class Renaming {
 public:
  Renaming(const Problem& problem, const Operator& op) {
    std::vector<std::pair<std::string, expr::SizeVar>> used;
    for (const expr::SizeVar v : problem.sizes.vars()) {
      const auto has = [&](const expr::Size& size) { return size.powers()[v] != 0; };
      const bool in_use =
          std::any_of(problem.input.begin(), problem.input.end(), has) ||
          std::any_of(problem.output.begin(), problem.output.end(), has) ||
          std::any_of(op.coordinates.begin(), op.coordinates.end(),
                      [&](const Coordinate& c) { return has(c.domain) || has(c.parameter); });
      if (in_use) used.emplace_back(problem.sizes.name(v), v);
    }
    std::sort(used.begin(), used.end());
    for (std::size_t i = 0; i < used.size(); ++i) {
      const auto& [name, from] = used[i];
      const auto to = i < expr::kMaxPrimary ? problem_.sizes.add_primary(name)
                                            : problem_.sizes.add_coefficient(name);
      vars_.emplace_back(from, *to);
    }
    for (const expr::Size& axis : problem.input) problem_.input.push_back(of(axis));
    for (const expr::Size& axis : problem.output) problem_.output.push_back(of(axis));
  }

  const Problem& problem() const { return problem_; }
  expr::Size of(const expr::Size& size) const {
    expr::Powers powers{};
    for (const auto& [from, to] : vars_) {
      CAMBIUM_CHECK(powers.set(to, size.powers()[from]), "a power that fitted before");
    }
    return expr::Size(size.factor(), powers);
  }
  Operator of(Operator op) const {
    for (Coordinate& c : op.coordinates) {
      c.domain = of(c.domain);
      c.parameter = of(c.parameter);
    }
    return op;
  }

 private:
  Problem problem_;
  std::vector<std::pair<expr::SizeVar, expr::SizeVar>> vars_;
};

}  // namespace

Result<DocumentShapes> document_shapes(std::string_view document) {
  if (is_json(document)) return json_document_shapes(document);
  Lexer lexer(document, true);
  return header_here(lexer);
}

Result<Operator> parse(const Problem& problem, std::string_view document) {
  if (is_json(document)) return parse_json_document(problem, document);
  return parse_text(problem, document);
}

std::string to_text(const Problem& problem, const Operator& any) {
  const Operator op = canonical(any);
  const LeafNames names = derived_names(problem, op);
  const std::size_t outputs = output_count(op);
  std::string text = "operator " + shape_text(problem.sizes, problem.input) + " -> " +
                     shape_text(problem.sizes, problem.output) + "\n";
  const auto line = [&](std::string head, const std::vector<std::string>& items) {
    head.resize(std::max<std::size_t>(head.size() + 1, 8), ' ');
    if (!items.empty()) text += head + join(items, ", ") + "\n";
  };
  const auto texts = [&](const std::vector<CoordinateIndex>& places) {
    std::vector<std::string> items;
    for (const CoordinateIndex i : places) items.push_back(coordinate_text(problem, op, names, i));
    return items;
  };
  std::vector<std::string> out;
  std::vector<std::string> sums;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i < outputs) out.push_back(names[i]);
    if (i >= outputs)
      sums.push_back(names[i] + ": " + problem.sizes.print(op.coordinates[i].domain));
  }
  line("out", out);
  line("sum", sums);
  line("x", texts(op.data));
  for (std::size_t w = 0; w < op.weights.size(); ++w) {
    line("w" + std::to_string(w + 1), texts(op.weights[w]));
  }
  line("expand", texts(expanded_alone(op)));
  return text;
}

Fingerprint identity(const Problem& problem, const Operator& op) {
  const Renaming renaming(problem, op);
  return fingerprint_of(to_text(renaming.problem(), renaming.of(op)));
}

}  // namespace cambium::spaces::coordinate
