// The networks of the zoo, shrunk, on the reference executor: they compute, and not nonsense.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "model/reference/execute.h"
#include "model/zoo/zoo.h"

namespace cambium::model::zoo {
namespace {

ZooOptions small(bool tokens) {
  ZooOptions options;
  options.width_divisor = 16;
  options.classes = 10;
  if (tokens) {
    options.length = 8;
  } else {
    options.image = 64;
  }
  return options;
}

Tensor input_for(const Model& model, std::uint64_t seed) {
  const TensorType& type = model.node(model.inputs()[0]).outputs[0];
  if (type.dtype == DType::F32) return Tensor::lazy(type, {Fill::Law::Normal, 1, seed});
  Rng rng(seed);
  std::vector<std::int64_t> tokens;
  for (std::int64_t i = 0; i < type.elements(); ++i) {
    tokens.push_back(static_cast<std::int64_t>(rng.below(10)));
  }
  return Tensor::of(type.dims, tokens);
}

std::vector<double> run(const Model& model, const Tensor& input) {
  auto outputs = execute(model, std::vector<Tensor>{input});
  EXPECT_TRUE(outputs.ok()) << outputs.rejection().message();
  return outputs.ok() ? (*outputs)[0].to_doubles() : std::vector<double>{};
}

TEST(ZooRun, EveryModelComputesFiniteNumbersThatDependOnItsInput) {
  for (const ZooEntry& entry : entries()) {
    SCOPED_TRACE(std::string(entry.name));
    const Model full = build(entry.name).value();
    const bool tokens = full.node(full.inputs()[0]).outputs[0].dtype == DType::I64;
    const Model model = build(entry.name, small(tokens)).value();
    const std::vector<double> first = run(model, input_for(model, 1));
    const std::vector<double> second = run(model, input_for(model, 2));
    EXPECT_NE(first, second);
    for (const double value : first) ASSERT_TRUE(std::isfinite(value));
  }
}

// The mask of the language models: what comes later must not change what was predicted before.
TEST(ZooRun, TinyGptDoesNotLookAhead) {
  const Model model = build("tiny-gpt").value();
  const TensorType& type = model.node(model.inputs()[0]).outputs[0];
  std::vector<std::int64_t> tokens(static_cast<std::size_t>(type.elements()), 7);
  const std::vector<double> before = run(model, Tensor::of(type.dims, tokens));
  const std::size_t changed = tokens.size() / 2;
  tokens[changed] = 200;
  const std::vector<double> after = run(model, Tensor::of(type.dims, tokens));
  const std::size_t vocabulary = before.size() / tokens.size();
  const auto at = [&](const std::vector<double>& logits, std::size_t token) {
    const auto start = logits.begin() + static_cast<std::ptrdiff_t>(token * vocabulary);
    return std::vector<double>(start, start + static_cast<std::ptrdiff_t>(vocabulary));
  };
  for (std::size_t t = 0; t < changed; ++t) ASSERT_EQ(at(before, t), at(after, t)) << t;
  EXPECT_NE(at(before, changed), at(after, changed));
  EXPECT_NE(at(before, changed + 1), at(after, changed + 1));
}

}  // namespace
}  // namespace cambium::model::zoo
