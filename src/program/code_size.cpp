#include "program/code_size.h"

#include <algorithm>

namespace cambium::program {
namespace {

// How often the body of a loop is written.
std::int64_t copies_of(const Loop& loop, std::int64_t lanes) {
  switch (loop.how) {
    case LoopKind::Unrolled: return loop.extent();
    case LoopKind::Vectorized: return (loop.extent() + lanes - 1) / lanes;
    case LoopKind::Serial: {
      const std::int64_t factor =
          std::clamp<std::int64_t>(hint_of(loop.annotations, Hint::Unroll, 1), 1, loop.extent());
      return factor + loop.extent() % factor;  // what is left over is written out behind the loop
    }
    case LoopKind::Parallel: break;
  }
  return 1;
}

}  // namespace

std::int64_t hint_of(Annotations annotations, Hint hint, std::int64_t otherwise) {
  for (const Annotation& a : annotations) {
    if (a.key == name_of(hint)) return a.number;
  }
  return otherwise;
}

std::int64_t written_operations(std::span<const Site> sites, std::int64_t lanes) {
  constexpr std::int64_t kEnough = std::int64_t{1} << 40;
  std::int64_t total = 0;
  for (const Site& site : sites) {
    std::int64_t operations = 2;
    for_each_scalar(site.block->body->value, [&](Scalar) { ++operations; });
    for (const Loop* loop : site.loops) {
      const std::int64_t copies = copies_of(*loop, std::max<std::int64_t>(lanes, 1));
      operations = copies > kEnough / operations ? kEnough : operations * copies;
    }
    total = std::min(total + operations, kEnough);
  }
  return total;
}

Status check_code_size(const Program& program, std::int64_t lanes) {
  const std::int64_t operations = written_operations(sites_of(program), lanes);
  if (operations > kMostOperations) {
    return Rejection(Reason::CodeTooLarge, operations, kMostOperations);
  }
  return Ok{};
}

}  // namespace cambium::program
