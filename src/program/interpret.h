// The interpreter: defines the meaning of every program. It compiles a program once into a flat
// form and runs it on arrays. Loops of every kind run in order; parallel loops can run in a
// shuffled order, which exposes programs that depend on the order. Refuses, with block, buffer and
// index: an access outside its buffer (OutOfBounds), a read of an unwritten element
// (ReadUnwritten), an output that is not completely written (OutputNotWritten), and arguments that
// do not fit (WrongArgument, TooLarge).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "base/result.h"
#include "program/context.h"

namespace cambium::program {

// The elements of one buffer. Floating types are held as float or double, whole numbers and bool as
// 64-bit numbers (u64 as the same bits).
struct Array {
  DType dtype = DType::F32;
  std::variant<std::vector<float>, std::vector<double>, std::vector<std::int64_t>> elements;

  template <class T>
  static Array of(std::span<const T> values);  // dtype is that of T
  static Array of(std::vector<float> values) { return {DType::F32, std::move(values)}; }
  std::int64_t size() const;
  std::vector<double> as_doubles() const;
};

enum class Precision : std::uint8_t {
  Stored,  // as the types say: f32 is computed in float, and rounded when it is stored
  Double,  // every floating number is a double, also in buffers: the reference for rounding errors
};

struct InterpreterCode;  // interpret_code.h

class Interpreter {
 public:
  // Refuses AxisUnbound, UnknownName (a buffer that is not declared), WritesReadOnly and TooLarge.
  static Result<Interpreter> compile(Context& cx, const Program& program,
                                     Precision precision = Precision::Stored);
  Interpreter(Interpreter&&) noexcept;
  Interpreter& operator=(Interpreter&&) noexcept;
  ~Interpreter();

  // Inputs and constants in the order of the parameters; gives the outputs in theirs. Can be called
  // again and again. `shuffle`: a seed for the order of parallel loops.
  Result<std::vector<Array>> run(std::span<const Array> arguments,
                                 std::optional<std::uint64_t> shuffle = std::nullopt) const;

 private:
  explicit Interpreter(std::unique_ptr<const InterpreterCode> code);
  std::unique_ptr<const InterpreterCode> code_;
};

// Compiles and runs.
Result<std::vector<Array>> interpret(Context& cx, const Program& program,
                                     std::span<const Array> arguments,
                                     Precision precision = Precision::Stored);

template <class T>
Array Array::of(std::span<const T> values) {
  Array array;
  array.dtype = dtype_of<T>;
  if constexpr (std::is_same_v<T, double>) {
    array.elements = std::vector<double>(values.begin(), values.end());
  } else if constexpr (std::is_integral_v<T>) {
    array.elements = std::vector<std::int64_t>(values.begin(), values.end());
  } else {
    std::vector<float> floats;
    for (const T& v : values) floats.push_back(static_cast<float>(static_cast<double>(v)));
    array.elements = std::move(floats);
  }
  return array;
}

}  // namespace cambium::program
