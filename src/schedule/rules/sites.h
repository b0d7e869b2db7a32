// Small queries of rules about a program that is being scheduled: where a block stands now, which
// loops feed which of its iterators, and how far apart its accesses are.
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

// The loops around the block that move one of its iterators, outermost first.
std::vector<const program::Loop*> loops_feeding(const program::Site& site, std::size_t iterator);

// The names of the loops, outermost first.
Names names_of(const std::vector<const program::Loop*>& loops);

// The iterator at which the target moves by one element; nothing when there is none.
std::optional<std::size_t> lane_iterator(const program::Body& body);

// The one block that reads the buffer, if there is exactly one.
const program::Block* only_reader(const Program& program, const program::Buffer* buffer);
const program::Block* only_writer(const Program& program, const program::Buffer* buffer);

// Whether what a buffer holds comes from constants alone: blocks that fill it run once, at load, as
// long as they stay outside of the loops of others.
bool is_made_at_load(const std::vector<program::Site>& sites, const program::Buffer* buffer);

bool is_reduction(const program::Body& body);

// Whether a loop around the block is one of lanes: some rule has tiled it.
bool is_vectorized(const program::Site& site);

// How many points the loops around the block have together.
std::int64_t work_of(const program::Site& site);

}  // namespace cambium::schedule
