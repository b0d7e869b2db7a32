// Finds parts of a program: statements by name, or all statements with the loops around them.
// Replaces parts by copying the path to the root, which makes a new version.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "program/context.h"
#include "program/program.h"

namespace cambium::program {

// A block where it stands.
struct Site {
  const Block* block;
  std::vector<const Loop*> loops;  // around it, outermost first
  std::size_t order;               // number of the block in the order of the text

  bool is_under(const Loop* loop) const;
};

std::vector<Site> sites_of(const Program& program);
// The site of the block with this name; a site without a block if there is none.
Site find_site(const Program& program, std::string_view block);

// Calls f(statement, loops around it) for all of them, in pre-order.
template <class F>
void for_each_stmt(Stmt s, std::vector<const Loop*>& around, const F& f) {
  f(s, around);
  if (const Loop* loop = as_loop(s)) {
    around.push_back(loop);
    for_each_stmt(loop->body, around, f);
    around.pop_back();
  } else if (const Seq* seq = as_seq(s)) {
    for (Stmt child : seq->children) for_each_stmt(child, around, f);
  }
}
template <class F>
void for_each_stmt(const Program& program, const F& f) {
  std::vector<const Loop*> around;
  for_each_stmt(program.root, around, f);
}

// nullptr: no statement has the name.
const Loop* find_loop(const Program& program, std::string_view name);
const Block* find_block(const Program& program, std::string_view name);
const Buffer* find_buffer(const Program& program, std::string_view name);

// The program with one statement replaced by another (found by address; it must be there). An empty
// sequence removes the statement, and loops that become empty. Everything but the path is shared.
Program replace(Context& cx, const Program& program, Stmt old, Stmt by);

// A name that no loop (block, buffer) of the program has: `base`, or `base.2`, `base.3` ...
std::string_view fresh_loop_name(Context& cx, const Program& program, std::string_view base);
std::string_view fresh_block_name(Context& cx, const Program& program, std::string_view base);
std::string_view fresh_buffer_name(Context& cx, const Program& program, std::string_view base);

}  // namespace cambium::program
