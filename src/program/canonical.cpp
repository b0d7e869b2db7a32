#include "program/canonical.h"

#include <algorithm>

#include "program/clone.h"
#include "program/walk.h"

namespace cambium::program {
namespace {

std::string numbered(std::string_view letter, std::size_t number) {
  return std::string(letter) + std::to_string(number);
}

std::string_view letter_of(Role role) {
  switch (role) {
    case Role::Input: return "x";
    case Role::Constant: return "w";
    case Role::Output: return "y";
    case Role::Local: break;
  }
  return "t";
}

// Those that blocks use, in the order in which the fingerprint counts them.
std::vector<const Buffer*> used_locals(const Program& program) {
  std::vector<const Buffer*> used;
  for_each_stmt(program, [&used](Stmt s, const auto&) {
    const Block* block = as_block(s);
    if (block == nullptr) return;
    for (const Buffer* buffer : block->body->buffers) {
      const bool is_new = std::find(used.begin(), used.end(), buffer) == used.end();
      if (buffer->role == Role::Local && is_new) used.push_back(buffer);
    }
  });
  return used;
}

}  // namespace

Program canonical(Context& cx, const Program& program) {
  CloneNames names;
  names.program = "kernel";
  const std::vector<const Buffer*> locals = used_locals(program);
  std::unordered_map<std::string_view, std::size_t> count;
  const auto add = [&](const Buffer* buffer) {
    const std::string_view letter = letter_of(buffer->role);
    names.buffers.emplace(buffer, numbered(letter, count[letter]++));
  };
  for (const Buffer* buffer : program.parameters) add(buffer);
  for (const Buffer* buffer : locals) add(buffer);
  for_each_stmt(program, [&names](Stmt s, const auto&) {
    if (const Loop* loop = as_loop(s)) {
      names.loops.emplace(loop->axis, numbered("l", names.loops.size()));
    } else if (const Block* block = as_block(s)) {
      names.blocks.emplace(block, numbered("b", names.blocks.size()));
    }
  });
  return clone_into(cx, {program.name, program.parameters, locals, program.root}, names);
}

}  // namespace cambium::program
