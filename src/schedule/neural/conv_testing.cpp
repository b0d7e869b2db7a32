#include <algorithm>

#include <fmt/format.h>

#include "base/random.h"
#include "program/analysis.h"
#include "program/build.h"
#include "program/interpret.h"
#include "program/verify.h"
#include "schedule/neural/oracle_testing.h"

namespace cambium::schedule {

using program::Builder;
using program::Ix;
using program::Mem;
using program::Point;
using program::reduce;
using program::spatial;
using program::Val;

Program conv_program(Context& cx, const ConvSpec& s) {
  Builder b(cx, "conv");
  const bool last = s.channels_last;
  using Dims = std::vector<std::int64_t>;
  const auto image = [&](std::int64_t c, std::int64_t h, std::int64_t w) {
    return last ? Dims{s.n, h, w, c} : Dims{s.n, c, h, w};
  };
  const auto place = [&](Ix n, Ix c, Ix h, Ix w) {
    return last ? std::vector<Ix>{n, h, w, c} : std::vector<Ix>{n, c, h, w};
  };
  const std::int64_t oh = s.out_h(), ow = s.out_w();
  const Mem x = b.input("x", image(s.ci, s.h, s.w));
  const Mem w = b.constant("w", last ? Dims{s.k, s.k, s.ci, s.co} : Dims{s.co, s.ci, s.k, s.k});
  Mem bias{}, w2{}, t{}, padded = x;
  if (s.tail == ConvTail::BiasRelu) bias = b.constant("bias", {s.co});
  if (s.tail == ConvTail::SecondConv) w2 = b.constant("w2", {s.last, s.co});
  const std::int64_t outs = s.tail == ConvTail::SecondConv ? s.last : s.co;
  const Mem y = b.output("y", image(outs, oh, ow));
  t = s.tail == ConvTail::None ? y : b.local("t", image(s.co, oh, ow));
  if (s.pad > 0) {
    const std::int64_t ph = s.h + 2 * s.pad, pw = s.w + 2 * s.pad;
    padded = b.local("x.pad", image(s.ci, ph, pw));
    b.block("pad", {spatial("n", s.n), spatial("c", s.ci), spatial("h", ph), spatial("v", pw)},
            [&](Point p) {
              const Ix row = p[2] - s.pad, column = p[3] - s.pad;
              const Val in = x.load(place(p[0], p[1], row, column));
              return assign(padded, place(p[0], p[1], p[2], p[3]),
                            select(within(row, 0, s.h) && within(column, 0, s.w), in, b.number(0)));
            });
  }
  b.block("conv",
          {spatial("n", s.n), spatial("co", s.co), spatial("oh", oh), spatial("ow", ow),
           reduce("ci", s.ci), reduce("kh", s.k), reduce("kw", s.k)},
          [&](Point p) {
            const Val in =
                padded.load(place(p[0], p[4], p[2] * s.stride + p[5], p[3] * s.stride + p[6]));
            const Val weight = last ? w(p[5], p[6], p[4], p[1]) : w(p[1], p[4], p[5], p[6]);
            return sum(t, place(p[0], p[1], p[2], p[3]), in * weight);
          });
  if (s.tail == ConvTail::BiasRelu) {
    b.block("relu", {spatial("n", s.n), spatial("c", s.co), spatial("h", oh), spatial("v", ow)},
            [&](Point p) {
              const Val sum = t.load(place(p[0], p[1], p[2], p[3])) + bias(p[1]);
              return assign(y, place(p[0], p[1], p[2], p[3]),
                            apply(program::BinaryFn::Max, b.number(0), sum));
            });
  } else if (s.tail == ConvTail::SecondConv) {
    b.block("conv2",
            {spatial("n", s.n), spatial("o", s.last), spatial("h", oh), spatial("v", ow),
             reduce("c", s.co)},
            [&](Point p) {
              return sum(y, place(p[0], p[1], p[2], p[3]),
                         t.load(place(p[0], p[4], p[2], p[3])) * w2(p[1], p[4]));
            });
  }
  return b.finish();
}

std::int64_t multiplications_of(Context& cx, const Program& program) {
  std::int64_t all = 0;
  for (const program::Site& site : program::sites_of(program)) {
    if (site.block->body->combine != program::Combine::Sum) continue;
    std::int64_t instances = 1;
    for (const program::Loop* loop : site.loops) instances *= loop->extent();
    bool multiplies = false;
    for (const program::Access& access : program::accesses_of(cx, *site.block->body)) {
      multiplies = multiplies || access.buffer->role == program::Role::Constant;
    }
    if (multiplies) all += instances;
  }
  return all;
}

std::string difference(Context& cx, const Program& program, const ConvTable& table,
                       std::uint64_t seed) {
  const Status sound = program::check(cx, program, program::Stage::Scheduled);
  if (!sound.ok()) return sound.rejection().message();
  for (const auto& [name, dims] : table.weights()) {
    const program::Buffer* buffer = program::find_buffer(program, name);
    if (buffer == nullptr || !std::equal(dims.begin(), dims.end(), buffer->dims.begin())) {
      return "the shape of " + name;
    }
  }
  if (multiplications_of(cx, program) != table.multiplications()) {
    return fmt::format("{} multiplications, not {}", multiplications_of(cx, program),
                       table.multiplications());
  }
  Rng rng(seed);
  std::map<std::string, std::vector<double>> named;
  std::vector<program::Array> arguments;
  for (const program::Buffer* buffer : program.parameters) {
    if (buffer->role == program::Role::Output) continue;
    std::vector<float> values(static_cast<std::size_t>(buffer->elements()));
    for (float& v : values) v = static_cast<float>(rng.between(-4, 4));
    named[std::string(buffer->name)].assign(values.begin(), values.end());
    arguments.push_back(program::Array::of(std::move(values)));
  }
  const auto found = program::interpret(cx, program, arguments);
  if (!found.ok()) return found.rejection().message();
  const std::vector<double> wanted = table.evaluate(named), got = (*found)[0].as_doubles();
  if (wanted.size() != got.size())
    return fmt::format("{} elements, not {}", got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] != wanted[i]) return fmt::format("element {} is {}, not {}", i, got[i], wanted[i]);
  }
  return {};
}

}  // namespace cambium::schedule
