#include "model/reference/movement.h"

#include <algorithm>
#include <cstring>

namespace cambium::model::reference {

Ints steps(std::int64_t start, std::int64_t step, std::int64_t count) {
  Ints out(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = start;
    if (i + 1 < out.size()) start += step;  // a single step may lead anywhere
  }
  return out;
}

namespace {

template <class T>
Tensor moved_as(const Tensor& input, const TensorType& type, const std::vector<Ints>& offsets,
                double fill, const Task& task) {
  const T* x = input.as<T>().data();
  const T filler = convert<T>(fill);
  Fresh<T> fresh(type);
  T* out = fresh.data();
  const Ints last = offsets.empty() ? Ints{0} : offsets.back();
  const auto width = static_cast<std::int64_t>(last.size());
  const std::int64_t rows = width == 0 ? 0 : type.elements() / width;
  task.spread(rows, kGrain / (width + 1) + 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      std::int64_t base = 0, rest = row;
      for (std::size_t axis = offsets.empty() ? 0 : offsets.size() - 1; axis-- > 0;) {
        const auto size = static_cast<std::int64_t>(offsets[axis].size());
        const std::int64_t offset = offsets[axis][static_cast<std::size_t>(rest % size)];
        base = base < 0 || offset < 0 ? kOutside : base + offset;
        rest /= size;
      }
      T* to = out + row * width;
      for (std::int64_t i = 0; i < width; ++i) {
        const std::int64_t offset = last[static_cast<std::size_t>(i)];
        to[i] = base < 0 || offset < 0 ? filler : x[base + offset];
      }
    }
  });
  return std::move(fresh).done();
}

std::vector<Ints> permutation(const Ints& dims, const Ints& perm) {
  const Ints strides = strides_of(dims);
  std::vector<Ints> offsets;
  for (const std::int64_t axis : perm) {
    offsets.push_back(
        steps(0, strides[static_cast<std::size_t>(axis)], dims[static_cast<std::size_t>(axis)]));
  }
  return offsets;
}

// A permutation of the input seen under `view`, seen under the dimensions of the result.
Computed permuted_view(const Task& task, const Ints& view, const Ints& perm) {
  const Tensor input = task.inputs[0].reshaped(view);
  TensorType type{input.dtype(), {}};
  for (const std::int64_t axis : perm) type.dims.push_back(view[static_cast<std::size_t>(axis)]);
  const Tensor result = moved(input, type, permutation(view, perm), 0, task);
  return std::vector<Tensor>{result.reshaped(task.outputs[0].dims)};
}

std::int64_t padded_source(PadMode mode, std::int64_t at, std::int64_t size) {
  if (at >= 0 && at < size) return at;
  switch (mode) {
    case PadMode::Constant: return kOutside;
    case PadMode::Edge: return at < 0 ? 0 : size - 1;
    case PadMode::Reflect: return at < 0 ? -at : 2 * (size - 1) - at;
  }
  return kOutside;
}

Computed only(Tensor tensor) {
  return std::vector<Tensor>{std::move(tensor)};
}

}  // namespace

Tensor moved(const Tensor& input, const TensorType& type, const std::vector<Ints>& offsets,
             double fill, const Task& task) {
  return visit_dtype(type.dtype, [&](auto zero) {
    return moved_as<decltype(zero)>(input, type, offsets, fill, task);
  });
}

Computed run(const Concat& op, const Task& task) {
  const TensorType& type = task.outputs[0];
  std::vector<std::byte> bytes(static_cast<std::size_t>(type.bytes()));
  const std::int64_t outer = product({type.dims.begin(), type.dims.begin() + op.axis});
  const std::int64_t row = outer == 0 ? 0 : type.bytes() / outer;
  std::int64_t at = 0;
  for (const Tensor& input : task.inputs) {
    const std::int64_t piece = outer == 0 ? 0 : input.type().bytes() / outer;
    if (piece == 0) continue;
    const std::byte* from = input.bytes().data();
    for (std::int64_t i = 0; i < outer; ++i) {
      std::memcpy(bytes.data() + i * row + at, from + i * piece, static_cast<std::size_t>(piece));
    }
    at += piece;
  }
  return only(Tensor(type, std::move(bytes)));
}

Computed run(const Split& op, const Task& task) {
  const Ints& dims = task.inputs[0].dims();
  const Ints strides = strides_of(dims);
  const auto axis = static_cast<std::size_t>(op.axis);
  std::vector<Tensor> results;
  std::int64_t start = 0;
  for (const TensorType& type : task.outputs) {
    std::vector<Ints> offsets;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      offsets.push_back(steps(i == axis ? start * strides[i] : 0, strides[i], type.dims[i]));
    }
    results.push_back(moved(task.inputs[0], type, offsets, 0, task));
    start += type.dims[axis];
  }
  return results;
}

