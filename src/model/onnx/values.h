// The values of a file during import: each is a known constant or an output of a node of the Model.
// The reference executor folds operators over constants, within limits of memory and work. Shape
// arithmetic therefore disappears, and a hostile file cannot exhaust the machine.
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
  // `as_written`: keeps operators over constants in the Model (for our own files), even if their
  // result is known. Otherwise they are folded.
  Values(Builder& builder, const ImportLimits& limits, std::int64_t weight_bytes, bool as_written);

  bool as_written() const { return as_written_; }
  Operand constant(std::string name, Tensor tensor);
  // Called before a handler makes a constant that the file does not contain. Refuses TooLarge if
  // all such constants together exceed the limit.
  Status reserve(std::int64_t bytes);
  Operand input(const std::string& name, Value value);

  const TensorType& type(Operand operand) const;
  const Tensor* tensor(Operand operand) const;  // null if unknown before the model runs
  // For a value that is not constant: an input of the model that it depends on.
  const std::string& origin(Operand operand) const;

  // Adds one operator. Its outputs are folded, or become outputs of a new node.
  Result<std::vector<Operand>> emit(const Op& op, std::span<const Operand> inputs,
                                    const std::string& name);
  // The value in the Model. A constant becomes a weight at the first request.
  Value in_model(Operand operand);

 private:
  struct Entry {
    TensorType type;
    std::optional<Tensor> tensor;
    Value value;
    std::string
        name;  // name of the weight of a constant, or of the input that the value depends on
  };

  bool may_fold(const Op& op, std::span<const Operand> inputs,
                const std::vector<TensorType>& outputs);
  Result<std::vector<Tensor>> compute(const Op& op, std::span<const Operand> inputs,
                                      const std::vector<TensorType>& outputs) const;
  Operand add(Entry entry);

  Builder& builder_;
  std::deque<Entry>
      entries_;  // a deque, because handlers hold references to types while they add entries
  std::int64_t limit_, bytes_left_, work_left_;
  bool as_written_;
};

}  // namespace cambium::model::onnx_io
