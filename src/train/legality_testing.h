// A small network whose second convolution may be grouped, and a measure in the place of Fisher
// Potential whose scores a test can work out. For tests of paired draws and of legality.
#pragma once

#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "model/builder.h"
#include "model/operators.h"
#include "train/legality.h"
#include "train/paired_draws.h"

namespace cambium::train::testing {

inline constexpr std::int64_t kChannels = 8;

// x -> 3x3 convolutions `conv1`, `conv2` -> mean -> `fc`, for ten classes. The name of its weight
// tells one second convolution from another. Of three colors the images are as large as those that
// minibatches have without a data set, of one as large as tests/cli/tiny_images_testing.h.
inline model::Model two_convolutions(std::int64_t groups = 1, const std::string& second = "w2",
                                     std::int64_t colors = 3) {
  const auto later = [](model::Ints dims) {
    return model::Tensor::lazy({DType::F32, std::move(dims)}, {});
  };
  model::Builder b(groups == 1 ? "dense" : "grouped");
  const std::int64_t side = colors == 1 ? 8 : 32;
  model::Value x = b.input("x", {DType::F32, {1, colors, side, side}});
  const auto add = [&](const char* name, const std::string& weight, std::int64_t of) {
    const std::int64_t in = b.type(x).dims[1] / of;
    const model::Value w = b.weight(weight, later({kChannels, in, 3, 3}));
    x = b.add(model::Conv{{1, 1}, {1, 1, 1, 1}, {1, 1}, of}, {x, w}, name);
    x = b.add(model::Unary{model::UnaryFn::Relu}, {x});
  };
  add("conv1", "w1", 1);
  add("conv2", second, groups);
  x = b.add(model::Reduce{model::ReduceFn::Mean, {2, 3}, false}, {x}, "mean");
  b.output("y", b.add(model::MatMul{}, {x, b.weight("fc.w", later({kChannels, 10}))}, "fc"));
  return std::move(b).finish().value();
}

inline model::Model grouped() {
  return two_convolutions(2, "w2.grouped");
}

// Every element of `w2.grouped` (two groups) is the one of `w2` that joins the same channels.
inline model::WeightOrigin block_diagonal() {
  model::WeightOrigin origin{"w2.grouped", "w2", {}};
  const std::int64_t half = kChannels / 2;
  for (std::int64_t o = 0; o < kChannels; ++o) {
    for (std::int64_t i = 0; i < half; ++i) {
      const std::int64_t dense = o / half * half + i;
      for (std::int64_t k = 0; k < 9; ++k) {
        origin.elements.push_back((o * kChannels + dense) * 9 + k);
      }
    }
  }
  return origin;
}

inline std::map<std::string, std::vector<double>> weights_of(const model::Model& model) {
  std::map<std::string, std::vector<double>> weights;
  for (const model::NodePtr& node : model.nodes()) {
    const auto* weight = node->as<model::Weight>();
    if (weight != nullptr) weights.emplace(node->name, weight->value.to_doubles());
  }
  return weights;
}

// What a measure was asked for.
struct Asked {
  std::string model;
  std::map<std::string, std::vector<double>> weights;
  ProxyBatch images;
};

// The score of a convolution is the sum of the squares of its weights, times the mean square of the
// images: random in both, as Fisher Potential is.
inline Result<FisherReport> squares(const model::Model& model, const ProxyBatch& batch,
                                    const FisherOptions& /*options*/) {
  const auto energy = [](const model::Tensor& tensor) {
    const std::vector<double> all = tensor.to_doubles();
    return std::inner_product(all.begin(), all.end(), all.begin(), 0.0);
  };
  FisherReport report;
  const double brightness = energy(batch.inputs) / static_cast<double>(batch.inputs.elements());
  for (const model::NodePtr& node : model.nodes()) {
    if (node->as<model::Conv>() == nullptr) continue;
    const auto& weight = model.node(node->inputs[1].node).as<model::Weight>()->value;
    report.layers.push_back({node->id, node->name, energy(weight) * brightness, node->id});
    report.total += report.layers.back().score;
  }
  return report;
}

// The same, and keeps what it was asked for.
inline FisherScore watched(std::vector<Asked>& asked) {
  return
      [&asked](const model::Model& model, const ProxyBatch& batch, const FisherOptions& options) {
        asked.push_back({model.name(), weights_of(model), batch});
        return squares(model, batch, options);
      };
}

inline LegalityOptions by(LegalityOf of, int draws = 4, int most_draws = 32) {
  LegalityOptions options;
  options.of = of;
  options.verdict.draws = draws;
  options.verdict.most_draws = most_draws;
  return options;
}

}  // namespace cambium::train::testing
