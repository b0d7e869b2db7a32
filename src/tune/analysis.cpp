#include "tune/analysis.h"

#include <algorithm>
#include <optional>

#include "program/code_size.h"
#include "program/limits.h"
#include "program/walk.h"
#include "tune/count_arithmetic.h"
#include "tune/footprint.h"
#include "tune/traffic.h"

namespace cambium::tune {
namespace {

using program::Block;
using program::Buffer;
using program::Expr;
using program::Loop;
using program::LoopKind;
using program::Role;
using program::Scalar;
using program::ScalarKind;
using program::Stmt;

bool in_registers(const Buffer& buffer) {
  if (buffer.role != Role::Local) return false;
  for (const program::Annotation& a : buffer.annotations) {
    if (a.is_text && a.key == program::name_of(program::Hint::Space)) return a.text == "register";
  }
  return buffer.elements() == 1;  // code generators keep single values there
}

// Loops of traces that others wrote may be more than can be counted.
std::int64_t bounded_product(std::int64_t a, std::int64_t b) {
  return a > program::kLargestExtent / b ? program::kLargestExtent : a * b;
}

// Walks the program and fills one BlockInfo after another.
class Analyser {
 public:
  Analysis run(const program::Program& program) {
    if (const program::Seq* seq = program::as_seq(program.root)) {
      for (Stmt child : seq->children) {
        visit(child, -1);
        ++made_.statements;
      }
    } else {
      visit(program.root, -1);
      made_.statements = 1;
    }
    return std::move(made_);
  }

 private:
  void visit(Stmt s, std::ptrdiff_t parent) {
    if (const Loop* loop = program::as_loop(s)) {
      made_.loops.push_back({loop->extent(), parent});
      around_.push_back({loop, made_.loops.size() - 1});
      visit(loop->body, static_cast<std::ptrdiff_t>(made_.loops.size()) - 1);
      around_.pop_back();
    } else if (const program::Seq* seq = program::as_seq(s)) {
      for (Stmt child : seq->children) visit(child, parent);
    } else {
      add_block(*program::as_block(s));
    }
  }

  void add_block(const Block& block) {
    made_.blocks.emplace_back();
    BlockInfo& info = made_.blocks.back();
    info.name = block.name;
    info.statement = made_.statements;
    collect_loops(info);
    reader_.emplace(parts_);
    reader_->bind(block);
    std::uint32_t unrolled = 0, lanes = 0;
    for (std::size_t i = 0; i < info.loops.size(); ++i) {
      if (info.loops[i].kind == LoopKind::Unrolled) unrolled |= 1U << i;
      if (info.loops[i].kind == LoopKind::Vectorized) lanes |= 1U << i;
    }
    const Counted counted = count_arithmetic(*block.body, *reader_, unrolled, lanes);
    info.arithmetic = counted.arithmetic;
    info.useful = counted.useful;
    info.is_reduction = block.body->combine != program::Combine::Assign;
    info.element_bytes = size_of(block.body->target->dtype);
    mark_reductions(block, info);
    read_predicate(block, info);
    info.useful = std::clamp(info.useful, 1e-3, 1.0);
    add_accesses(block, info);
  }

  // Loops that run once do nothing; a loop that is unrolled in part is two.
  void collect_loops(BlockInfo& info) {
    parts_.clear();
    info.loops.reserve(around_.size() + 2);
    std::size_t running = 0;
    for (const auto& [loop, number] : around_) running += loop->extent() > 1 ? 1 : 0;
    for (const auto& [loop, number] : around_) {
      const std::int64_t extent = loop->extent();
      if (extent == 1) continue;
      if (running-- > kMostLoops / 2 && !parts_.empty()) {  // far outside: repeats what is within
        parts_[0].extent = bounded_product(parts_[0].extent, extent);
        info.loops[0].extent = bounded_product(info.loops[0].extent, extent);
        continue;
      }
      const std::int64_t copies =
          loop->how == LoopKind::Serial
              ? program::hint_of(loop->annotations, program::Hint::Unroll, 1)
              : 1;
      if (copies > 1 && copies < extent) {
        const std::int64_t rounds = (extent + copies - 1) / copies;
        parts_.push_back({loop->axis, rounds, copies});
        info.loops.push_back({rounds, LoopKind::Serial, false, number});
        parts_.push_back({loop->axis, copies, 1});
        info.loops.push_back({copies, LoopKind::Unrolled, false, number});
        continue;
      }
      parts_.push_back({loop->axis, extent, 1});
      const LoopKind kind = copies >= extent ? LoopKind::Unrolled : loop->how;
      info.loops.push_back({extent, kind, false, number});
    }
    if (made_.blocks.size() > 1) {
      const std::vector<BlockLoop>& before = made_.blocks[made_.blocks.size() - 2].loops;
      while (info.own < before.size() && info.own < info.loops.size() &&
             before[info.own].number == info.loops[info.own].number) {
        ++info.own;
      }
    }
    info.inner = info.loops.size();
    while (info.inner > 0 && info.loops[info.inner - 1].kind != LoopKind::Serial &&
           info.loops[info.inner - 1].kind != LoopKind::Parallel) {
      --info.inner;
    }
    for (std::size_t i = 0; i < info.loops.size(); ++i) {
      if (info.loops[i].kind == LoopKind::Vectorized) info.vector = static_cast<std::ptrdiff_t>(i);
    }
  }

