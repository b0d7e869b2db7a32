// Computes single elements of a program's outputs in double precision, each with a bound on its
// rounding error. It follows blocks backwards from the element, over all points of their iterators.
// It uses neither loops nor the interpreter, so it is an independent check. Takes lowered programs;
// refuses scheduled ones (WrongArgument). Called by check.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "measure/rounding.h"
#include "program/interpret.h"
#include "program/program.h"

namespace cambium::measure {

class Points {
 public:
  // The program and the arguments (inputs and constants, in order) must outlive the result.
  static Result<Points> of(const program::Program& program,
                           std::span<const program::Array> arguments);
  Points(Points&&) noexcept;
  Points& operator=(Points&&) noexcept;
  ~Points();

  // An element of an output; `output` counts outputs only. Nothing if it takes more than `budget`
  // operations, or if nothing writes it.
  std::optional<Estimate> at(std::size_t output, std::int64_t element,
                             std::int64_t budget = 50'000'000);

 private:
  struct State;
  explicit Points(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cambium::measure
