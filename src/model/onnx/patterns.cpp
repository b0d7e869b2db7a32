#include "model/onnx/patterns.h"

#include <algorithm>
#include <cmath>

namespace cambium::model::onnx_io {

namespace {

constexpr int kMaxProductDepth = 4;

void multiply_out(const Matcher& m, Value value, Value whole, int depth, Product& out) {
  if (const auto number = m.number(value)) {
    out.constant *= *number;
    return;
  }
  if (depth < kMaxProductDepth && value != whole) {
    if (const Node* mul = m.binary(value, BinaryFn::Mul)) {
      multiply_out(m, mul->inputs[0], whole, depth + 1, out);
      multiply_out(m, mul->inputs[1], whole, depth + 1, out);
      return;
    }
    const Node* div = m.binary(value, BinaryFn::Div);
    if (const auto by = div != nullptr ? m.number(div->inputs[1]) : std::nullopt; by && *by != 0) {
      out.constant /= *by;
      multiply_out(m, div->inputs[0], whole, depth + 1, out);
      return;
    }
    const Node* pow = m.binary(value, BinaryFn::Pow);
    if (const auto by = pow != nullptr ? m.number(pow->inputs[1]) : std::nullopt;
        by && (*by == 2 || *by == 3)) {
      out.factors.insert(out.factors.end(), static_cast<std::size_t>(*by), pow->inputs[0]);
      return;
    }
  }
  out.factors.push_back(value);
}

}  // namespace

const Node* Matcher::unary(Value value, UnaryFn fn) const {
  const Node* node = made_by<Unary>(value);
  return node != nullptr && node->as<Unary>()->fn == fn ? node : nullptr;
}

const Node* Matcher::binary(Value value, BinaryFn fn) const {
  const Node* node = made_by<Binary>(value);
  return node != nullptr && node->as<Binary>()->fn == fn ? node : nullptr;
}

std::optional<double> Matcher::number(Value value) const {
  const Tensor* tensor = model_.weight(value);
  if (tensor == nullptr || tensor->elements() != 1) return std::nullopt;
  return tensor->to_doubles()[0];
}

bool Matcher::is_number(Value value, double wanted) const {
  const auto found = number(value);
  return found && near(*found, wanted, value);
}

bool Matcher::near(double found, double wanted, Value value) const {
  const DType dtype = type(value).dtype;
  const double tolerance = dtype == DType::F16 || dtype == DType::BF16 ? 5e-3 : 1e-5;
  return std::fabs(found - wanted) <= tolerance * std::fabs(wanted);
}

std::optional<Value> Matcher::plus_number(Value sum, double c) const {
  const Node* add = binary(sum, BinaryFn::Add);
  if (add == nullptr) return std::nullopt;
  if (is_number(add->inputs[1], c)) return add->inputs[0];
  if (is_number(add->inputs[0], c)) return add->inputs[1];
  return std::nullopt;
}

bool Matcher::all_equal(Value value, double wanted) const {
  const Tensor* tensor = model_.weight(value);
  if (tensor == nullptr || tensor->elements() > 1 << 20) return false;
  const std::vector<double> elements = tensor->to_doubles();
  return std::all_of(elements.begin(), elements.end(), [&](double e) { return e == wanted; });
}

Product product_of(const Matcher& m, Value value, Value whole) {
  Product product;
  multiply_out(m, value, whole, 0, product);
  return product;
}

}  // namespace cambium::model::onnx_io
