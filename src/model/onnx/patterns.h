// The patterns that recognize.cpp tries at every node, and helpers to write them.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace cambium::model::onnx_io {

// An input of a replacement: a value of the model, or a view of it with other dimensions.
struct Source {
  Value value;
  std::optional<Ints> view;
};

struct Replacement {
  Op op;
  std::vector<Source> inputs;
};

// Queries of a Model for patterns.
class Matcher {
 public:
  explicit Matcher(const Model& model) : model_(model) {}

  const Model& model() const { return model_; }
  const TensorType& type(Value value) const { return model_.type(value); }
  // The operator of kind T that computes the value, or null.
  template <class T>
  const Node* made_by(Value value) const {
    const Node& node = model_.node(value.node);
    return node.as<T>() != nullptr ? &node : nullptr;
  }
  const Node* unary(Value value, UnaryFn fn) const;
  const Node* binary(Value value, BinaryFn fn) const;
  // A floating-point weight with one element.
  std::optional<double> number(Value value) const;
  bool is_number(Value value, double wanted) const;
  // Whether `found` equals `wanted` up to rounding to the type of `value`.
  bool near(double found, double wanted, Value value) const;
  // Returns x of x + c or c + x.
  std::optional<Value> plus_number(Value sum, double c) const;
  // Matches weights whose elements are all equal.
  bool all_equal(Value value, double wanted) const;

 private:
  const Model& model_;
};

// A product of several factors, with the constants multiplied; a square counts twice. `whole` is a
// factor that is not decomposed, even if it is a product itself.
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
