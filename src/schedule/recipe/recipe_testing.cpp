#include "schedule/recipe/recipe_testing.h"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "base/random.h"
#include "program/build.h"
#include "program/interpret.h"
#include "program/verify.h"
#include "program/walk.h"

namespace cambium::schedule {

using program::Builder;
using program::Ix;
using program::Mem;
using program::Point;
using program::Range;
using program::reduce;
using program::spatial;
using program::Val;

Program conv_of(Context& cx, const ConvShape& s) {
  Builder b(cx, "conv");
  const std::int64_t ins = s.ci / s.groups, outs = s.co / s.groups;
  const std::int64_t ph = s.h + 2 * s.pad_h(), pw = s.w + 2 * s.pad_w();
  const Mem x = b.input("x", {s.n, s.ci, s.h, s.w});
  const Mem w = b.constant("w", {s.co, ins, s.kh, s.kw});
  const Mem y = b.output("y", {s.n, s.co, s.out_h(), s.out_w()});
  Mem padded = x;
  if (ph != s.h || pw != s.w) {
    padded = b.local("x.pad", {s.n, s.ci, ph, pw});
    b.block("conv.pad", {spatial("i", s.n), spatial("j", s.ci), spatial("k", ph), spatial("l", pw)},
            [&](Point p) {
              const Ix row = p[2] - s.pad_h(), column = p[3] - s.pad_w();
              const Val in = x(p[0], p[1], row, column);
              return assign(padded, {p[0], p[1], p[2], p[3]},
                            select(within(row, 0, s.h) && within(column, 0, s.w), in, b.number(0)));
            });
  }
  std::vector<Range> ranges{spatial("n", s.n)};
  if (s.groups > 1) ranges.push_back(spatial("g", s.groups));
  ranges.push_back(spatial("oc", outs));
  const std::size_t space = ranges.size();
  ranges.push_back(spatial("oh", s.out_h()));
  ranges.push_back(spatial("ow", s.out_w()));
  ranges.push_back(reduce("kh", s.kh));
  ranges.push_back(reduce("kw", s.kw));
  ranges.push_back(reduce("ic", ins));
  b.block("conv", ranges, [&](Point p) {
    const Ix out = p[space - 1], in = p[space + 4], oh = p[space], ow = p[space + 1];
    const Ix kh = p[space + 2], kw = p[space + 3];
    const Ix co = s.groups > 1 ? p[1] * outs + out : out;
    const Ix ci = s.groups > 1 ? p[1] * ins + in : in;
    return sum(y, {p[0], co, oh, ow},
               padded(p[0], ci, oh * s.stride + kh, ow * s.stride + kw) * w(co, in, kh, kw));
  });
  return b.finish();
}

Original original_of(Context& cx, const ConvShape& shape) {
  Result<Original> original = original_of(cx, conv_of(cx, shape), "conv");
  if (original.ok()) return std::move(*original);
  ADD_FAILURE() << original.rejection().message();
  return {};
}

Values run_of(Context& cx, const Program& program, const std::vector<Values>& arguments) {
  std::vector<program::Array> arrays;
  for (const Values& values : arguments) {
    arrays.push_back(program::Array::of(std::vector<float>(values.begin(), values.end())));
  }
  const Status sound = program::check(cx, program, program::Stage::Scheduled);
  EXPECT_TRUE(sound.ok()) << sound.rejection().message();
  const auto outputs = program::interpret(cx, program, arrays);
  if (outputs.ok()) return (*outputs)[0].as_doubles();
  ADD_FAILURE() << outputs.rejection().message();
  return {};
}

Numbers numbers_of(Context& cx, const NeuralHalf& half, std::uint64_t seed) {
  const Program& program = half.schedule.program();
  Rng rng(seed);
  Numbers numbers;
  std::vector<Values> arguments;
  std::vector<std::string_view> names;
  for (const program::Buffer* buffer : program.parameters) {
    if (buffer->role == program::Role::Output) continue;
    Values values(static_cast<std::size_t>(buffer->elements()));
    for (double& value : values) value = static_cast<double>(rng.between(-3, 3));
    if (buffer->role == program::Role::Input) numbers.x = values;
    arguments.push_back(std::move(values));
    names.push_back(buffer->name);
  }
  for (const std::string& name : half.blocks) {
    const program::Block* const block = program::find_block(program, name);
    for (const program::Buffer* buffer : block->body->buffers) {
      if (buffer->role != program::Role::Constant) continue;
      const auto found = std::find(names.begin(), names.end(), buffer->name);
      numbers.weights.push_back(arguments[static_cast<std::size_t>(found - names.begin())]);
    }
  }
  numbers.y = run_of(cx, program, arguments);
  return numbers;
}

double pixel(const Values& image, const ConvShape& shape, std::int64_t c, std::int64_t h,
             std::int64_t v) {
  if (h < 0 || h >= shape.h || v < 0 || v >= shape.w) return 0;
  return image[static_cast<std::size_t>((c * shape.h + h) * shape.w + v)];
}

}  // namespace cambium::schedule
