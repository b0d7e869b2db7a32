// Kernels that stand in for the decomposition of a composite: alone, and in a network.
#include <cmath>

#include <gtest/gtest.h>

#include "model/composite.h"
#include "model/fingerprint.h"
#include "train/torch/network.h"
#include "train/torch/provided_call.h"
#include "train/torch/tensors.h"

namespace cambium::train {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace): many operators are named

constexpr std::int64_t kColumns = 4;

// y = tanh(x) * w, z = x + w for x[rows, 4] and w[4], written by hand; the same from operators.
ProvidedKernel fake_kernel(std::int64_t rows) {
  ProvidedKernel kernel;
  kernel.forward = [rows](const auto& in, const auto& out) {
    for (std::int64_t i = 0; i < rows * kColumns; ++i) {
      out[0][i] = std::tanh(in[0][i]) * in[1][i % kColumns];
      out[1][i] = in[0][i] + in[1][i % kColumns];
    }
  };
  kernel.backward = [rows](const auto& in, const auto& gradients, const auto& out) {
    for (std::int64_t i = 0; i < rows * kColumns; ++i) {
      const float t = std::tanh(in[0][i]), w = in[1][i % kColumns];
      if (out[0] != nullptr) out[0][i] = gradients[0][i] * (1 - t * t) * w + gradients[1][i];
      if (out[1] != nullptr) out[1][i % kColumns] += gradients[0][i] * t + gradients[1][i];
    }
  };
  return kernel;
}

Model fake_body(std::int64_t rows) {
  Builder b("body");
  const Value x = b.input("x", {DType::F32, {rows, kColumns}});
  const Value w = b.input("w", {DType::F32, {kColumns}});
  b.output("y", b.add(Binary{BinaryFn::Mul}, {b.add(Unary{UnaryFn::Tanh}, {x}), w}));
  b.output("z", b.add(Binary{BinaryFn::Add}, {x, w}));
  return std::move(b).finish().value();
}

// Has kernels for batches up to a size, and counts the calls of those that it gave.
struct FakeProvider : KernelProvider {
  std::int64_t largest = 1000;
  int forward = 0, backward = 0;

  std::optional<ProvidedKernel> kernel_for(const Model& body) override {
    const std::int64_t rows = body.type({body.inputs()[0], 0}).dims[0];
    EXPECT_EQ(structure_of(body), structure_of(fake_body(rows)));
    if (rows > largest) return std::nullopt;
    ProvidedKernel kernel = fake_kernel(rows);
    kernel.forward = [this, inner = kernel.forward](const auto& in, const auto& out) {
      ++forward;
      inner(in, out);
    };
    kernel.backward = [this, inner = kernel.backward](const auto& in, const auto& gradients,
                                                      const auto& out) {
      ++backward;
      inner(in, gradients, out);
    };
    return kernel;
  }
};

torch::Tensor drawn(const Ints& dims, std::uint64_t seed) {
  return to_torch(Tensor::lazy({DType::F32, dims}, {Fill::Law::Normal, 1, seed}), {});
}

void expect_close(const torch::Tensor& have, const torch::Tensor& want) {
  EXPECT_TRUE(torch::allclose(have, want, 1e-5, 1e-6)) << have << want;
}

TEST(ProvidedCall, EqualsTheDecompositionForwardAndBackward) {
  const Model body = fake_body(3);
  std::vector<std::vector<torch::Tensor>> results;
  for (const bool provided : {false, true}) {
    // The first operand is not row-major: a provided kernel must see it so nevertheless.
    torch::Tensor x = drawn({kColumns, 3}, 4).requires_grad_();
    torch::Tensor w = drawn({kColumns}, 5).requires_grad_();
    Network network = Network::make(body, {}).value();
    const std::vector<torch::Tensor> arguments{x.t(), w};
    const auto outputs = provided ? provided_call(fake_kernel(3), arguments, {{3, 4}, {3, 4}})
                                  : network.forward(arguments, Network::Mode::Training);
    (outputs[0].square().sum() + 2 * outputs[1].sum()).backward();
    results.push_back({outputs[0], outputs[1], x.grad(), w.grad()});
  }
  for (std::size_t i = 0; i < results[0].size(); ++i) expect_close(results[1][i], results[0][i]);
}

TEST(ProvidedCall, AsksOnlyForGradientsThatAreWanted) {
  ProvidedKernel kernel = fake_kernel(1);
  std::vector<bool> wanted;
  kernel.backward = [&](const auto&, const auto& gradients, const auto& out) {
    wanted = {out[0] != nullptr, out[1] != nullptr};
    EXPECT_EQ(gradients[1][0], 0);  // nobody used the second output
    for (int i = 0; i < kColumns; ++i) out[1][i] = 5;
  };
  const torch::Tensor x = torch::ones({1, kColumns});
  torch::Tensor w = torch::ones({kColumns}).requires_grad_();
  provided_call(kernel, {x, w}, {{1, 4}, {1, 4}})[0].sum().backward();
  EXPECT_EQ(wanted, (std::vector<bool>{false, true}));
  EXPECT_EQ(w.grad()[0].item<float>(), 5);
}

