#include "compile/constant_part.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "program/analysis.h"
#include "program/build.h"
#include "program/walk.h"
#include "schedule/steps/rebuild.h"

namespace cambium::compile {
namespace {

using program::Block;
using program::Buffer;
using program::Context;
using program::Program;
using program::Role;
using program::Stmt;
using Buffers = std::unordered_set<const Buffer*>;

// A statement at the root and what it touches.
struct Part {
  Stmt stmt;
  Buffers reads, writes;
  bool constant = false;
};

std::vector<Part> parts_of(Context& cx, const Program& program) {
  std::vector<Part> parts;
  const auto add = [&](Stmt s) {
    Part part{s, {}, {}};
    std::vector<const program::Loop*> around;
    program::for_each_stmt(s, around, [&](Stmt inner, const auto&) {
      const Block* block = program::as_block(inner);
      if (block == nullptr) return;
      for (const program::Access& access : program::accesses_of(cx, *block->body)) {
        const bool writes = access.kind == program::Access::Kind::Write;
        (writes ? part.writes : part.reads).insert(access.buffer);
      }
    });
    parts.push_back(std::move(part));
  };
  if (const program::Seq* seq = program::as_seq(program.root)) {
    for (Stmt child : seq->children) add(child);
  } else {
    add(program.root);
  }
  return parts;
}

// A part is constant unless it reads an input, writes an output, or shares a local with the writes
// of a part that is not. The last is taken away until nothing changes.
void mark_constant(std::vector<Part>& parts) {
  for (Part& part : parts) {
    part.constant = std::none_of(part.reads.begin(), part.reads.end(),
                                 [](const Buffer* b) { return b->role == Role::Input; }) &&
                    std::none_of(part.writes.begin(), part.writes.end(),
                                 [](const Buffer* b) { return b->role == Role::Output; });
  }
  for (bool changed = true; changed;) {
    changed = false;
    Buffers varying;
    for (const Part& part : parts) {
      if (!part.constant) varying.insert(part.writes.begin(), part.writes.end());
    }
    for (Part& part : parts) {
      const auto varies = [&](const Buffer* b) { return varying.count(b) != 0; };
      if (part.constant && (std::any_of(part.reads.begin(), part.reads.end(), varies) ||
                            std::any_of(part.writes.begin(), part.writes.end(), varies))) {
        part.constant = false;
        changed = true;
      }
    }
  }
}

Stmt with_buffers(Context& cx, Stmt s, const schedule::Mapping& mapping) {
  if (const program::Loop* loop = program::as_loop(s)) {
    return cx.loop(loop->axis, loop->how, with_buffers(cx, loop->body, mapping), loop->annotations);
  }
  if (const program::Seq* seq = program::as_seq(s)) {
    std::vector<Stmt> children;
    for (Stmt child : seq->children) children.push_back(with_buffers(cx, child, mapping));
    return cx.seq(children);
  }
  const Block* block = program::as_block(s);
  return cx.block(block->name, schedule::mapped(cx, *block->body, block->body->iterators, mapping),
                  block->bindings, block->predicate, block->annotations);
}

class Splitter {
 public:
  Splitter(Context& cx, const Program& program, std::vector<Part> parts)
      : cx_(cx), program_(program), parts_(std::move(parts)) {
    Buffers made;
    for (const Part& part : parts_) {
      (part.constant ? loaded_ : kept_).push_back(part.stmt);
      Buffers& reads = part.constant ? load_reads_ : run_reads_;
      reads.insert(part.reads.begin(), part.reads.end());
      if (part.constant) made.insert(part.writes.begin(), part.writes.end());
    }
    for (const Buffer* local : program.locals) {  // in their order, so that the result is the same
      if (made.count(local) && run_reads_.count(local)) between_.push_back(local);
    }
  }

  ConstantPart split() {
    if (between_.empty()) return whole();
    ConstantPart result;
    result.packed = between_.size();
    result.load = load_program(result.load_parameters);
    result.run = run_program(result.run_parameters);
    return result;
  }

 private:
  ConstantPart whole() const {
    ConstantPart result;
    result.run = program_;
    for (std::size_t i = 0; i < program_.parameters.size(); ++i) {
      result.run_parameters.push_back({false, i});
    }
    return result;
  }

