#include "spaces/testing/toy_net.h"

#include <string>

#include "model/builder.h"

namespace cambium::spaces::testing {

using model::Builder;
using model::Tensor;
using model::TensorType;
using model::Value;

model::Model toy_net(int blocks) {
  Builder builder("toy");
  const auto matrix = [&](const std::string& name, std::int64_t columns) {
    const TensorType type{DType::F32, {kToyWidth, columns}};
    return builder.weight(name, Tensor::lazy(type, {model::Fill::Law::Normal, 1, 1}));
  };
  Value x = builder.input("x", {DType::F32, {1, kToyWidth}});
  for (int i = 0; i < blocks; ++i) {
    const std::string name = "b" + std::to_string(i);
    builder.begin_block(name, "basic");
    x = builder.add(model::MatMul{}, {x, matrix(name + ".w", kToyWidth)}, name + ".fc");
    x = builder.add(model::Unary{model::UnaryFn::Relu}, {x}, name + ".act");
    builder.end_block();
  }
  builder.output("y", builder.add(model::MatMul{}, {x, matrix("head.w", 4)}, "head"));
  return std::move(builder).finish().value();
}

}  // namespace cambium::spaces::testing