// The graph is for two rows; what is before and behind the composite are ordinary nodes.
Model around() {
  Builder b("around");
  const Value x = b.input("x", {DType::F32, {2, kColumns}});
  const Value w = b.weight("w", Tensor::lazy({DType::F32, {kColumns}}, {Fill::Law::Normal, 1, 8}));
  const Value y = b.add(composite_of("test", "fake", fake_body(2)).value(),
                        {b.add(Unary{UnaryFn::Sigmoid}, {x}), w}, "place");
  b.output("sum", b.add(Binary{BinaryFn::Mul}, {y, {y.node, 1}}));
  return std::move(b).finish().value();
}

struct Step {
  torch::Tensor output, of_input, of_weight;  // and the gradients of a loss
};

Step step(const Model& model, KernelProvider* kernels, std::int64_t batch) {
  Network network = Network::make(model, {{}, false, kernels}).value();
  torch::Tensor x = drawn({batch, kColumns}, 6).requires_grad_();
  const torch::Tensor y = network.forward({x}, Network::Mode::Training)[0];
  (y * drawn({batch, kColumns}, 7)).sum().backward();
  EXPECT_EQ(network.parameters().size(), 1u);
  return {y.detach(), x.grad(), network.parameters()[0].tensor.grad()};
}

TEST(ProvidedKernels, RunInTheNetworkAtEveryBatch) {
  for (const std::int64_t batch : {2, 5}) {
    FakeProvider provider;
    const Step with = step(around(), &provider, batch), without = step(around(), nullptr, batch);
    EXPECT_EQ(provider.forward, 1);
    EXPECT_EQ(provider.backward, 1);
    expect_close(with.output, without.output);
    expect_close(with.of_input, without.of_input);
    expect_close(with.of_weight, without.of_weight);
  }
}

TEST(ProvidedKernels, HaveTheGradientsThatDifferencesShow) {
  FakeProvider provider;
  const Step one = step(around(), &provider, 3);
  Network network = Network::make(around(), {{}, false, &provider}).value();
  const torch::Tensor factors = drawn({3, kColumns}, 7);
  const auto loss = [&](const torch::Tensor& x) {
    const torch::NoGradGuard guard;
    return (network.forward({x}, Network::Mode::Training)[0] * factors).sum().item<double>();
  };
  constexpr double kStep = 1e-2;
  const torch::Tensor x = drawn({3, kColumns}, 6);
  const auto moved = [&](std::int64_t at, double by) {
    torch::Tensor other = x.clone();
    other.view({-1})[at] += by;
    return loss(other);
  };
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    EXPECT_NEAR(one.of_input.view({-1})[i].item<double>(),
                (moved(i, kStep) - moved(i, -kStep)) / (2 * kStep), 1e-3);
  }
  torch::Tensor w = network.parameters()[0].tensor;
  for (std::int64_t i = 0; i < kColumns; ++i) {
    const auto at = [&](double by) {
      const torch::NoGradGuard guard;
      w[i] += by;
      const double value = loss(x);
      w[i] -= by;
      return value;
    };
    EXPECT_NEAR(one.of_weight[i].item<double>(), (at(kStep) - at(-kStep)) / (2 * kStep), 1e-3);
  }
}

TEST(ProvidedKernels, LeaveWhatTheyDeclineToTheDecomposition) {
  FakeProvider provider;
  provider.largest = 4;
  Network network = Network::make(around(), {{}, false, &provider}).value();
  Network plain = Network::make(around(), {}).value();
  const torch::NoGradGuard guard;
  for (const std::int64_t batch : {2, 6, 4, 6}) {
    const int before = provider.forward;
    const torch::Tensor x = drawn({batch, kColumns}, 6);
    expect_close(network.forward({x}, Network::Mode::Inference)[0],
                 plain.forward({x}, Network::Mode::Inference)[0]);
    EXPECT_EQ(provider.forward - before, batch <= 4 ? 1 : 0) << batch;
  }
  EXPECT_EQ(content_of(network.trained()), content_of(around()));
}

TEST(ProvidedKernels, AreNotForNetworksInF64) {
  FakeProvider provider;
  Network network = Network::make(around(), {{}, false, &provider}).value();
  network.widen();
  const torch::Tensor x = drawn({2, kColumns}, 6).to(torch::kDouble);
  EXPECT_EQ(network.forward({x}, Network::Mode::Inference)[0].scalar_type(), torch::kDouble);
  EXPECT_EQ(provider.forward, 0);
}

}  // namespace
}  // namespace cambium::train
