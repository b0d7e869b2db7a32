// The patterns that recognize.cpp tries at every node, and what they are written with.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace cambium::model::onnx_io {

// An input of a replacement: a value of the model, or its view under other dimensions.
struct Source {
  Value value;
  std::optional<Ints> view;
};

struct Replacement {
  Op op;
  std::vector<Source> inputs;
};

// Looks at a Model from the side of a pattern.
class Matcher {
 public:
  explicit Matcher(const Model& model) : model_(model) {}

  const Model& model() const { return model_; }
  const TensorType& type(Value value) const { return model_.type(value); }
  // The operator of kind T that makes the value, or null.
  template <class T>
  const Node* made_by(Value value) const {
    const Node& node = model_.node(value.node);
    return node.as<T>() != nullptr ? &node : nullptr;
  }
  const Node* unary(Value value, UnaryFn fn) const;
  const Node* binary(Value value, BinaryFn fn) const;
  // A floating weight of one element.
  std::optional<double> number(Value value) const;
  bool is_number(Value value, double wanted) const;
  // Near enough for a constant that was rounded to the type of `value`.
  bool near(double found, double wanted, Value value) const;
  // Of x + c or c + x: x.
  std::optional<Value> plus_number(Value sum, double c) const;
  // Weights whose elements are all the same.
  bool all_equal(Value value, double wanted) const;

 private:
  const Model& model_;
};

// A product of several factors with the constants multiplied out; a square counts twice. `whole`
// is a factor that is not taken apart, even if it is a product itself.
struct Product {
  double constant = 1;
  std::vector<Value> factors;
};
Product product_of(const Matcher& m, Value value, Value whole = {});

struct Pattern {
  std::string_view name;
  std::optional<Replacement> (*match)(const Matcher& m, const Node& root);
};

std::span<const Pattern> activation_patterns();
std::span<const Pattern> norm_patterns();

}  // namespace cambium::model::onnx_io
