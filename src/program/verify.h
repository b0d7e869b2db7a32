// The verifier: the rules that a program must satisfy at each stage. Programs from files and traces
// go through it, and transformations preserve it. Properties that cannot be decided are refused as
// NotProved; the interpreter then decides them for given inputs.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "program/context.h"

namespace cambium::program {

enum class Stage : std::uint8_t {
  Lowered,    // as made from a model: loops are not scheduled yet
  Scheduled,  // after transformations
  Ready,      // for code generation
};

struct Rule {
  std::string_view name;
  Stage from, until;  // the stages that it holds in
  std::string_view text;
};
std::span<const Rule> rules();

struct Violation {
  const Rule* rule;
  Rejection rejection;  // says which block, loop or buffer
};

// All violations, in the order of the rules. If one of the first rules (names, scopes,
// declarations) is broken, the others are not checked.
std::vector<Violation> violations(Context& cx, const Program& program, Stage stage);

// The first violation.
Status check(Context& cx, const Program& program, Stage stage);

}  // namespace cambium::program
