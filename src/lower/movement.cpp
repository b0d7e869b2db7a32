// The operators that move elements and compute nothing: one block per result, or per operand of a
// Concat. Indices of a Gather that are out of range, which the reference refuses, are brought to
// the nearest element: native code has no way to refuse.
#include "lower/emit.h"

namespace cambium::lower {
namespace {

using P2 = program::BinaryFn;
using program::spatial;

// The digits of a number in a mixed radix, the last fastest; `count` is the number of values.
void append_digits(const Site& site, Ix number, std::int64_t count,
                   std::span<const std::int64_t> radix, std::vector<Ix>& out) {
  for (const std::int64_t size : radix) {
    count /= size;
    const bool first = &size == radix.data();
    const Ix digit = number / count;
    out.push_back(size == 1 ? site.index(0) : first ? digit : digit % size);
  }
}

// The index into `from` of the element at index `at` of `to`, both row-major over the same
// elements. Dimensions are taken apart into runs that hold the same elements, so that only what
// really changes shape is divided.
std::vector<Ix> reshaped(const Site& site, const Dims& from, const Dims& to, At at) {
  std::vector<Ix> out;
  std::size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    const std::size_t first_i = i, first_j = j;
    std::int64_t left = i < from.size() ? from[i++] : 1;
    std::int64_t right = j < to.size() ? to[j++] : 1;
    while (left != right) {
      if (left < right) {
        left *= from[i++];
      } else {
        right *= to[j++];
      }
    }
    Ix number = first_j < j ? at[first_j] : site.index(0);
    for (std::size_t k = first_j + 1; k < j; ++k) number = number * to[k] + at[k];
    append_digits(site, number, left, std::span(from).subspan(first_i, i - first_i), out);
  }
  return out;
}

Ix reflected(const Site& site, Ix at, std::int64_t size) {
  const Ix distance = greatest(at, at * -1);
  return least(distance, site.index(2 * (size - 1)) - distance);
}

}  // namespace

Status emit(const model::Concat& op, Site& site) {
  const auto axis = static_cast<std::size_t>(op.axis);
  const Place& out = site.out[0];
  std::int64_t begin = 0;
  for (const Place& x : site.in) {
    // A view of the part of the result that this operand fills.
    site.compute_part(out, x.dims, axis, begin, [&](At at) { return x.at(at); });
    begin += x.dims[axis];
  }
  return Ok{};
}

Status emit(const model::Split& op, Site& site) {
  const auto axis = static_cast<std::size_t>(op.axis);
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < site.out.size(); ++i) {
    if (site.out[i].is_used()) {
      site.compute(site.out[i], [&](At at) {
        std::vector<Ix> from(at.begin(), at.end());
        from[axis] = from[axis] + begin;
        return site.in[0].at(from);
      });
    }
    begin += op.sizes[i];
  }
  return Ok{};
}

Status emit(const model::Slice& op, Site& site) {
  site.compute(site.out[0], [&](At at) {
    std::vector<Ix> from;
    for (std::size_t i = 0; i < at.size(); ++i) {
      // With one element the step is not taken, and may be any number.
      const Ix moved = op.extents[i] == 1 ? at[i] : at[i] * op.steps[i];
      from.push_back(moved + op.starts[i]);
    }
    return site.in[0].at(from);
  });
  return Ok{};
}

Status emit(const model::Gather& op, Site& site) {
  const Place& data = site.in[0];
  const Place& indices = site.in[1];
  const auto axis = static_cast<std::size_t>(op.axis);
  const std::size_t more = indices.dims.size();
  const std::int64_t size = data.dims[axis];
  site.compute(site.out[0], [&](At at) {
    const auto number = [&](std::int64_t n) { return site.whole(n, DType::I64); };
    const Val given = cast(DType::I64, indices.at(at.subspan(axis, more)));
    const Val counted = select(apply(P2::Less, given, number(0)), given + number(size), given);
    const Val found = apply(P2::Min, apply(P2::Max, counted, number(0)), number(size - 1));
    std::vector<Val> from;
    for (std::size_t i = 0; i < data.dims.size(); ++i) {
      from.push_back(i == axis ? found : value(at[i < axis ? i : i + more - 1]));
    }
    return site.gather(data, from);
  });
  return Ok{};
}

