// A rule that changes the result, and the check that detects it. Tests of the search use them to
// show that no time of a wrong result is kept.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "program/clone.h"
#include "program/interpret.h"
#include "schedule/rules/space.h"
#include "tune/task.h"

namespace cambium::tune {

// Computes only every other row of the matrix product.
inline schedule::Rule wrong_rule(const std::string& rows) {
  return {"wrong", "leaves out half of the rows",
          [rows](schedule::Draft& draft, const std::string&) -> Status {
            if (draft.choose("halves", {"no", "yes"}) == 0) return Ok{};
            CAMBIUM_REQUIRE(draft.apply(schedule::Bottleneck{rows, 2, true}));
            return Ok{};
          }};
}

inline bool is_wrong(const std::string& trace) {
  return trace.find("bottleneck") != std::string::npos;
}

// Checks a candidate of small_space.h as the real bench does before timing. Refuses WrongResult.
inline Status check_result(const Task& task, const schedule::Trace& trace) {
  program::Context cx;
  const program::Program lowered = program::clone_into(cx, *task.program);
  CAMBIUM_TRY(const schedule::Schedule made, schedule::replay(cx, lowered, trace));
  std::vector<program::Array> arguments;
  for (int i = 0; i < 2; ++i) {
    std::vector<float> values(64 * 64);
    Rng rng(static_cast<std::uint64_t>(i));
    for (float& value : values) value = static_cast<float>(rng.between(-4, 4));
    arguments.push_back(program::Array::of(std::move(values)));
  }
  const auto wanted = program::interpret(cx, lowered, arguments).value();
  const auto found = program::interpret(cx, made.program(), arguments);
  if (!found.ok() || (*found)[0].as_doubles() != wanted[0].as_doubles()) {
    return Rejection(Reason::WrongResult, "c", "planted");
  }
  return Ok{};
}

}  // namespace cambium::tune
