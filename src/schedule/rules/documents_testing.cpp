#include "schedule/rules/documents_testing.h"

#include <fmt/format.h>

#include "program/build.h"
#include "schedule/recipe/replay.h"

namespace cambium::schedule {

using program::BinaryFn;
using program::Builder;
using program::Context;
using program::Ix;
using program::Mem;
using program::Point;
using program::Program;
using program::reduce;
using program::spatial;

namespace {

std::int64_t result_size(const FusedConv& c) {
  return (c.size + 2 * (c.kernel / 2) - c.kernel) / c.stride + 1;
}

}  // namespace

Program fused_conv(Context& cx, const FusedConv& c) {
  Builder b(cx, "fused");
  const std::int64_t pad = c.kernel / 2, padded = c.size + 2 * pad, after = result_size(c);
  const std::vector<std::int64_t> result{1, after, after, c.out};
  const Mem x = b.input("x", {1, c.size, c.size, c.in});
  const Mem w = b.constant("w", {c.out, c.in, c.kernel, c.kernel});
  const Mem bias = b.constant("bias", {c.out});
  const Mem other = c.adds ? b.input("other", result) : bias;
  const Mem y = b.output("y", result);
  Mem from = x;
  if (pad > 0) {
    from = b.local("conv.pad", {1, padded, padded, c.in});
    b.block("conv.pad",
            {spatial("i", 1), spatial("j", padded), spatial("k", padded), spatial("l", c.in)},
            [&](Point p) {
              const Ix h = p[1] - pad, v = p[2] - pad;
              return assign(from, {p[0], p[1], p[2], p[3]},
                            select(within(h, 0, c.size) && within(v, 0, c.size),
                                   x(p[0], h, v, p[3]), b.number(0)));
            });
  }
  const Mem acc = b.local("conv.acc", result), biased = b.local("conv", result);
  b.block("conv",
          {spatial("n", 1), spatial("oh", after), spatial("ow", after), spatial("oc", c.out),
           reduce("kh", c.kernel), reduce("kw", c.kernel), reduce("ic", c.in)},
          [&](Point p) {
            return sum(acc, {p[0], p[1], p[2], p[3]},
                       from(p[0], p[1] * c.stride + p[4], p[2] * c.stride + p[5], p[6]) *
                           w(p[3], p[6], p[4], p[5]));
          });
  const std::vector<program::Range> all{spatial("n", 1), spatial("oh", after), spatial("ow", after),
                                        spatial("c", c.out)};
  b.block("conv.out", all, [&](Point p) {
    return assign(biased, {p[0], p[1], p[2], p[3]}, acc(p[0], p[1], p[2], p[3]) + bias(p[3]));
  });
  Mem sums = biased;
  if (c.adds) {
    sums = b.local("add", result);
    b.block("add", all, [&](Point p) {
      return assign(sums, {p[0], p[1], p[2], p[3]},
                    biased(p[0], p[1], p[2], p[3]) + other(p[0], p[1], p[2], p[3]));
    });
  }
  b.block("relu", all, [&](Point p) {
    return assign(y, {p[0], p[1], p[2], p[3]},
                  apply(BinaryFn::Max, sums(p[0], p[1], p[2], p[3]), b.number(0)));
  });
  return b.finish();
}

std::vector<NamedDocument> documents_for(const FusedConv& c) {
  const std::int64_t rows = result_size(c);
  const auto group = [](const char* outer, const char* inner, std::int64_t factor,
                        std::int64_t skip) {
    return fmt::format("group(outer: {}, inner: {}, factor: {}, skip: {})\n", outer, inner, factor,
                       skip);
  };
  const auto parts = [](const char* loop, std::int64_t at) {
    return fmt::format("partition(loop: {}, points: [{}])\n", loop, at);
  };
  const auto split = [](const char* loop, std::int64_t outer, std::int64_t inner) {
    return fmt::format("split(loop: {0}, factors: [{1}, {2}], tail: exact)\n", loop, outer, inner);
  };
  const auto narrow = [](const char* loop, std::int64_t factor) {
    return fmt::format("bottleneck(loop: {}, factor: {}, accept: false)\n", loop, factor);
  };
  std::vector<NamedDocument> all{
      {"plain", ""},
      {"group 2", group("co", "ci", 2, 0)},
      {"group 4", group("co", "ci", 4, 0)},
      {"input bottleneck 2", narrow("ci", 2)},
      {"halves 2 4",
       parts("co", c.out / 2) + group("co", "ci", 2, 0) + group("co.2", "ci.2", 4, 0)},
      {"peel 16 2", parts("co", 16) + group("co.2", "ci.2", 2, 16)},
      // One group, and groups that are no multiple of a vector.
      {"peel 2 1", parts("co", 2) + group("co.2", "ci.2", 1, 2)},
      {"peel 4 4", parts("co", 4) + group("co.2", "ci.2", 4, 4)},
      {"peel 8 2", parts("co", 8) + group("co.2", "ci.2", 2, 8)},
      {"interleaved group 2", split("ci", c.in / 2, 2) + group("co", "ci.1", 2, 0)},
  };
  // Narrow groups inside of interleaved ones: their lanes are two digits of a channel.
  if (c.in % 64 == 0 && c.out % 64 == 0) {
    all.push_back({"narrow groups in interleaved ones", split("ci", c.in / 4, 4) +
                                                            group("co", "ci.1", 4, 0) +
                                                            group("co", "ci.0", c.out / 16, 0)});
  }
  if (c.in == c.out) all.push_back({"depthwise", "depthwise(outer: co, inner: ci)\n"});
  if (rows % 2 == 0) {
    all.push_back({"spatial bottleneck 2", narrow("h", 2) + narrow("w", 2)});
    if (rows * c.stride == c.size) {
      all.push_back({"slabs 2", split("h", 2, rows / 2) + "group_slabs(rows: h.0)\n"});
      all.push_back({"slabs of a row", split("h", rows, 1) + "group_slabs(rows: h.0)\n"});
    }
    all.push_back(
        {"channel slabs 2", split("h", 2, rows / 2) + "group_channels(rows: h.0, outer: co)\n"});
  }
  return all;
}

Result<Program> after_document(Context& cx, const FusedConv& conv, const NamedDocument& document) {
  CAMBIUM_TRY(const Trace trace, parse_document(document.text, {}));
  CAMBIUM_TRY(const NeuralHalf half, replay_document(cx, fused_conv(cx, conv), "conv", trace));
  return half.schedule.program();
}

}  // namespace cambium::schedule