Status emit(const model::Reshape&, Site& site) {
  site.compute(site.out[0], [&](At at) {
    return site.in[0].at(reshaped(site, site.in[0].dims, site.out[0].dims, at));
  });
  return Ok{};
}

Status emit(const model::Transpose& op, Site& site) {
  site.compute(site.out[0], [&](At at) {
    std::vector<Ix> from(at.begin(), at.end());
    for (std::size_t i = 0; i < at.size(); ++i) from[static_cast<std::size_t>(op.perm[i])] = at[i];
    return site.in[0].at(from);
  });
  return Ok{};
}

Status emit(const model::Expand&, Site& site) {
  site.compute(site.out[0], [&](At at) {
    return site.in[0].at(stretched(site, site.in[0], site.out[0].dims, at));
  });
  return Ok{};
}

// Each axis as (copy, place in it), so that no index is divided.
Status emit(const model::Tile& op, Site& site) {
  const Place& x = site.in[0];
  Iterators iterators;
  for (std::size_t i = 0; i < x.dims.size(); ++i) {
    iterators.push_back({});
    if (op.repeats[i] > 1) iterators[i].push_back(spatial("r" + std::to_string(i), op.repeats[i]));
    iterators[i].push_back(spatial(iterator_name(i), x.dims[i]));
  }
  site.compute(site.out[0], iterators, [&](At its, At) {
    std::vector<Ix> from;
    std::size_t next = 0;
    for (const std::vector<Range>& digits : iterators) {
      next += digits.size();
      from.push_back(its[next - 1]);
    }
    return x.at(from);
  });
  return Ok{};
}

Status emit(const model::Pad& op, Site& site) {
  const Place& x = site.in[0];
  site.compute(site.out[0], [&](At at) {
    std::vector<Ix> from, conditions;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const std::int64_t before = op.pads[i], after = op.pads[i + at.size()], size = x.dims[i];
      const Ix here = at[i] - before;
      const bool reaches_out = before > 0 || after > 0;
      if (!reaches_out || op.mode == model::PadMode::Constant) {
        from.push_back(here);
        if (before > 0) conditions.push_back(0 <= here);
        if (after > 0) conditions.push_back(here < size);
      } else if (op.mode == model::PadMode::Edge) {
        from.push_back(greatest(site.index(0), least(here, site.index(size - 1))));
      } else {
        from.push_back(reflected(site, here, size));
      }
    }
    const Val element = x.at(from);
    if (conditions.empty()) return element;
    Ix inside = conditions[0];
    for (std::size_t i = 1; i < conditions.size(); ++i) inside = inside && conditions[i];
    return select(inside, element, site.number(op.value, x.dtype()));
  });
  return Ok{};
}

Status emit(const model::DepthToSpace& op, Site& site) {
  const Place& x = site.in[0];
  const std::int64_t b = op.block, depth = site.out[0].dim(1);
  const Iterators iterators{{spatial("n", x.dim(0))},
                            {spatial("c", depth)},
                            {spatial("h", x.dim(2)), spatial("bh", b)},
                            {spatial("w", x.dim(3)), spatial("bw", b)}};
  site.compute(site.out[0], iterators, [&](At its, At) {
    const Ix c = its[1], bh = its[3], bw = its[5];
    const Ix block = bh * b + bw;
    const Ix channel = op.column_row_depth ? c * (b * b) + block : block * depth + c;
    return x.at({its[0], channel, its[2], its[4]});
  });
  return Ok{};
}

Status emit(const model::SpaceToDepth& op, Site& site) {
  const Place& x = site.in[0];
  const std::int64_t b = op.block;
  const Iterators iterators{{spatial("n", x.dim(0))},
                            {spatial("bh", b), spatial("bw", b), spatial("c", x.dim(1))},
                            {spatial("h", x.dim(2) / b)},
                            {spatial("w", x.dim(3) / b)}};
  site.compute(site.out[0], iterators, [&](At its, At) {
    return x.at({its[0], its[3], its[4] * b + its[1], its[5] * b + its[2]});
  });
  return Ok{};
}

}  // namespace cambium::lower
