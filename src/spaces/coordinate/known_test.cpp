#include "spaces/coordinate/known.h"

#include <functional>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/random.h"
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/evaluate.h"
#include "spaces/coordinate/structure.h"

namespace cambium::spaces::coordinate {
namespace {

// A tensor that is zero outside of its bounds, as plain loops want it.
class Tensor {
 public:
  Tensor(std::vector<std::int64_t> shape, std::vector<double> values)
      : shape_(std::move(shape)), values_(std::move(values)) {}

  double operator()(const std::vector<std::int64_t>& at) const {
    if (at.size() != shape_.size()) ADD_FAILURE() << "indexed by " << at.size();
    std::int64_t place = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (at[i] < 0 || at[i] >= shape_[i]) return 0;
      place = place * shape_[i] + at[i];
    }
    return values_[static_cast<std::size_t>(place)];
  }

 private:
  std::vector<std::int64_t> shape_;
  std::vector<double> values_;
};

// Everything a plain loop needs: the tensors and what the variables are worth.
struct Setting {
  Tensor x;
  std::vector<Tensor> w;
  std::map<std::string, std::int64_t> sizes;

  std::int64_t operator[](const std::string& name) const { return sizes.at(name); }
};

using At = std::vector<std::int64_t>;
using Plain = std::function<double(const Setting&, const At&)>;

std::vector<double> random_values(std::int64_t count, Rng& rng) {
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& v : values) v = rng.uniform(-1, 1);
  return values;
}

void expect_computes(std::string_view name, const Plain& plain) {
  const KnownOperator* known = find_known(name);
  ASSERT_NE(known, nullptr) << name;
  const Problem problem = problem_of(*known);
  const auto op = bind(operator_of(*known), problem.bindings.front());
  ASSERT_TRUE(op.ok()) << op.rejection().message();
  Rng rng(7);
  const std::vector<double> x = random_values(elements_of(op->input_shape()), rng);
  std::vector<std::vector<double>> weights;
  Setting setting{Tensor(op->input_shape(), x), {}, {}};
  for (std::size_t w = 0; w < op->weights.size(); ++w) {
    weights.push_back(random_values(elements_of(op->weight_shape(w)), rng));
    setting.w.emplace_back(op->weight_shape(w), weights.back());
  }
  for (const expr::SizeVar v : problem.sizes.vars()) {
    setting.sizes[problem.sizes.name(v)] = problem.bindings.front()[v];
  }
  const auto y = evaluate<double>(*op, x, weights);
  ASSERT_TRUE(y.ok()) << y.rejection().message();
  const At shape = op->output_shape();
  for (std::size_t i = 0; i < y->size(); ++i) {
    At at(shape.size());
    auto rest = static_cast<std::int64_t>(i);
    for (std::size_t axis = shape.size(); axis > 0; --axis) {
      at[axis - 1] = rest % shape[axis - 1];
      rest /= shape[axis - 1];
    }
    ASSERT_NEAR((*y)[i], plain(setting, at), 1e-12) << name << " at " << i;
  }
}

// Sum of f over 0 .. count - 1.
double sum(std::int64_t count, const std::function<double(std::int64_t)>& f) {
  double total = 0;
  for (std::int64_t i = 0; i < count; ++i) total += f(i);
  return total;
}

double sum2(std::int64_t n, std::int64_t m,
            const std::function<double(std::int64_t, std::int64_t)>& f) {
  return sum(n, [&](std::int64_t i) { return sum(m, [&](std::int64_t j) { return f(i, j); }); });
}

TEST(KnownTest, EachHasItsNumberOfPrimitives) {
  std::set<std::string_view> names;
  for (const KnownOperator& known : known_operators()) {
    const Problem problem = problem_of(known);
    const auto op = parse(problem, known.document);
    ASSERT_TRUE(op.ok()) << known.name << ": " << op.rejection().message();
    EXPECT_EQ(primitive_count(*op), known.primitives) << known.name;
    EXPECT_TRUE(names.insert(known.name).second) << known.name;
  }
  EXPECT_EQ(find_known("transformer"), nullptr);
}

TEST(KnownTest, LinearAndScale) {
  expect_computes("linear", [](const Setting& s, const At& y) {
    return sum(s["Ci"], [&](auto i) { return s.x({y[0], i}) * s.w[0]({y[1], i}); });
  });
  expect_computes("scale", [](const Setting& s, const At& y) { return s.x(y) * s.w[0]({y[1]}); });
}

TEST(KnownTest, Convolutions) {
  expect_computes("conv1d", [](const Setting& s, const At& y) {
    return sum2(s["Ci"], s["k"], [&](auto i, auto a) {
      return s.x({y[0], i, y[2] + a - 1}) * s.w[0]({y[1], i, a});
    });
  });
  const auto conv = [](std::int64_t step, std::int64_t gap) {
    return [step, gap](const Setting& s, const At& y) {
      return sum(s["Ci"], [&](auto i) {
        return sum2(s["k"], s["k"], [&](auto a, auto b) {
          return s.x({y[0], i, step * y[2] + gap * (a - 1), step * y[3] + gap * (b - 1)}) *
                 s.w[0]({y[1], i, a, b});
        });
      });
    };
  };
  expect_computes("conv2d", conv(1, 1));
  expect_computes("dilated_conv2d", conv(1, 2));
  expect_computes("strided_conv2d", conv(2, 1));
  expect_computes("depthwise_conv2d", [](const Setting& s, const At& y) {
    return sum2(s["k"], s["k"], [&](auto a, auto b) {
      return s.x({y[0], y[1], y[2] + a - 1, y[3] + b - 1}) * s.w[0]({y[1], a, b});
    });
  });
}

