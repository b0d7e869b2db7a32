// Replays a document on one sum of products of any program. A document is the neural half of a
// trace, written for the normal form of the nest (schedule/neural/normalize.h), so it fits every
// program that computes the same convolution, however lowering named its loops. It holds neural
// steps, and the reorder, split, fuse and partition that they need. If a step acts on outermost
// loops, they are moved there first, so the document need not contain the interchange.
#pragma once

#include <string>
#include <string_view>

#include "schedule/trace/schedule.h"

namespace cambium::schedule {

struct NeuralHalf {
  Schedule schedule;  // from the program to the one that the document makes of it
  Names blocks;       // the sums of products that the nest became, in the order of the program
  Program before;     // the program that the trace begins with
};

// The trace normalizes the block, applies the document, and normalizes the resulting blocks.
// Refuses what these refuse, naming the step of the document; UnknownStep for a step that belongs
// to the loop half of a trace; TraceDiffers if the step does not make the names after its arrow.
// The memory, if any, must belong to this context and live as long as the result.
Result<NeuralHalf> replay_document(Context& cx, const Program& program, std::string_view block,
                                   const Trace& document, StepMemory* memory = nullptr);

// The parts of replay_document, for documents that grow.
Result<Schedule> begin_document(Context& cx, const Program& program, std::string_view block,
                                StepMemory* memory = nullptr);
Status apply_written(Schedule& schedule, const Record& record);
// Normalizes the sums of products that a document has made. Returns their blocks.
Result<Names> normalize_sums(Schedule& schedule, const Program& program, std::string_view block);
// The replay of a document on that program; `schedule` holds the result so far.
Result<NeuralHalf> finish_document(Schedule schedule, const Program& program,
                                   std::string_view block);

// The names of the blocks that the document may have made of the block, itself included.
Names nests_of(const Program& before, const Program& after, std::string_view block);

}  // namespace cambium::schedule