  void mark_reductions(const Block& block, BlockInfo& info) {
    for (std::size_t i = 0; i < block.bindings.size(); ++i) {
      if (block.body->iterators[i].kind != program::IteratorKind::Reduce) continue;
      const std::uint32_t moves = reader_->of_loops(block.bindings[i]).moves;
      for (std::size_t l = 0; l < info.loops.size(); ++l) {
        if ((moves >> l & 1U) != 0) info.loops[l].reduces = true;
      }
    }
  }

  void read_predicate(const Block& block, BlockInfo& info) {
    if (block.predicate->kind == expr::Kind::Bool) return;
    info.is_guarded = true;
    if (info.vector >= 0) {
      info.guards_lanes =
          mentions(block.predicate, parts_[static_cast<std::size_t>(info.vector)].axis);
    }
    double points = 1, iterations = 1;
    for (const program::Iterator& it : block.body->iterators) points *= as_double(it.extent());
    for (const BlockLoop& loop : info.loops) iterations *= as_double(loop.extent);
    if (!info.guards_lanes) info.useful *= std::min(points / iterations, 1.0);
  }

  static bool mentions(Expr e, Expr axis) {
    if (e == axis) return true;
    if (expr::info(e->kind).operands == 0) return false;
    return mentions(e->a, axis) || (e->b != nullptr && mentions(e->b, axis));
  }

  void add_accesses(const Block& block, BlockInfo& info) {
    const program::Body& body = *block.body;
    info.accesses.reserve(4);
    seen_.clear();
    footprints_.begin(info, parts_, *reader_);
    add_access(info, body.target, body.indices, info.is_reduction, true);
    program::for_each_scalar(body.value, [&](Scalar s) {
      if (s->buffer == nullptr) return;
      add_access(info, s->buffer, s->indices, true, false);
      if (s->kind == ScalarKind::Gather) info.accesses.back().is_gather = true;
    });
  }

  void add_access(BlockInfo& info, const Buffer* buffer, std::span<const Expr> indices, bool reads,
                  bool writes) {
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      if (info.accesses[i].buffer == buffer && !indices.empty() &&
          std::equal(seen_[i].begin(), seen_[i].end(), indices.begin(), indices.end())) {
        info.accesses[i].reads |= reads;
        return;
      }
    }
    seen_.push_back(indices);
    info.accesses.emplace_back();
    AccessInfo& access = info.accesses.back();
    access.buffer = buffer;
    access.buffer_number = number_of(buffer);
    access.reads = reads;
    access.writes = writes;
    access.in_registers = in_registers(*buffer);
    footprints_.measure(indices, access);
  }

  std::size_t number_of(const Buffer* buffer) {
    for (std::size_t i = 0; i < made_.buffers.size(); ++i) {
      if (made_.buffers[i] == buffer) return i;
    }
    made_.buffers.push_back(buffer);
    return made_.buffers.size() - 1;
  }

  Analysis made_;
  struct Around {
    const Loop* loop;
    std::size_t number;
  };
  std::vector<Around> around_;
  std::vector<LoopPart> parts_;
  Footprints footprints_;
  std::vector<std::span<const Expr>> seen_;
  std::optional<ReachReader> reader_;
};

}  // namespace

double BlockInfo::iterations(std::size_t from, std::size_t to) const {
  double product = 1;
  for (std::size_t i = from; i < to; ++i) product *= as_double(loops[i].extent);
  return product;
}

Analysis analyse(const program::Program& program, const Machine& machine) {
  Analysis analysis = Analyser().run(program);
  mark_load_blocks(analysis);
  add_traffic(analysis, machine);
  return analysis;
}

}  // namespace cambium::tune