TEST(KnownTest, GroupedSeparableAndShifted) {
  expect_computes("grouped_conv2d", [](const Setting& s, const At& y) {
    const std::int64_t inner = s["Co"] / s["g"];
    const std::int64_t width = s["Ci"] / s["g"];
    return sum(width, [&](auto i) {
      return sum2(s["k"], s["k"], [&](auto a, auto b) {
        return s.x({y[0], y[1] / inner * width + i, y[2] + a - 1, y[3] + b - 1}) *
               s.w[0]({i, a, b, y[1] / inner, y[1] % inner});
      });
    });
  });
  expect_computes("separable_conv2d", [](const Setting& s, const At& y) {
    return sum(s["Ci"], [&](auto i) {
      return s.w[0]({y[1], i}) * sum2(s["k"], s["k"], [&](auto a, auto b) {
               return s.x({y[0], i, y[2] + a - 1, y[3] + b - 1}) * s.w[1]({i, a, b});
             });
    });
  });
  expect_computes("shift_conv2d", [](const Setting& s, const At& y) {
    return sum2(s["Ci"], s["k"], [&](auto i, auto b) {
      return s.x({y[0], i, (y[2] + 1) % s["H"], y[3] + b - 1}) * s.w[0]({y[1], i, b});
    });
  });
}

TEST(KnownTest, WithoutWeights) {
  expect_computes("average_pool2d", [](const Setting& s, const At& y) {
    return sum2(s["s"], s["s"],
                [&](auto a, auto b) {
                  return s.x({y[0], y[1], y[2] * s["s"] + a, y[3] * s["s"] + b});
                }) /
           static_cast<double>(s["s"] * s["s"]);
  });
  expect_computes("upsample2d", [](const Setting& s, const At& y) {
    return s.x({y[0], y[1], y[2] / s["s"], y[3] / s["s"]});
  });
  expect_computes("pixel_shuffle", [](const Setting& s, const At& y) {
    const std::int64_t r = s["s"];
    return s.x({y[0], y[1] * r * r + y[2] % r * r + y[3] % r, y[2] / r, y[3] / r});
  });
}

TEST(KnownTest, Projections) {
  expect_computes("qkv_per_head", [](const Setting& s, const At& y) {
    const std::int64_t width = s["C"] / s["g"];
    const std::int64_t head = y[2] / width % s["g"];
    return sum(width, [&](auto r) {
      return s.x({y[0], y[1], head * width + r}) * s.w[0]({r, y[2] / s["C"], y[2] % width, head});
    });
  });
  expect_computes("gpt2_projection", [](const Setting& s, const At& y) {
    const std::int64_t k = s["k"];
    const std::int64_t p = s["H"] / (k * k * k * s["t"]);
    const std::int64_t q = p / k;
    return sum(s["H"] / k, [&](auto r) {
      return s.x({y[0], y[1], y[2] % p / q * (s["H"] / k) + r}) * s.w[0]({r, y[2] / p, y[2] % q});
    });
  });
}

// What OPERATORs 1 and 2 and their rival share: sums over groups, channels, windows and the c
// between the two weights.
double over_groups(const Setting& s,
                   const std::function<double(std::int64_t channel, std::int64_t G, std::int64_t a,
                                              std::int64_t b, std::int64_t c)>& term) {
  const std::int64_t width = s["Ci"] / s["g"];
  return sum2(s["g"], width, [&](auto G, auto i) {
    return sum2(s["k"], s["k"], [&](auto a, auto b) {
      return sum(s["Co"] / (s["g"] * s["s"]),
                 [&](auto c) { return term(G * width + i, G, a, b, c); });
    });
  });
}

TEST(KnownTest, OperatorsOfSyno) {
  expect_computes("operator1", [](const Setting& s, const At& y) {
    return over_groups(s, [&](auto channel, auto G, auto a, auto b, auto c) {
      return s.x({y[0], channel, y[2] + a - 1, y[3] + b - 1}) * s.w[0]({y[1], G, a, b, c}) *
             s.w[1]({b, c, channel});
    });
  });
  expect_computes("operator2", [](const Setting& s, const At& y) {
    return over_groups(s, [&](auto channel, auto G, auto a, auto b, auto c) {
      const std::int64_t row = y[2] + a - 1;
      if (row < 0 || row >= s["H"]) return 0.0;
      return s.x({y[0], channel, (row + 1) % s["H"], y[3] + b - 1}) * s.w[0]({y[1], G, a, c}) *
             s.w[1]({b, c, channel});
    });
  });
  expect_computes("stacked_conv2d", [](const Setting& s, const At& y) {
    return over_groups(s, [&](auto channel, auto G, auto a, auto b, auto c) {
      const std::int64_t column = y[3] + b - 1;
      if (column < 0 || column >= s["W"]) return 0.0;
      return s.w[0]({y[1], G, a, b, c}) * sum(s["k"], [&](auto d) {
               return s.x({y[0], channel, y[2] + a - 1, column + d - 1}) * s.w[1]({d, c, channel});
             });
    });
  });
}

}  // namespace
}  // namespace cambium::spaces::coordinate
