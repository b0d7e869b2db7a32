// The two factors of a normalized sum of products, and where it reads them.
#pragma once

#include <span>
#include <vector>

#include "program/program.h"

namespace cambium::schedule {

struct NestParts {
  const program::Buffer* x = nullptr;
  const program::Buffer* weights = nullptr;
  std::span<const program::Expr> x_at, weights_at;
  std::vector<program::Expr> conditions;  // of selects
};

NestParts parts_of(const program::Body& body);

}  // namespace cambium::schedule
