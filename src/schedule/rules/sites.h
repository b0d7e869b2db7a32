// Small queries of rules about a program that is being scheduled: where a block is now, which loops
// feed its iterators, and the strides of its accesses.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/analysis.h"
#include "program/walk.h"
#include "schedule/trace/draft.h"

namespace cambium::schedule {

// The block of that name, which must be there, and the loops around it.
program::Site site_of(const Program& program, std::string_view block);
program::Site site_of(const Draft& draft, std::string_view block);  // quicker: Draft::find_site

// The loops around the block that feed one of its iterators, outermost first.
std::vector<const program::Loop*> loops_feeding(const program::Site& site, std::size_t iterator);

// The names of the loops, outermost first.
Names names_of(const std::vector<const program::Loop*>& loops);

// The iterator that moves the target by one element; nothing if there is none.
std::optional<std::size_t> lane_iterator(const program::Body& body);

// The one block that reads the buffer, if there is exactly one.
const program::Block* only_reader(const Program& program, const program::Buffer* buffer);
const program::Block* only_writer(const Program& program, const program::Buffer* buffer);

// Whether the content of a buffer depends only on constants. The blocks that fill it then run once,
// at load, as long as they stay outside of the loops of other blocks.
bool is_made_at_load(const std::vector<program::Site>& sites, const program::Buffer* buffer);

bool is_reduction(const program::Body& body);

// Whether a loop around the block is vectorized, so some rule has already tiled the block.
bool is_vectorized(const program::Site& site);

// The number of iterations of all loops around the block together.
std::int64_t work_of(const program::Site& site);

}  // namespace cambium::schedule
