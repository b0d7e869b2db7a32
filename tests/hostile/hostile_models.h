// Models in which everything that has a name has a hostile one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/builder.h"

namespace cambium::tests {

// x * w, by a space that says what it likes of it.
inline model::Composite hostile_composite(const std::string& text) {
  model::Builder b(text);
  const model::Value x = b.input(text, {DType::F32, {1, 4}});
  const model::Value w = b.input(text + "w", {DType::F32, {4}});
  b.output(text, b.add(model::Binary{model::BinaryFn::Mul}, {x, w}, text + "."));
  return {text, text + "\n" + text,
          std::make_shared<const model::Model>(std::move(b).finish().value())};
}

// A small model of the name, with a Composite whose space and document are so called too.
inline model::Model hostile_model(const std::string& text) {
  model::Builder b(text);
  const model::Value x = b.input(text, {DType::F32, {1, 4}});
  const model::Value w = b.weight(text + "w", model::Tensor::of<float>({4}, {1, 2, 3, 4}));
  b.begin_block(text, text);
  const model::Value y = b.add(hostile_composite(text), {x, w}, text + "c");
  b.end_block();
  b.output(text + "o", b.add(model::Unary{model::UnaryFn::Relu}, {y}, text + "r"));
  return std::move(b).finish().value();
}

// All texts in one: each is called like a node, or like a weight where `names_weights`.
inline model::Model hostile_model(const std::vector<std::string>& texts, bool names_weights) {
  model::Builder b(texts[0]);
  model::Value x = b.input(names_weights ? texts[1] + "x" : texts[1], {DType::F32, {1, 4}});
  for (std::size_t i = 2; i < texts.size(); ++i) {
    b.begin_block(texts[i], texts[i]);
    if (names_weights) {
      const model::Value w = b.weight(texts[i], model::Tensor::of<float>({4}, {1, 2, 3, 4}));
      x = b.add(model::Binary{model::BinaryFn::Add}, {x, w}, "sum" + std::to_string(i));
    } else {
      x = b.add(model::Unary{model::UnaryFn::Tanh}, {x}, texts[i]);
    }
    b.end_block();
  }
  const model::Value w = b.weight("last.weight", model::Tensor::of<float>({4}, {4, 3, 2, 1}));
  x = b.add(hostile_composite(texts[0]), {x, w}, "composite");
  b.output(texts.front(), x);
  return std::move(b).finish().value();
}

}  // namespace cambium::tests
