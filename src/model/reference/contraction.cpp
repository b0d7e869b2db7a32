#include "model/reference/contraction.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace cambium::model::reference {

namespace {

// A micro tile of 4 x 4 sums fills 8 of the 16 registers that every x86-64 has. The blocks keep one
// packed piece of each operand in the second-level cache.
constexpr std::int64_t kMicro = 4;
constexpr std::int64_t kRows = 96;
constexpr std::int64_t kColumns = 256;
constexpr std::int64_t kDepth = 256;

std::int64_t rounded_up(std::int64_t n) {
  return (n + kMicro - 1) / kMicro * kMicro;
}

template <class Sum>
std::unique_ptr<Sum[]> scratch(std::int64_t count) {
  return std::unique_ptr<Sum[]>(new Sum[static_cast<std::size_t>(count)]);
}

// Packs lines [begin, end) x depth [from, to) as panels of kMicro lines, depth by depth.
template <class Sum>
void pack(const Operand<Sum>& operand, std::int64_t batch, std::int64_t begin, std::int64_t end,
          std::int64_t from, std::int64_t to, Sum* line, Sum* packed) {
  const std::int64_t depth = to - from, lines = end - begin;
  if (lines % kMicro != 0) {  // the last panel is filled up with zeros
    Sum* last = packed + lines / kMicro * kMicro * depth;
    std::fill(last, last + kMicro * depth, Sum{});
  }
  if (operand.by_line) {
    for (std::int64_t l = 0; l < lines; ++l) {
      operand.read(batch, begin + l, from, to, line);
      Sum* out = packed + l / kMicro * kMicro * depth + l % kMicro;
      for (std::int64_t p = 0; p < depth; ++p) out[p * kMicro] = line[p];
    }
    return;
  }
  for (std::int64_t p = 0; p < depth; ++p) {
    operand.read(batch, from + p, begin, end, line);
    Sum* out = packed + p * kMicro;
    std::int64_t l = 0;
    for (; l + kMicro <= lines; l += kMicro) {
      std::memcpy(out + l * depth, line + l, kMicro * sizeof(Sum));
    }
    for (std::int64_t rest = 0; l + rest < lines; ++rest) out[l * depth + rest] = line[l + rest];
  }
}

// Goes on adding to the 4 x 4 sums at `sums`, in the order of the depth.
template <class Sum>
void multiply_panels(const Sum* left, const Sum* right, std::int64_t depth, Sum* sums,
                     std::int64_t stride) {
  typedef Sum Lanes __attribute__((vector_size(kMicro * sizeof(Sum))));
  Lanes row0, row1, row2, row3;
  std::memcpy(&row0, sums, sizeof row0);
  std::memcpy(&row1, sums + stride, sizeof row1);
  std::memcpy(&row2, sums + 2 * stride, sizeof row2);
  std::memcpy(&row3, sums + 3 * stride, sizeof row3);
  for (std::int64_t p = 0; p < depth; ++p) {
    Lanes columns;
    std::memcpy(&columns, right + p * kMicro, sizeof columns);
    const Sum* rows = left + p * kMicro;
    row0 += columns * rows[0];
    row1 += columns * rows[1];
    row2 += columns * rows[2];
    row3 += columns * rows[3];
  }
  std::memcpy(sums, &row0, sizeof row0);
  std::memcpy(sums + stride, &row1, sizeof row1);
  std::memcpy(sums + 2 * stride, &row2, sizeof row2);
  std::memcpy(sums + 3 * stride, &row3, sizeof row3);
}

template <class Sum>
void contract_block(const Contraction<Sum>& c, std::int64_t batch, std::int64_t row,
                    std::int64_t column) {
  const std::int64_t row_end = std::min(c.rows, row + kRows);
  const std::int64_t column_end = std::min(c.columns, column + kColumns);
  const std::int64_t rows = rounded_up(row_end - row);
  const std::int64_t columns = rounded_up(column_end - column);
  const std::int64_t depth = std::min(c.depth, kDepth);
  const auto sums = scratch<Sum>(rows * columns);
  const auto left = scratch<Sum>(rows * depth);
  const auto right = scratch<Sum>(columns * depth);
  const auto line = scratch<Sum>(std::max({rows, columns, depth}));
  std::fill(sums.get(), sums.get() + rows * columns, Sum{});
  for (std::int64_t from = 0; from < c.depth; from += kDepth) {
    const std::int64_t to = std::min(c.depth, from + kDepth);
    pack(c.left, batch, row, row_end, from, to, line.get(), left.get());
    pack(c.right, batch, column, column_end, from, to, line.get(), right.get());
    for (std::int64_t j = 0; j < columns; j += kMicro) {
      for (std::int64_t i = 0; i < rows; i += kMicro) {
        multiply_panels(left.get() + i * (to - from), right.get() + j * (to - from), to - from,
                        sums.get() + i * columns + j, columns);
      }
    }
  }
  for (std::int64_t i = row; i < row_end; ++i) {
    c.write(batch, i, column, column_end, sums.get() + (i - row) * columns);
  }
}

// Fewer rows than a micro tile has (depthwise convolutions, one vector times a matrix): packing
// would cost more than it saves, so lines of the right are used as they are read.
template <class Sum>
void contract_thin(const Contraction<Sum>& c, std::int64_t batch, std::int64_t column) {
  const std::int64_t column_end = std::min(c.columns, column + kColumns);
  const std::int64_t columns = column_end - column;
  const auto left = scratch<Sum>(c.rows * kDepth);
  const auto sums = scratch<Sum>(c.rows * columns);
  const auto line = scratch<Sum>(std::max(kDepth, columns));
  std::fill(sums.get(), sums.get() + c.rows * columns, Sum{});
  for (std::int64_t from = 0; from < c.depth; from += kDepth) {
    const std::int64_t depth = std::min(c.depth, from + kDepth) - from;
    if (c.left.by_line) {
      for (std::int64_t i = 0; i < c.rows; ++i) {
        c.left.read(batch, i, from, from + depth, left.get() + i * kDepth);
      }
    } else {
      for (std::int64_t p = 0; p < depth; ++p) {
        c.left.read(batch, from + p, 0, c.rows, line.get());
        for (std::int64_t i = 0; i < c.rows; ++i)
          left[static_cast<std::size_t>(i * kDepth + p)] = line[static_cast<std::size_t>(i)];
      }
    }
    const std::int64_t lines = c.right.by_line ? columns : depth;
    for (std::int64_t l = 0; l < lines; ++l) {
      const Sum* read = line.get();
      if (c.right.by_line) {
        c.right.read(batch, column + l, from, from + depth, line.get());
        for (std::int64_t i = 0; i < c.rows; ++i) {
          const Sum* row = left.get() + i * kDepth;
          Sum sum = sums[static_cast<std::size_t>(i * columns + l)];
          for (std::int64_t p = 0; p < depth; ++p) sum += row[p] * read[p];
          sums[static_cast<std::size_t>(i * columns + l)] = sum;
        }
      } else {
        c.right.read(batch, from + l, column, column_end, line.get());
        for (std::int64_t i = 0; i < c.rows; ++i) {
          const Sum factor = left[static_cast<std::size_t>(i * kDepth + l)];
          Sum* row = sums.get() + i * columns;
          for (std::int64_t j = 0; j < columns; ++j) row[j] += factor * read[j];
        }
      }
    }
  }
  for (std::int64_t i = 0; i < c.rows; ++i) {
    c.write(batch, i, column, column_end, sums.get() + i * columns);
  }
}

}  // namespace

template <class Sum>
void contract(const Contraction<Sum>& c, ThreadPool* pool) {
  if (c.batch == 0 || c.rows == 0 || c.columns == 0) return;
  const bool thin = c.rows < kMicro;
  const std::int64_t row_blocks = thin ? 1 : (c.rows + kRows - 1) / kRows;
  const std::int64_t column_blocks = (c.columns + kColumns - 1) / kColumns;
  const auto body = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block) {
      const std::int64_t column = block % column_blocks * kColumns;
      const std::int64_t row = block / column_blocks % row_blocks * kRows;
      const std::int64_t batch = block / column_blocks / row_blocks;
      if (thin) {
        contract_thin(c, batch, column);
      } else {
        contract_block(c, batch, row, column);
      }
    }
  };
  const std::int64_t blocks = c.batch * row_blocks * column_blocks;
  if (pool != nullptr) {
    pool->parallel_for(blocks, 1, body);
  } else {
    body(0, blocks);
  }
}

template void contract(const Contraction<double>&, ThreadPool*);
template void contract(const Contraction<std::uint64_t>&, ThreadPool*);

}  // namespace cambium::model::reference
