// Graph: what a network trains in the place of a rewritten nest. It is derived from the program, by
// one routine for every document: a sum of products becomes an einsum over views of what it reads
// (graph_reads.h), its results are put together (graph_writes.h), and recognition turns all of that
// into standard convolutions (docs/recognition.md). A new step therefore needs no rule here.
//
// Refuses NotAContraction, naming the block: programs with blocks other than copies with a border
// of zeros, zeros, and sums of products; and SizeOutOfRange for more pieces or loops than a graph
// holds.
#pragma once

#include "base/result.h"
#include "model/model.h"
#include "program/context.h"

namespace cambium::spaces::loopnest {

// The body of a Composite: inputs "x", then "w1", "w2" ... for the constants of the program in
// their order, all with the dimensions of the program; output "y".
Result<model::Model> body_of(program::Context& cx, const program::Program& program);

}  // namespace cambium::spaces::loopnest
