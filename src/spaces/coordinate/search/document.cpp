#include "spaces/coordinate/search/document.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "expr/lexer.h"
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/known.h"

namespace cambium::spaces::coordinate {

namespace {

constexpr std::string_view kLet = "let ";

bool uses(const Operator& op, expr::SizeVar var) {
  return std::any_of(op.coordinates.begin(), op.coordinates.end(), [&](const Coordinate& c) {
    return c.domain.powers()[var] != 0 || c.parameter.powers()[var] != 0;
  });
}

// k=3, g=8
Result<Values> read_values(std::string_view text) {
  Values values;
  expr::Lexer lexer(text);
  do {
    if (lexer.kind() != expr::Lexer::Kind::Name) return lexer.refuse("a coefficient");
    const std::string name(lexer.token());
    lexer.advance();
    CAMBIUM_REQUIRE(lexer.expect("="));
    const auto value = parse_int(lexer.token(), 1);
    if (!value.ok()) return lexer.refuse("a positive number");
    lexer.advance();
    values[name] = *value;
  } while (lexer.take(","));
  if (!lexer.at_end()) return lexer.refuse("',' or the end of the line");
  return values;
}

}  // namespace

Result<EditDocument> read_edit_document(std::string_view text) {
  EditDocument document;
  document.op = text;
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || text.substr(begin, kLet.size()) != kLet) return document;
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  CAMBIUM_TRY(document.values,
              read_values(text.substr(begin + kLet.size(), end - begin - kLet.size())).at("let"));
  document.op.replace(begin, end - begin, end - begin, ' ');
  return document;
}

std::optional<std::string> catalogue_document(std::string_view written) {
  const std::size_t end = std::min(written.find(' '), written.size());
  const KnownOperator* known = find_known(written.substr(0, end));
  if (known == nullptr) return std::nullopt;
  const std::string values(trim(written.substr(end)));
  return (values.empty() ? "" : "let " + values + "\n") + std::string(known->document);
}

std::string edit_document(const Problem& problem, const Operator& op, const Values& values) {
  std::vector<std::string> used;
  for (const auto& [name, value] : values) {
    const auto var = problem.sizes.find(name);
    if (var && uses(op, *var)) used.push_back(name + "=" + std::to_string(value));
  }
  const std::string let = used.empty() ? "" : "let     " + join(used, ", ") + "\n";
  return let + to_text(problem, op);
}

}  // namespace cambium::spaces::coordinate
