// Replays a document on one sum of products of any program. A document is the neural half of a
// trace, written for the normal form of the nest (schedule/neural/normalize.h), so that it fits
// every program that computes the same convolution, whatever lowering called its loops. It holds
// neural steps, and the reorder, split, fuse and partition that they need. A step that acts on
// outermost loops brings them there first: the interchange need not be written.
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

// The trace normalizes the block, applies the document and normalizes what it made. Refuses what
// these refuse, naming the step of the document; UnknownStep for a step that belongs to the loop
// half of a trace; TraceDiffers for names behind an arrow that the step does not make.
// The memory, if any, must be of this context and live as long as what is returned.
Result<NeuralHalf> replay_document(Context& cx, const Program& program, std::string_view block,
                                   const Trace& document, StepMemory* memory = nullptr);

// The parts of replay_document, for documents that grow.
Result<Schedule> begin_document(Context& cx, const Program& program, std::string_view block,
                                StepMemory* memory = nullptr);
Status apply_written(Schedule& schedule, const Record& record);
// Brings the sums of products that a document has made into normal form. Gives their blocks.
Result<Names> normalize_sums(Schedule& schedule, const Program& program, std::string_view block);
// Of a document on that program; the schedule holds what the document has made of it.
Result<NeuralHalf> finish_document(Schedule schedule, const Program& program,
                                   std::string_view block);

// The names of the blocks that the document may have made of the block, itself included.
Names nests_of(const Program& before, const Program& after, std::string_view block);

}  // namespace cambium::schedule
