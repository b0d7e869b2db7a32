// Reads the scalars and accesses of a block. Used by parse.cpp only.
#pragma once

#include <span>
#include <vector>

#include "base/scanner.h"
#include "program/context.h"

namespace cambium::program {

class ScalarParser {
 public:
  // `axes`: the meaning of names in index expressions. `buffers`: the buffers of the program.
  ScalarParser(Context& cx, Scanner& scanner, std::span<const Expr> axes,
               std::span<const Buffer* const> buffers)
      : cx_(cx), scanner_(scanner), axes_(axes), buffers_(buffers) {}

  Result<Scalar> scalar();
  // name[...]
  Result<const Buffer*> buffer();
  Result<std::vector<Expr>> indices(const Buffer* of);

 private:
  Result<Scalar> level(int at_least);
  Result<Scalar> unary();
  Result<Scalar> primary();
  Result<Scalar> named();
  Result<Scalar> call(std::string_view name);
  Result<Scalar> apply(std::string_view name, std::span<const Scalar> operands);
  Result<Scalar> gather();
  Result<Scalar> index();
  Result<Scalar> literal(bool negative, DType type);
  bool at_literal() const;
  Result<Scalar> typed(DType type);
  Status enough_room(Scalar s) const;

  Context& cx_;
  Scanner& scanner_;
  std::span<const Expr> axes_;
  std::span<const Buffer* const> buffers_;
  int depth_ = 0;
};

// Parses one index expression; a refusal names its place. Refuses a predicate unless one is
// expected, and then anything else.
Result<Expr> parse_index(Context& cx, Scanner& scanner, std::string_view stops,
                         std::span<const Expr> axes, bool is_predicate);

}  // namespace cambium::program
