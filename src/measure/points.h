// Single elements of what a program computes, in double precision, each with a bound on what
// rounding may do to it. Follows blocks backwards from the element, over all points of their
// iterators: loops, their order and the interpreter play no part, so it is a second opinion. Takes
// programs as lowering makes them; refuses scheduled ones (WrongArgument). Called by check.h.
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
  // The program and the arguments (inputs and constants, in order) must live as long.
  static Result<Points> of(const program::Program& program,
                           std::span<const program::Array> arguments);
  Points(Points&&) noexcept;
  Points& operator=(Points&&) noexcept;
  ~Points();

  // An element of an output (counted among outputs). Nothing where it would take more than
  // `budget` operations, or where nothing writes it.
  std::optional<Estimate> at(std::size_t output, std::int64_t element,
                             std::int64_t budget = 50'000'000);

 private:
  struct State;
  explicit Points(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cambium::measure
