// The values of a file while it becomes a Model: each is a constant known now, or an output of a
// node of the Model. Operators over constants are folded through the reference executor, within
// limits of memory and work, so that shape arithmetic vanishes and a hostile file gains nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/builder.h"
#include "model/onnx/import.h"

namespace cambium::model::onnx_io {

struct Operand {
  std::uint32_t index = ~0u;
  bool valid() const { return index != ~0u; }
};

class Values {
 public:
  // `as_written`: operators over constants stay in the Model (our own files), even where
  // their result is known; otherwise they are folded.
  Values(Builder& builder, const ImportLimits& limits, std::int64_t weight_bytes, bool as_written);

  bool as_written() const { return as_written_; }
  Operand constant(std::string name, Tensor tensor);
  // Before a handler makes a constant that the file does not hold: refuses TooLarge when all of
  // them together pass the limit.
  Status reserve(std::int64_t bytes);
  Operand input(const std::string& name, Value value);

  const TensorType& type(Operand operand) const;
  const Tensor* tensor(Operand operand) const;  // null: not known before the model runs
  // Of a value that is not constant: an input of the model that it depends on.
  const std::string& origin(Operand operand) const;

  // One operator; its outputs are folded or become those of a new node.
  Result<std::vector<Operand>> emit(const Op& op, std::span<const Operand> inputs,
                                    const std::string& name);
  // The value in the Model; a constant becomes a weight when first asked for.
  Value in_model(Operand operand);

 private:
  struct Entry {
    TensorType type;
    std::optional<Tensor> tensor;
    Value value;
    std::string name;  // of a constant: for the weight; otherwise: the input it depends on
  };

  bool may_fold(const Op& op, std::span<const Operand> inputs,
                const std::vector<TensorType>& outputs);
  Result<std::vector<Tensor>> compute(const Op& op, std::span<const Operand> inputs,
                                      const std::vector<TensorType>& outputs) const;
  Operand add(Entry entry);

  Builder& builder_;
  std::deque<Entry> entries_;  // handlers hold references to types while they add entries
  std::int64_t limit_, bytes_left_, work_left_;
  bool as_written_;
};

}  // namespace cambium::model::onnx_io
