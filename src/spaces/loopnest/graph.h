// Graph: the training graph that replaces a rewritten nest. One routine derives it from the
// program, for every document: a sum of products becomes an einsum over views of its operands
// (graph_reads.h), its results are joined (graph_writes.h), and recognition turns all of this into
// standard convolutions (docs/recognition.md). So a new kind of step needs no rule here.
//
// Refuses NotAContraction, naming the block, if a program has other blocks than zero-padded copies,
// zeros, and sums of products. Refuses SizeOutOfRange if there are more pieces or loops than a
// graph can hold.
#pragma once

#include "base/result.h"
#include "model/model.h"
#include "program/context.h"

namespace cambium::spaces::loopnest {

// The body of a Composite: inputs "x", then "w1", "w2" ... for the constants of the program in
// their order, all with the dimensions of the program; output "y".
Result<model::Model> body_of(program::Context& cx, const program::Program& program);

}  // namespace cambium::spaces::loopnest
