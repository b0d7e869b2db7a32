// The text form of a Model: one line per node, for people, tests and `.cambium` files. It
// round-trips: wiring, names, blocks, and every bit of weights and attributes. Attributes come from
// each operator's `fields`, so a new operator needs no code here.
//
//   cambium model 1 "tiny"
//   block @0 "layer1.0" "basic"
//   %0 "x" = input : f32[1, 1, 28, 28]
//   %1 "conv1.weight" = weight normal(0.1, 7) : f32[16, 1, 3, 3]
//   %2 "conv1" = conv(%0, %1) {strides = [1, 1], pads = [1, 1, 1, 1], dilations = [1, 1],
//                groups = 1} : f32[1, 16, 28, 28] @0
//   %3 "relu" = unary.relu(%2) : f32[1, 16, 28, 28] @0
//   output "y" = %3
//
// White space separates tokens and '#' begins a comment. %3.1 is the second output of node 3; @0 is
// block 0. A weight is a rule (`constant(value)`, `uniform(scale, seed)`, `normal(scale, seed)`),
// elements in `[...]`, or little-endian bytes in base64.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/model.h"

namespace cambium::model {

struct TextOptions {
  bool elide_weights = false;  // elements print as `...`, which cannot be read back
};

std::string to_text(const Model& model, const TextOptions& options = {});

// Refuses BadSyntax with line, column, expected and found text; names that are declared twice or
// never; and, with the line, nodes without valid types.
Result<Model> parse_text(std::string_view text);

// "text" in quotes, with \" \\ \n, and \xHH for each byte of an invisible character (base/utf8.h).
std::string quoted(std::string_view text);

}  // namespace cambium::model