Computed run(const Slice& op, const Task& task) {
  const Ints strides = strides_of(task.inputs[0].dims());
  std::vector<Ints> offsets;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    // With one element or none the step is not taken, and may be any number.
    const std::int64_t step = op.extents[i] > 1 ? op.steps[i] * strides[i] : 0;
    offsets.push_back(op.extents[i] == 0 ? Ints{}
                                         : steps(op.starts[i] * strides[i], step, op.extents[i]));
  }
  return only(moved(task.inputs[0], task.outputs[0], offsets, 0, task));
}

Computed run(const Gather& op, const Task& task) {
  const Ints& dims = task.inputs[0].dims();
  const auto axis = static_cast<std::size_t>(op.axis);
  const Ints strides = strides_of(dims);
  std::vector<Ints> offsets;
  for (std::size_t i = 0; i < dims.size(); ++i) offsets.push_back(steps(0, strides[i], dims[i]));
  // The axes of the indices are seen as one.
  offsets[axis] = task.inputs[1].to_ints();
  for (std::int64_t& index : offsets[axis]) {
    if (index < -dims[axis] || index >= dims[axis]) {
      return Rejection(Reason::IndexOutOfRange, index, op.axis, dims[axis]);
    }
    index = (index < 0 ? index + dims[axis] : index) * strides[axis];
  }
  TensorType flat{task.outputs[0].dtype, dims};
  flat.dims[axis] = static_cast<std::int64_t>(offsets[axis].size());
  return only(moved(task.inputs[0], flat, offsets, 0, task).reshaped(task.outputs[0].dims));
}

Computed run(const Reshape& op, const Task& task) {
  return only(task.inputs[0].reshaped(op.dims));
}

Computed run(const Transpose& op, const Task& task) {
  return permuted_view(task, task.inputs[0].dims(), op.perm);
}

Computed run(const Expand& op, const Task& task) {
  const Ints& dims = task.inputs[0].dims();
  const Ints strides = strides_of(dims);
  const std::size_t shift = op.dims.size() - dims.size();
  std::vector<Ints> offsets;
  for (std::size_t i = 0; i < op.dims.size(); ++i) {
    const bool stretched = i < shift || dims[i - shift] == 1;
    offsets.push_back(steps(0, stretched ? 0 : strides[i - shift], op.dims[i]));
  }
  return only(moved(task.inputs[0], task.outputs[0], offsets, 0, task));
}

Computed run(const Tile&, const Task& task) {
  const Ints& dims = task.inputs[0].dims();
  const Ints strides = strides_of(dims);
  std::vector<Ints> offsets;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    offsets.push_back(steps(0, 1, task.outputs[0].dims[i]));
    for (std::int64_t& offset : offsets.back()) offset = offset % dims[i] * strides[i];
  }
  return only(moved(task.inputs[0], task.outputs[0], offsets, 0, task));
}

Computed run(const Pad& op, const Task& task) {
  const Ints& dims = task.inputs[0].dims();
  const Ints strides = strides_of(dims);
  std::vector<Ints> offsets;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    offsets.push_back(steps(-op.pads[i], 1, task.outputs[0].dims[i]));
    for (std::int64_t& offset : offsets.back()) {
      offset = padded_source(op.mode, offset, dims[i]);
      if (offset > 0) offset *= strides[i];
    }
  }
  return only(moved(task.inputs[0], task.outputs[0], offsets, op.value, task));
}

Computed run(const DepthToSpace& op, const Task& task) {
  const Ints& x = task.inputs[0].dims();
  const std::int64_t b = op.block, depth = task.outputs[0].dims[1];
  if (op.column_row_depth) {
    return permuted_view(task, {x[0], depth, b, b, x[2], x[3]}, {0, 1, 4, 2, 5, 3});
  }
  return permuted_view(task, {x[0], b, b, depth, x[2], x[3]}, {0, 3, 4, 1, 5, 2});
}

Computed run(const SpaceToDepth& op, const Task& task) {
  const Ints& x = task.inputs[0].dims();
  const std::int64_t b = op.block;
  return permuted_view(task, {x[0], x[1], x[2] / b, b, x[3] / b, b}, {0, 3, 5, 1, 2, 4});
}

}  // namespace cambium::model::reference
