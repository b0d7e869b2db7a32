// Resize, nearest neighbour. Which element each axis reads is computed here as the reference does;
// nearly always it is (p*i + q)/r for some whole numbers, and then an index. Otherwise the program
// computes the formula of the reference in double, and gathers.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "lower/emit.h"
#include "model/convert.h"

namespace cambium::lower {
namespace {

using P1 = program::UnaryFn;
using P2 = program::BinaryFn;

// A number as a double, and as a scalar in double that is computed in the same way.
struct AsNumber {
  double v;
};
AsNumber operator+(AsNumber a, double b) {
  return {a.v + b};
}
AsNumber operator*(AsNumber a, double b) {
  return {a.v * b};
}
AsNumber divided(AsNumber a, double b) {
  return {a.v / b};
}
AsNumber floor_of(AsNumber a) {
  return {std::floor(a.v)};
}
AsNumber ceil_of(AsNumber a) {
  return {std::ceil(a.v)};
}
Val divided(Val a, double b) {
  return a / number_like(a, b);
}
Val floor_of(Val a) {
  return apply(P1::Floor, a);
}
Val ceil_of(Val a) {
  return apply(P1::Ceil, a);
}

struct ResizedAxis {
  const model::Resize& op;
  double scale, in, out;
};

// Where output i lies in the input: ONNX coordinate_transformation_mode and nearest_mode.
template <class T>
T source(const ResizedAxis& axis, T i) {
  const std::string& mode = axis.op.coordinates;
  T at = i;
  if (mode == "asymmetric") {
    at = divided(i, axis.scale);
  } else if (mode == "align_corners") {
    at = axis.out == 1 ? i * 0 : divided(i * (axis.in - 1), axis.out - 1);
  } else if (mode == "pytorch_half_pixel" && axis.out <= 1) {
    at = i * 0;
  } else if (mode == "half_pixel_symmetric") {
    const double adjustment = axis.out / (axis.scale * axis.in);
    at = divided(i + 0.5, axis.scale) + axis.in / 2 * (1 - adjustment) + -0.5;
  } else {
    at = divided(i + 0.5, axis.scale) + -0.5;
  }
  if (axis.op.rounding == "floor") return floor_of(at);
  if (axis.op.rounding == "ceil") return ceil_of(at);
  if (axis.op.rounding == "round_prefer_ceil") return floor_of(at + 0.5);
  return ceil_of(at + -0.5);
}

struct Line {
  std::int64_t p, q, r;  // (p*i + q)/r
};

// The line with slope p/r that goes through the table, if one does.
std::optional<Line> line_through(const Dims& table, std::int64_t p, std::int64_t r) {
  std::int64_t lo = std::numeric_limits<std::int64_t>::min(), hi = -(lo + 1);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::int64_t base = table[i] * r - static_cast<std::int64_t>(i) * p;
    lo = std::max(lo, base);
    hi = std::min(hi, base + r - 1);
  }
  if (lo > hi) return std::nullopt;
  return Line{p, std::clamp<std::int64_t>(0, lo, hi), r};
}

std::optional<Line> line_through(const Dims& table, std::int64_t in) {
  const auto out = static_cast<std::int64_t>(table.size());
  const std::int64_t common = std::gcd(in, out);
  const std::int64_t p = in / common, r = out / common;
  if (auto line = line_through(table, p, r)) return line;
  return line_through(table, 2 * p, 2 * r);
}

}  // namespace

Status emit(const model::Resize& op, Site& site) {
  const Place& x = site.in[0];
  std::vector<ResizedAxis> axes;
  std::vector<std::optional<Line>> lines;
  for (std::size_t i = 0; i < x.dims.size(); ++i) {
    axes.push_back(
        {op, op.scales[i], static_cast<double>(x.dims[i]), static_cast<double>(op.sizes[i])});
    Dims table;
    for (std::int64_t o = 0; o < op.sizes[i]; ++o) {
      const auto at =
          model::convert<std::int64_t>(source(axes[i], AsNumber{static_cast<double>(o)}).v);
      table.push_back(std::clamp<std::int64_t>(at, 0, x.dims[i] - 1));
    }
    lines.push_back(line_through(table, x.dims[i]));
  }
  const bool all_lines = std::all_of(
      lines.begin(), lines.end(), [](const std::optional<Line>& line) { return line.has_value(); });
  const auto along = [&](std::size_t i, Ix at) {
    return (at * lines[i]->p + lines[i]->q) / lines[i]->r;
  };
  site.compute(site.out[0], [&](At at) {
    std::vector<Ix> indices;
    std::vector<Val> numbers;
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (all_lines) {
        indices.push_back(along(i, at[i]));
      } else if (lines[i]) {
        numbers.push_back(value(along(i, at[i])));
      } else {
        const Val found = cast(DType::I64, source(axes[i], cast(DType::F64, value(at[i]))));
        const Val above = apply(P2::Max, found, site.whole(0, DType::I64));
        numbers.push_back(apply(P2::Min, above, site.whole(x.dims[i] - 1, DType::I64)));
      }
    }
    return all_lines ? x.at(indices) : site.gather(x, numbers);
  });
  return Ok{};
}

}  // namespace cambium::lower
