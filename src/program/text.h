// The text form of a Program, for people, tests and traces. Printing what was parsed gives the same
// text (up to white space); parsing what was printed gives the same program.
//
//   program matmul(a: f32[64, 32] input,
//                  b: f32[32, 64] constant,
//                  c: f32[64, 64] output) {
//     for i in 64 parallel {
//       for j.o in 4 {
//         for k in 32 {
//           for j.i in 16 vectorized {
//             block matmul(spatial i = i, spatial j in 64 = 16*j.o + j.i, reduce k = k) {
//               c[i, j] += a[i, k] * b[k, j] init 0.0
//             }
//           }
//         }
//       }
//     }
//   }
//
// `local t: f32[8]` declares a local before the first statement, `@key(3)` or `@key("text")` are
// annotations, `if` gives a block its predicate, `#` begins a comment. An iterator's extent is left
// out when its binding is a loop of that extent. Literals with a point are f32, others i64; other
// types are written `f64(0.1)`.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "program/context.h"

namespace cambium::program {

std::string to_text(Context& cx, const Program& program);
std::string to_text(Context& cx, Stmt s);
std::string to_text(Context& cx, Scalar scalar);

// Refuses, with line and column: BadSyntax, BadName, NameTaken, UnknownName, WrongRank,
// OperandType, BadReduction, BufferTooLarge, SizeNotPositive, TooDeep, and what index expressions
// refuse.
Result<Program> parse(Context& cx, std::string_view text);

}  // namespace cambium::program
