#include "program/operations.h"

#include "program/walk.h"

namespace cambium::program {

std::int64_t operations_of(const Program& program) {
  std::int64_t total = 0;
  for (const Site& site : sites_of(program)) {
    const Body& body = *site.block->body;
    std::int64_t each = body.combine == Combine::Assign ? 0 : 1;
    for_each_scalar(body.value, [&each](Scalar scalar) {
      const bool computes = scalar->kind == ScalarKind::Unary ||
                            scalar->kind == ScalarKind::Binary ||
                            scalar->kind == ScalarKind::Select;
      each += computes ? 1 : 0;
    });
    for (const Loop* loop : site.loops) each *= loop->extent();
    total += each;
  }
  return total;
}

}  // namespace cambium::program
