// A body whose weights are inputs, as a model that holds them: what recognition sees when a
// Composite stands in a network and is expanded.
#pragma once

#include <vector>

#include "model/builder.h"
#include "model/composite.h"

namespace cambium::spaces::coordinate {

inline model::Model with_weights(const model::Model& body,
                                 const std::vector<model::Tensor>& weights) {
  model::Builder builder("weighted");
  std::vector<model::Value> inputs{builder.input("x", body.type({body.inputs()[0], 0}))};
  for (const model::Tensor& weight : weights) inputs.push_back(builder.weight("w", weight));
  builder.output("y", model::inlined(builder, body, inputs, "body")[0]);
  return std::move(builder).finish().value();
}

// Weights are drawn.
inline model::Model with_weights(const model::Model& body) {
  std::vector<model::Tensor> weights;
  for (std::size_t i = 1; i < body.inputs().size(); ++i) {
    const model::Fill fill{model::Fill::Law::Normal, 1, i};
    weights.push_back(model::Tensor::lazy(body.type({body.inputs()[i], 0}), fill));
  }
  return with_weights(body, weights);
}

}  // namespace cambium::spaces::coordinate