  // The packed buffers in another role.
  schedule::Mapping mapping_to(Role role) {
    schedule::Mapping mapping;
    for (const Buffer* b : between_) {
      mapping.buffers[b] = cx_.buffer(b->name, b->dtype, b->dims, role);
    }
    return mapping;
  }

  // Locals that the statements use and that are not packed.
  std::vector<const Buffer*> locals_in(bool constant) const {
    std::vector<const Buffer*> locals;
    for (const Buffer* local : program_.locals) {
      if (std::find(between_.begin(), between_.end(), local) != between_.end()) continue;
      const bool used = std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) {
        return part.constant == constant && (part.reads.count(local) || part.writes.count(local));
      });
      if (used) locals.push_back(local);
    }
    return locals;
  }

  // Packing may leave holes, panels of 16 columns of which there are 10: they are loaded, whatever
  // they hold, and an output is written in full.
  Stmt filled(const Buffer* buffer) {
    std::vector<program::Iterator> iterators;
    std::vector<program::Expr> bindings, indices;
    for (std::size_t d = 0; d < buffer->dims.size(); ++d) {
      const std::string name = std::string(buffer->name) + ".fill" + std::to_string(d);
      const program::Expr axis =
          cx_.axis(program::fresh_loop_name(cx_, program_, name), buffer->dims[d]);
      iterators.push_back({axis, program::IteratorKind::Spatial});
      bindings.push_back(axis);
      indices.push_back(axis);
    }
    program::Body body{};
    body.iterators = iterators;
    body.target = buffer;
    body.indices = indices;
    body.combine = program::Combine::Assign;
    const DType type = program::value_type(buffer->dtype);
    body.value = is_floating(type) ? cx_.constant(0, type) : cx_.whole(0, type);
    Stmt s =
        cx_.block(program::fresh_block_name(cx_, program_, std::string(buffer->name) + ".fill"),
                  cx_.body(body), bindings);
    for (std::size_t d = buffer->dims.size(); d-- > 0;) {
      s = cx_.loop(bindings[d], program::LoopKind::Serial, s);
    }
    return s;
  }

  Program load_program(std::vector<Source>& sources) {
    const schedule::Mapping mapping = mapping_to(Role::Output);
    std::vector<const Buffer*> parameters;
    std::vector<Stmt> statements;
    for (std::size_t i = 0; i < program_.parameters.size(); ++i) {
      if (!load_reads_.count(program_.parameters[i])) continue;
      parameters.push_back(program_.parameters[i]);
      sources.push_back({false, i});
    }
    for (std::size_t i = 0; i < between_.size(); ++i) {
      parameters.push_back(mapping.buffers.at(between_[i]));
      sources.push_back({true, i});
      statements.push_back(filled(parameters.back()));
    }
    for (Stmt s : loaded_) statements.push_back(with_buffers(cx_, s, mapping));
    const std::vector<const Buffer*> locals = locals_in(true);
    return {cx_.name(std::string(program_.name) + ".load"), cx_.keep(parameters), cx_.keep(locals),
            cx_.seq(statements)};
  }

  Program run_program(std::vector<Source>& sources) {
    const schedule::Mapping mapping = mapping_to(Role::Constant);
    std::vector<const Buffer*> parameters;
    for (std::size_t i = 0; i < program_.parameters.size(); ++i) {
      const Buffer* parameter = program_.parameters[i];
      if (parameter->role == Role::Constant && !run_reads_.count(parameter)) continue;
      parameters.push_back(parameter);
      sources.push_back({false, i});
    }
    for (std::size_t i = 0; i < between_.size(); ++i) {
      parameters.push_back(mapping.buffers.at(between_[i]));
      sources.push_back({true, i});
    }
    std::vector<Stmt> statements;
    for (Stmt s : kept_) statements.push_back(with_buffers(cx_, s, mapping));
    const std::vector<const Buffer*> locals = locals_in(false);
    return {program_.name, cx_.keep(parameters), cx_.keep(locals), cx_.seq(statements)};
  }

  Context& cx_;
  const Program& program_;
  std::vector<Part> parts_;
  std::vector<Stmt> loaded_, kept_;
  Buffers load_reads_, run_reads_;
  std::vector<const Buffer*> between_;
};

}  // namespace

ConstantPart split_constant_part(Context& cx, const Program& program) {
  std::vector<Part> parts = parts_of(cx, program);
  mark_constant(parts);
  return Splitter(cx, program, std::move(parts)).split();
}

}  // namespace cambium::compile
