// Builds an operator from the pieces of a document, in text or JSON. Remembers where each
// coordinate stands, so that a refusal names the place of an illegal one. document.cpp and
// document_json.cpp use this.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "expr/lexer.h"
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/problem.h"
#include "spaces/coordinate/structure.h"

namespace cambium::spaces::coordinate {

// The place of a token in the document, such as `line 3, column 6`.
using PlaceOf = std::function<std::string(std::string_view token)>;

class DocumentReader {
 public:
  explicit DocumentReader(const Problem& problem) : problem_(problem) {}

  Status shapes(std::string_view input, std::string_view output) const;
  // Each reads one item from the lexer.
  Status output(expr::Lexer& lexer, const PlaceOf& place);
  Status sum(expr::Lexer& lexer, const PlaceOf& place);
  Status data(expr::Lexer& lexer, const PlaceOf& place);
  Status begin_weight();
  Status weight_axis(expr::Lexer& lexer, const PlaceOf& place);
  Status expand(expr::Lexer& lexer, const PlaceOf& place);
  // Checks the whole operator and gives its canonical form.
  Result<Operator> finish() const;

 private:
  Status leaf(CoordinateKind kind, std::string name, const expr::Size& domain, std::string place);
  Result<CoordinateIndex> coordinate(expr::Lexer& lexer, const PlaceOf& place, int depth = 0);
  Result<CoordinateIndex> application(CoordinateKind kind, expr::Lexer& lexer, const PlaceOf& place,
                                      int depth, const std::string& here);
  // Adds a coordinate with the domain that its operands give it.
  Result<CoordinateIndex> add_made(Coordinate c, const std::string& place);
  Result<CoordinateIndex> add(const Coordinate& c, const std::string& place);
  Status expands_are_listed() const;

  const Problem& problem_;
  Operator op_;
  LeafNames names_;
  std::vector<std::string> places_;  // of each coordinate
  std::vector<CoordinateIndex> expands_;
};

Result<Operator> parse_json_document(const Problem& problem, std::string_view document);
Result<DocumentShapes> json_document_shapes(std::string_view document);

}  // namespace cambium::spaces::coordinate
