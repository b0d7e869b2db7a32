// MatMul and Gemm.
#include <algorithm>

#include "model/reference/contraction.h"
#include "model/reference/kernels.h"

namespace cambium::model::reference {

namespace {

// Reads a matrix that stands row by row at `data`.
template <class T>
Operand<Sum<T>> matrix(const T* data, std::int64_t width, bool by_line,
                       std::function<std::int64_t(std::int64_t)> offset_of_batch) {
  Operand<Sum<T>> operand;
  operand.by_line = by_line;
  operand.read = [data, width, offset_of_batch = std::move(offset_of_batch)](
                     std::int64_t batch, std::int64_t row, std::int64_t begin, std::int64_t end,
                     Sum<T>* to) {
    const T* from = data + offset_of_batch(batch) + row * width;
    for (std::int64_t i = begin; i < end; ++i) *to++ = convert<Sum<T>>(from[i]);
  };
  return operand;
}

// Where the matrices of one operand stand, for each batch of the result.
Ints batch_offsets(const Ints& operand, const Ints& result, std::int64_t matrix_elements) {
  Ints offsets(static_cast<std::size_t>(product(result)));
  for (std::size_t b = 0; b < offsets.size(); ++b) {
    auto rest = static_cast<std::int64_t>(b);
    std::int64_t stride = matrix_elements;
    for (std::size_t i = 0; i < operand.size(); ++i) {
      const std::int64_t dim = operand[operand.size() - 1 - i];
      const std::int64_t at = rest % result[result.size() - 1 - i];
      rest /= result[result.size() - 1 - i];
      if (dim != 1) offsets[b] += at * stride;
      stride *= dim;
    }
  }
  return offsets;
}

template <class T>
Computed multiply(const Task& task) {
  Ints a = task.inputs[0].dims(), b = task.inputs[1].dims();
  Ints batch = task.outputs[0].dims;
  if (a.size() > 1) batch.pop_back();
  if (b.size() > 1) batch.pop_back();
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  Contraction<Sum<T>> c;
  c.batch = product(batch);
  c.rows = a[a.size() - 2];
  c.depth = a.back();
  c.columns = b.back();
  const Ints left = batch_offsets({a.begin(), a.end() - 2}, batch, c.rows * c.depth);
  const Ints right = batch_offsets({b.begin(), b.end() - 2}, batch, c.depth * c.columns);
  const auto at = [](const Ints& offsets) {
    return [&offsets](std::int64_t i) { return offsets[static_cast<std::size_t>(i)]; };
  };
  c.left = matrix(task.inputs[0].as<T>().data(), c.depth, true, at(left));
  c.right = matrix(task.inputs[1].as<T>().data(), c.columns, false, at(right));
  Fresh<T> fresh(task.outputs[0]);
  T* out = fresh.data();
  c.write = [&](std::int64_t b_, std::int64_t row, std::int64_t begin, std::int64_t end,
                const Sum<T>* sums) {
    T* to = out + (b_ * c.rows + row) * c.columns;
    for (std::int64_t j = begin; j < end; ++j) to[j] = convert<T>(sums[j - begin]);
  };
  contract(c, task.pool);
  return std::move(fresh).only();
}

// alpha * sum + beta * c. Factors of integer products are used as integers when they are some.
template <class S>
S scaled(double factor, S value) {
  if constexpr (std::is_same_v<S, double>) {
    return factor * value;
  } else {
    return convert<std::uint64_t>(convert<std::int64_t>(factor)) * value;
  }
}

template <class T>
Computed general_multiply(const Gemm& op, const Task& task) {
  const Ints& a = task.inputs[0].dims();
  const Ints& b = task.inputs[1].dims();
  Contraction<Sum<T>> c;
  c.rows = task.outputs[0].dims[0];
  c.columns = task.outputs[0].dims[1];
  c.depth = a[op.transpose_a ? 0 : 1];
  const auto no_batch = [](std::int64_t) { return std::int64_t{0}; };
  c.left = matrix(task.inputs[0].as<T>().data(), a[1], !op.transpose_a, no_batch);
  c.right = matrix(task.inputs[1].as<T>().data(), b[1], op.transpose_b, no_batch);
  const T* added = nullptr;
  std::int64_t row_stride = 0, column_stride = 0;
  if (task.inputs.size() > 2) {
    const Ints& dims = task.inputs[2].dims();
    added = task.inputs[2].as<T>().data();
    if (!dims.empty() && dims.back() != 1) column_stride = 1;
    if (dims.size() == 2 && dims[0] != 1) row_stride = dims[1];
  }
  Fresh<T> fresh(task.outputs[0]);
  T* out = fresh.data();
  c.write = [&](std::int64_t, std::int64_t row, std::int64_t begin, std::int64_t end,
                const Sum<T>* sums) {
    for (std::int64_t j = begin; j < end; ++j) {
      Sum<T> value = scaled(op.alpha, sums[j - begin]);
      if (added != nullptr) {
        value += scaled(op.beta, convert<Sum<T>>(added[row * row_stride + j * column_stride]));
      }
      out[row * c.columns + j] = convert<T>(value);
    }
  };
  contract(c, task.pool);
  return std::move(fresh).only();
}

}  // namespace

Computed run(const MatMul&, const Task& task) {
  return visit_dtype(task.outputs[0].dtype,
                     [&](auto zero) { return multiply<decltype(zero)>(task); });
}

Computed run(const Gemm& op, const Task& task) {
  return visit_dtype(task.outputs[0].dtype,
                     [&](auto zero) { return general_multiply<decltype(zero)>(op, task); });
}

}  // namespace cambium::model::reference
