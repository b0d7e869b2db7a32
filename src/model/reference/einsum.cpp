// Einsum: each input is first reduced to distinct axes that somebody else needs, then joined from
// left to right by products; sums stay unrounded until the end.
#include "model/einsum.h"

#include <algorithm>
#include <array>
#include <string>

#include "model/reference/contraction.h"
#include "model/reference/kernels.h"

namespace cambium::model::reference {

namespace {

using Sizes = std::array<std::int64_t, 128>;  // by letter

template <class S>
struct Factor {
  std::string axes;  // distinct letters, slowest first
  std::vector<S> elements;
};

std::int64_t extent(const std::string& axes, const Sizes& sizes) {
  std::int64_t count = 1;
  for (const char axis : axes) count *= sizes[static_cast<std::size_t>(axis)];
  return count;
}

bool has(const std::string& axes, char axis) {
  return axes.find(axis) != std::string::npos;
}

// The elements of `data`, whose axes are `from` (letters may repeat: the diagonal), summed over the
// letters that `to` lacks and laid out in the order of `to`.
template <class S, class T>
Factor<S> rearranged(const T* data, const std::string& from, const std::string& to,
                     const Sizes& sizes) {
  std::string axes = to;
  for (const char axis : from) {
    if (!has(axes, axis)) axes += axis;
  }
  Sizes strides{};
  std::int64_t stride = 1;
  for (std::size_t i = from.size(); i-- > 0;) {
    strides[static_cast<std::size_t>(from[i])] += stride;
    stride *= sizes[static_cast<std::size_t>(from[i])];
  }
  Factor<S> out{to, std::vector<S>(static_cast<std::size_t>(extent(to, sizes)))};
  const std::int64_t total = extent(axes, sizes);
  const std::int64_t summed = out.elements.empty() ? 0 : total / extent(to, sizes);
  std::vector<std::int64_t> index(axes.size());
  std::int64_t offset = 0;
  for (std::int64_t i = 0; i < total; ++i) {
    out.elements[static_cast<std::size_t>(i / summed)] += convert<S>(data[offset]);
    for (std::size_t axis = axes.size(); axis-- > 0;) {
      const auto letter = static_cast<std::size_t>(axes[axis]);
      offset += strides[letter];
      if (++index[axis] < sizes[letter]) break;
      offset -= strides[letter] * sizes[letter];
      index[axis] = 0;
    }
  }
  return out;
}

template <class S>
Factor<S> joined(const Factor<S>& a, const Factor<S>& b, const std::string& needed,
                 const Sizes& sizes, ThreadPool* pool) {
  std::string batch, rows, columns, depth;
  for (const char axis : a.axes) {
    (!has(b.axes, axis) ? rows : has(needed, axis) ? batch : depth) += axis;
  }
  for (const char axis : b.axes) {
    if (!has(a.axes, axis)) columns += axis;
  }
  const Factor<S> left = rearranged<S>(a.elements.data(), a.axes, batch + rows + depth, sizes);
  const Factor<S> right = rearranged<S>(b.elements.data(), b.axes, batch + depth + columns, sizes);
  Factor<S> out{batch + rows + columns, {}};
  out.elements.resize(static_cast<std::size_t>(extent(out.axes, sizes)));
  Contraction<S> c;
  c.batch = extent(batch, sizes);
  c.rows = extent(rows, sizes);
  c.columns = extent(columns, sizes);
  c.depth = extent(depth, sizes);
  c.left.read = [&](std::int64_t i, std::int64_t row, std::int64_t begin, std::int64_t end, S* to) {
    const S* from = left.elements.data() + (i * c.rows + row) * c.depth;
    std::copy(from + begin, from + end, to);
  };
  c.right.by_line = false;
  c.right.read = [&](std::int64_t i, std::int64_t p, std::int64_t begin, std::int64_t end, S* to) {
    const S* from = right.elements.data() + (i * c.depth + p) * c.columns;
    std::copy(from + begin, from + end, to);
  };
  c.write = [&](std::int64_t i, std::int64_t row, std::int64_t begin, std::int64_t end,
                const S* sums) {
    std::copy(sums, sums + (end - begin),
              out.elements.data() + (i * c.rows + row) * c.columns + begin);
  };
  contract(c, pool);
  return out;
}

// Joining from the left can need more room than the result does; what no tensor may be, no
// intermediate may be either.
Status require_room(const std::string& axes, const Sizes& sizes) {
  TensorType type{DType::F64, {}};
  for (const char axis : axes) type.dims.push_back(sizes[static_cast<std::size_t>(axis)]);
  if (type.rank() <= kMaxRank) return check_type(type);
  TensorType flat{DType::F64, {}};
  for (const std::int64_t dim : type.dims) {
    if (dim > 1) flat.dims.push_back(dim);
  }
  return check_type(flat);
}

std::string distinct_of(const std::string& axes, const std::string& needed) {
  std::string out;
  for (const char axis : axes) {
    if (has(needed, axis) && !has(out, axis)) out += axis;
  }
  return out;
}

template <class T>
Computed sum_products(const EinsumEquation& equation, const Task& task) {
  using S = Sum<T>;
  Sizes sizes{};
  for (std::size_t i = 0; i < equation.inputs.size(); ++i) {
    for (std::size_t axis = 0; axis < equation.inputs[i].size(); ++axis) {
      sizes[static_cast<std::size_t>(equation.inputs[i][axis])] = task.inputs[i].dims()[axis];
    }
  }
  Factor<S> result{"", {S{1}}};
  for (std::size_t i = 0; i < equation.inputs.size(); ++i) {
    std::string later = equation.output;
    for (std::size_t j = i + 1; j < equation.inputs.size(); ++j) later += equation.inputs[j];
    const std::string& axes = equation.inputs[i];
    const T* data = task.inputs[i].as<T>().data();
    const std::string kept = distinct_of(axes, later + result.axes);
    Factor<S> factor = rearranged<S>(data, axes, kept, sizes);
    if (i == 0) {
      result = std::move(factor);
      continue;
    }
    CAMBIUM_REQUIRE(require_room(distinct_of(result.axes + kept, later), sizes));
    result = joined(result, factor, later, sizes, task.pool);
  }
  const Factor<S> ordered =
      rearranged<S>(result.elements.data(), result.axes, equation.output, sizes);
  Fresh<T> fresh(task.outputs[0]);
  std::transform(ordered.elements.begin(), ordered.elements.end(), fresh.data(),
                 [](S value) { return convert<T>(value); });
  return std::move(fresh).only();
}

}  // namespace

Computed run(const Einsum& op, const Task& task) {
  CAMBIUM_TRY(const EinsumEquation equation, parse_einsum(op.equation));
  return visit_dtype(task.outputs[0].dtype,
                     [&](auto zero) { return sum_products<decltype(zero)>(equation, task); });
}

}  // namespace cambium::model::reference
