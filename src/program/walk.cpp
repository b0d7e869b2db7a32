#include "program/walk.h"

#include <algorithm>
#include <string>

namespace cambium::program {
namespace {

// The first statement for which `wanted` holds.
template <class F>
Stmt find(Stmt s, const F& wanted) {
  if (wanted(s)) return s;
  if (const Loop* loop = as_loop(s)) return find(loop->body, wanted);
  if (const Seq* seq = as_seq(s)) {
    for (Stmt child : seq->children) {
      if (Stmt found = find(child, wanted)) return found;
    }
  }
  return nullptr;
}

bool is_empty(Stmt s) {
  return s->kind == StmtKind::Seq && as_seq(s)->children.empty();
}

// The copy of `s` with the replacement, or nullptr when `old` is not below it.
Stmt rebuilt(Context& cx, Stmt s, Stmt old, Stmt by) {
  if (s == old) return by;
  if (const Loop* loop = as_loop(s)) {
    Stmt body = rebuilt(cx, loop->body, old, by);
    if (body == nullptr || is_empty(body)) return body;
    return cx.loop(loop->axis, loop->how, body, loop->annotations);
  }
  if (const Seq* seq = as_seq(s)) {
    for (std::size_t i = 0; i < seq->children.size(); ++i) {
      Stmt child = rebuilt(cx, seq->children[i], old, by);
      if (child == nullptr) continue;
      std::vector<Stmt> children(seq->children.begin(), seq->children.end());
      children[i] = child;
      return cx.seq(children);
    }
  }
  return nullptr;
}

template <class Taken>
std::string_view fresh(Context& cx, std::string_view base, const Taken& taken) {
  std::string name(base);
  for (int i = 2; taken(name); ++i) name = std::string(base) + "." + std::to_string(i);
  return cx.name(name);
}

}  // namespace

bool Site::is_under(const Loop* loop) const {
  return std::find(loops.begin(), loops.end(), loop) != loops.end();
}

std::vector<Site> sites_of(const Program& program) {
  std::vector<Site> sites;
  sites.reserve(32);  // most programs have fewer
  for_each_stmt(program, [&](Stmt s, const std::vector<const Loop*>& around) {
    if (const Block* block = as_block(s)) sites.push_back({block, around, sites.size()});
  });
  return sites;
}

Site find_site(const Program& program, std::string_view block) {
  Site site{nullptr, {}, 0};
  site.loops.reserve(16);
  // Whether it is below s; `site` is then there.
  const auto find_below = [&](const auto& self, Stmt s) -> bool {
    if (const Block* here = as_block(s)) {
      if (here->name != block) {
        site.order += 1;
        return false;
      }
      site.block = here;
      return true;
    }
    if (const Loop* loop = as_loop(s)) {
      site.loops.push_back(loop);
      if (self(self, loop->body)) return true;
      site.loops.pop_back();
      return false;
    }
    const auto& children = as_seq(s)->children;
    return std::any_of(children.begin(), children.end(), [&](Stmt c) { return self(self, c); });
  };
  find_below(find_below, program.root);
  return site;
}

const Loop* find_loop(const Program& program, std::string_view name) {
  Stmt found = find(program.root, [name](Stmt s) {
    return s->kind == StmtKind::Loop && as_loop(s)->name() == name;
  });
  return found == nullptr ? nullptr : as_loop(found);
}

const Block* find_block(const Program& program, std::string_view name) {
  Stmt found = find(program.root, [name](Stmt s) {
    return s->kind == StmtKind::Block && as_block(s)->name == name;
  });
  return found == nullptr ? nullptr : as_block(found);
}

const Buffer* find_buffer(const Program& program, std::string_view name) {
  for (const auto& group : {program.parameters, program.locals}) {
    for (const Buffer* buffer : group) {
      if (buffer->name == name) return buffer;
    }
  }
  return nullptr;
}

Program replace(Context& cx, const Program& program, Stmt old, Stmt by) {
  Program result = program;
  result.root = rebuilt(cx, program.root, old, by);
  CAMBIUM_CHECK(result.root != nullptr, "the statement to replace is not in the program");
  return result;
}

std::string_view fresh_loop_name(Context& cx, const Program& program, std::string_view base) {
  return fresh(cx, base, [&](std::string_view n) { return find_loop(program, n) != nullptr; });
}
std::string_view fresh_block_name(Context& cx, const Program& program, std::string_view base) {
  return fresh(cx, base, [&](std::string_view n) { return find_block(program, n) != nullptr; });
}
std::string_view fresh_buffer_name(Context& cx, const Program& program, std::string_view base) {
  return fresh(cx, base, [&](std::string_view n) { return find_buffer(program, n) != nullptr; });
}

}  // namespace cambium::program
