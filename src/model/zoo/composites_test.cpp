#include "model/zoo/composites.h"

#include <gtest/gtest.h>

#include "model/cost.h"
#include "model/reference/execute.h"
#include "model/text.h"
#include "model/verify.h"

namespace cambium::model::zoo {
namespace {

TEST(KnownComposites, TakeThePlaceOfAConvolution) {
  for (const KnownComposite& known : known_composites()) {
    SCOPED_TRACE(known.name);
    const auto composite =
        known_composite(known.name, {.batch = 2, .in = 16, .out = 24, .side = 6});
    ASSERT_TRUE(composite.ok()) << composite.rejection().message();
    const Model model = model_around(*composite, 5);
    EXPECT_TRUE(verify(model).ok());
    EXPECT_EQ(model.inputs().size(), 1u);
    EXPECT_EQ(model.type(model.outputs()[0].value).text(), "f32[2, 24, 6, 6]");
    EXPECT_EQ(to_text(parse_text(to_text(model)).value()), to_text(model));
  }
}

std::int64_t params_of(std::string_view name, const ConvPlace& place) {
  return cost_of(model_around(known_composite(name, place).value())).params;
}

// In = out = 64, kernel 3, g = 2, m = 64 / 8 = 8; NAS-PTE's as their authors count.
TEST(KnownComposites, HaveThePublishedNumbersOfWeights) {
  const ConvPlace place;
  EXPECT_EQ(params_of("syno-1", place), 2 * 3 * 3 * 64 * 8 + 64 * 3 * 8);
  EXPECT_EQ(params_of("syno-2", place), 64 * 2 * 3 * 8 + 64 * 3 * 8);
  EXPECT_EQ(params_of("nas-pte-1", place), 2 * 64 * 64 * 9);
  EXPECT_EQ(params_of("nas-pte-2", place), 9 * (64 * 16 + 48 * 48 / 2));
  EXPECT_EQ(params_of("nas-pte-3", place), 64 * 64 * 9 * 3 / 8);
  EXPECT_EQ(params_of("shift", place), 64 * 64);
}

// One output of each Syno operator from its equation, literally.
double syno_by_loops(int number, const Model& model, const std::vector<double>& x,
                     const ConvPlace& p, std::int64_t o, std::int64_t h, std::int64_t w) {
  const std::int64_t g = 2, k = p.kernel, m = p.out / 8, per = p.in / g;
  const Node& node = model.node(model.outputs()[0].value.node);
  const auto w1 = model.weight(node.inputs[1])->to_doubles();
  const auto w2 = model.weight(node.inputs[2])->to_doubles();
  const auto at = [](std::initializer_list<std::pair<std::int64_t, std::int64_t>> digits) {
    std::int64_t index = 0;
    for (const auto& [digit, extent] : digits) index = index * extent + digit;
    return static_cast<std::size_t>(index);
  };
  double sum = 0;
  for (std::int64_t G = 0; G < g; ++G) {
    for (std::int64_t i = 0; i < per; ++i) {
      for (std::int64_t a = 0; a < k; ++a) {
        for (std::int64_t b = 0; b < k; ++b) {
          std::int64_t row = h + a - k / 2;
          const std::int64_t column = w + b - k / 2, channel = G * per + i;
          if (row < 0 || row >= p.side || column < 0 || column >= p.side) continue;
          if (number == 2) row = (row + 1) % p.side;
          const double pixel = x[at({{channel, p.in}, {row, p.side}, {column, p.side}})];
          for (std::int64_t c = 0; c < m; ++c) {
            const double first = number == 1 ? w1[at({{G, g}, {a, k}, {b, k}, {o, p.out}, {c, m}})]
                                             : w1[at({{o, p.out}, {G, g}, {a, k}, {c, m}})];
            sum += pixel * first * w2[at({{channel, p.in}, {b, k}, {c, m}})];
          }
        }
      }
    }
  }
  return sum;
}

TEST(KnownComposites, AreSynosOperatorsAsTheirEquationsSay) {
  const ConvPlace place{.batch = 1, .in = 6, .out = 16, .side = 5};
  for (const int number : {1, 2}) {
    const Model model =
        model_around(known_composite("syno-" + std::to_string(number), place).value());
    const Tensor x = Tensor::lazy(model.type({model.inputs()[0], 0}), {Fill::Law::Normal, 1, 9});
    const std::vector<double> y = execute(model, {&x, 1}).value()[0].to_doubles();
    std::size_t next = 0;
    for (std::int64_t o = 0; o < place.out; ++o) {
      for (std::int64_t h = 0; h < place.side; ++h) {
        for (std::int64_t w = 0; w < place.side; ++w) {
          ASSERT_NEAR(y[next++], syno_by_loops(number, model, x.to_doubles(), place, o, h, w), 1e-5)
              << number << " at " << o << ", " << h << ", " << w;
        }
      }
    }
  }
}

TEST(KnownComposites, RefuseWhatTheyDoNotDivide) {
  const auto reason = [](std::string_view name, const ConvPlace& place) {
    return known_composite(name, place).rejection().reason();
  };
  EXPECT_EQ(reason("syno-3", {}), Reason::UnknownName);
  EXPECT_EQ(reason("syno-1", {.in = 63}), Reason::SizeNotDivisible);
  EXPECT_EQ(reason("syno-2", {.out = 60}), Reason::SizeNotDivisible);
  EXPECT_EQ(reason("nas-pte-1", {.side = 7}), Reason::SizeNotDivisible);
  EXPECT_EQ(reason("nas-pte-2", {.in = 63}), Reason::SizeNotDivisible);
  EXPECT_EQ(reason("nas-pte-3", {.in = 6}), Reason::SizeNotDivisible);
  EXPECT_EQ(reason("shift", {.kernel = 2}), Reason::BadAttribute);
}

}  // namespace
}  // namespace cambium::model::zoo
