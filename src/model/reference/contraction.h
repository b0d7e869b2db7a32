// The blocked product behind convolutions, matrix products and Einsum:
//   sums[b, i, j] = sum over p of left[b, i, p] * right[b, p, j]
// added in the order of p for any blocks and threads, so the result equals that of the naive loop
// bit for bit. Functions read pieces of the operands, so a convolution never materializes its
// columns.
#pragma once

#include <cstdint>
#include <functional>

#include "base/thread_pool.h"

namespace cambium::model::reference {

template <class Sum>
struct Operand {
  // A line is a row i of the left operand or a column j of the right operand.
  // by_line:  read(b, line, begin, end, to) gives the elements [begin, end) of p of one line;
  // otherwise read(b, p, begin, end, to) gives lines [begin, end) at one p.
  bool by_line = true;
  std::function<void(std::int64_t batch, std::int64_t fixed, std::int64_t begin, std::int64_t end,
                     Sum* to)>
      read;
};

template <class Sum>
struct Contraction {
  std::int64_t batch = 1, rows = 0, columns = 0, depth = 0;
  Operand<Sum> left, right;
  std::function<void(std::int64_t batch, std::int64_t row, std::int64_t begin, std::int64_t end,
                     const Sum* sums)>
      write;  // writes columns [begin, end) of one row, each once
};

// Sum is double or std::uint64_t.
template <class Sum>
void contract(const Contraction<Sum>& contraction, ThreadPool* pool);

}  // namespace cambium::model::reference
