// Positions of statements: shared by the steps that move or add whole nests.
#pragma once

#include <span>
#include <string_view>

#include "schedule/steps/rebuild.h"

namespace cambium::schedule {

// The statement directly inside `loop` (nullptr: of the program) that holds the block, which must
// be below it.
Stmt child_with(const Program& program, const Loop* loop, const Site& site);

// The program with a statement directly before or after another.
Program insert_before(Context& cx, const Program& program, Stmt there, Stmt what);
Program insert_after(Context& cx, const Program& program, Stmt there, Stmt what);

// The program without the block, and without loops that are then empty.
Program without(Context& cx, const Program& program, const Block* block);

// Serial loops around a statement, the first axis outermost.
Stmt nest(Context& cx, std::span<const Expr> axes, Stmt inside);

// Whether a block other than `but` uses (or writes) the buffer between positions `first` (included)
// and `last` (excluded). A block must not be moved past such a use.
bool used_between(std::span<const Site> sites, const Buffer* buffer, std::size_t first,
                  std::size_t last, const Block* but);
bool written_between(std::span<const Site> sites, const Buffer* buffer, std::size_t first,
                     std::size_t last, const Block* but);

// The site of a block of that name; nullptr: none.
const Site* find_site(std::span<const Site> sites, std::string_view block);

}  // namespace cambium::schedule
