#include "tune/analysis.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "program/walk.h"
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

constexpr double kLine = 64;
constexpr std::int64_t kSetBytes = 4096;  // addresses so far apart share a set of the first cache

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

std::int64_t hint_of(program::Annotations annotations, program::Hint hint) {
  for (const program::Annotation& a : annotations) {
    if (a.key == program::name_of(hint)) return a.number;
  }
  return 1;
}

bool in_registers(const Buffer& buffer) {
  if (buffer.role != Role::Local) return false;
  for (const program::Annotation& a : buffer.annotations) {
    if (a.is_text && a.key == program::name_of(program::Hint::Space)) return a.text == "register";
  }
  return buffer.elements() == 1;  // code generators keep single values there
}

// Cost in multiply-adds of the same width; of functions, the length of their polynomials.
double slots_of(program::UnaryFn fn) {
  using program::UnaryFn;
  switch (fn) {
    case UnaryFn::Neg:
    case UnaryFn::Abs:
    case UnaryFn::Floor:
    case UnaryFn::Ceil:
    case UnaryFn::Round:
    case UnaryFn::IsNan:
    case UnaryFn::Not: return 1;
    case UnaryFn::Sign: return 3;
    case UnaryFn::Sqrt: return 12;
    case UnaryFn::Exp:
    case UnaryFn::Log: return 12;
    default: return 25;
  }
}

class Counter {
 public:
  // `unrolled`: loops that are numbers in the code, `lanes`: the vectorized one.
  Counter(Arithmetic& counts, const ReachReader& reader, std::uint32_t unrolled,
          std::uint32_t lanes)
      : counts_(counts), reader_(reader), unrolled_(unrolled), lanes_(lanes) {}

  // Share of the iterations that have to be computed.
  double useful() const { return useful_; }

  void add_body(const program::Body& body) {
    Scalar value = body.value;
    if (is_sum_where(body)) {
      demand(value->operands[0]->indices[0]);
      value = value->operands[1];
    }
    add(value);
    if (body.combine == program::Combine::Assign) return;
    if (body.combine == program::Combine::Sum && value->kind == ScalarKind::Binary &&
        value->binary() == program::BinaryFn::Mul && !is_whole(value->type)) {
      counts_.multiplications -= 1;
      counts_.multiply_adds += 1;  // the slot is the multiplication's
      return;
    }
    counts_.slots += 1;
    (body.combine == program::Combine::Product ? counts_.multiplications : counts_.additions) += 1;
  }

 private:
  // `y += select([...], value, 0.0)`, of which code generators skip what adds nothing.
  static bool is_sum_where(const program::Body& body) {
    const Scalar s = body.value;
    return body.combine == program::Combine::Sum && s->kind == ScalarKind::Select &&
           s->operands[0]->kind == ScalarKind::Index && s->operands[2]->kind == ScalarKind::Const &&
           is_floating(s->type) && s->operands[2]->number() == 0;
  }

  // What is decided by branches outside the innermost loops costs nothing; in each copy it costs a
  // branch, in lanes a mask.
  void demand(Expr condition) {
    if (condition->kind == expr::Kind::And) {
      demand(condition->a);
      demand(condition->b);
      return;
    }
    const std::uint32_t moves = reader_.moves_of(condition);
    if ((moves & lanes_) != 0) {
      counts_.slots += 1;
      return;
    }
    useful_ *= reader_.share_of(condition);
    const bool is_number = (moves & ~unrolled_) == 0;
    if (!is_number && (moves & unrolled_) != 0) counts_.slots += 0.25;
  }

  void add(Scalar s) {
    for (Scalar operand : s->operands) add(operand);
    switch (s->kind) {
      case ScalarKind::Unary: return add_unary(s);
      case ScalarKind::Binary: return add_binary(s);
      case ScalarKind::Select:
        if (s->operands[0]->kind == ScalarKind::Index) {
          if ((reader_.moves_of(s->operands[0]->indices[0]) & ~unrolled_) == 0) return;
          counts_.slots += 0.5;
        }
        counts_.selects += 1;
        counts_.slots += 1;
        return;
      case ScalarKind::Cast:
        counts_.other += 1;
        counts_.slots += 1;
        return;
      default: return;
    }
  }

  void add_unary(Scalar s) {
    const double slots = slots_of(s->unary());
    counts_.slots += slots;
    (slots > 2 ? counts_.mathematics : counts_.other) += 1;
  }

  void add_binary(Scalar s) {
    using program::BinaryFn;
    double slots = 1;
    double* count = &counts_.other;
    switch (s->binary()) {
      case BinaryFn::Add:
      case BinaryFn::Sub: count = &counts_.additions; break;
      case BinaryFn::Mul: count = &counts_.multiplications; break;
      case BinaryFn::Div:
        count = &counts_.divisions;
        slots = 7;
        break;
      case BinaryFn::Mod:
      case BinaryFn::Rem:
        count = &counts_.divisions;
        slots = 12;
        break;
      case BinaryFn::Pow:
        count = &counts_.mathematics;
        slots = 40;
        break;
      case BinaryFn::Min:
      case BinaryFn::Max: count = &counts_.comparisons; break;
      case BinaryFn::Or:
      case BinaryFn::And: count = &counts_.truth; break;
      default: count = &counts_.comparisons; break;
    }
    if (is_whole(s->type)) count = &counts_.whole;
    *count += 1;
    counts_.slots += slots;
  }

  static bool is_whole(DType type) { return !is_floating(type) && type != DType::Bool; }

  Arithmetic& counts_;
  const ReachReader& reader_;
  std::uint32_t unrolled_, lanes_;
  double useful_ = 1;
};

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
    Counter counter(info.arithmetic, *reader_, unrolled, lanes);
    counter.add_body(*block.body);
    info.useful = counter.useful();
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
        parts_[0].extent *= extent;
        info.loops[0].extent *= extent;
        continue;
      }
      const std::int64_t copies =
          loop->how == LoopKind::Serial ? hint_of(loop->annotations, program::Hint::Unroll) : 1;
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
    measure(info, access, indices);
  }

  std::size_t number_of(const Buffer* buffer) {
    for (std::size_t i = 0; i < made_.buffers.size(); ++i) {
      if (made_.buffers[i] == buffer) return i;
    }
    made_.buffers.push_back(buffer);
    return made_.buffers.size() - 1;
  }

  // Footprints at every level, strides of every loop.
  void measure(const BlockInfo& info, AccessInfo& access, std::span<const Expr> indices) {
    const std::size_t levels = info.loops.size() + 1;
    reaches_.clear();
    std::int64_t unit = size_of(access.buffer->dtype);
    for (std::size_t d = indices.size(); d-- > 0;) {
      reaches_.push_back(reader_->of_indices(indices[d]));  // the last dimension first
      const Reach& r = reaches_.back();
      access.moves |= r.moves;
      access.divisions += static_cast<double>(r.divisions);
      access.divided |= r.divided;
      std::uint32_t linear = 0;
      for (std::uint32_t i = 0; i < r.size; ++i) {
        access.stride[r.terms[i].loop] += r.terms[i].factor * unit;
        linear |= 1U << r.terms[i].loop;
      }
      if (info.vector >= 0 && ((r.moves & ~linear) >> info.vector & 1U) != 0) {
        access.lanes_linear = false;
      }
      unit *= access.buffer->dims[d];
    }
    if (indices.empty() && !access.buffer->dims.empty()) {  // a Gather: anything
      const double bytes = as_double(access.buffer->elements()) * as_double(unit);
      for (std::size_t l = 0; l < levels; ++l) {
        const double instances = info.iterations(l, info.loops.size());
        access.elements[l] = std::min(as_double(access.buffer->elements()), instances);
        access.bytes[l] = std::min(bytes, kLine * access.elements[l]);
        access.run[l] = kLine;
        access.crowded[l] = access.bytes[l];
      }
      access.moves = ~0U;
      access.lanes_linear = false;
      return;
    }
    for (std::size_t l = 0; l < levels; ++l) measure_level(info, access, l);
  }

  void measure_level(const BlockInfo& info, AccessInfo& access, std::size_t level) const {
    double most = 1;  // as many elements as there are iterations of the loops that move it
    for (std::size_t i = level; i < info.loops.size(); ++i) {
      if ((access.moves >> i & 1U) != 0) most *= as_double(info.loops[i].extent);
    }
    const double element = as_double(size_of(access.buffer->dtype));
    double elements = 1, run = element, runs = 1, unit = element;
    bool is_open = true;  // the dimensions so far are one run of memory
    for (std::size_t i = 0; i < reaches_.size(); ++i) {
      const double dim = as_double(access.buffer->dims[reaches_.size() - 1 - i]);
      const double span = std::min(reaches_[i].range(level, parts_) + 1, dim);
      const double values = std::min(reaches_[i].values(level, parts_), dim);
      elements *= values;
      if (is_open && (values >= 0.9 * span || unit * span / values < kLine)) {
        run = unit * span;
        is_open = span >= dim - 0.5;
      } else {
        runs *= values;
        is_open = false;
      }
      unit *= dim;
    }
    double lines = runs * std::max(1.0, run / kLine);
    if (elements > most) {
      lines = std::max(1.0, lines * most / elements);
      elements = most;
    }
    access.elements[level] = elements;
    access.bytes[level] = kLine * lines;
    access.run[level] = std::max(run, kLine);
    access.crowded[level] = access.bytes[level] / sets_share(info, access, level);
  }

  // Runs that begin at multiples of a power of two leave part of the first cache's sets unused.
  static double sets_share(const BlockInfo& info, const AccessInfo& access, std::size_t level) {
    std::int64_t step = 0;
    for (std::size_t i = level; i < info.loops.size(); ++i) {
      if (as_double(std::abs(access.stride[i])) >= access.run[level]) {
        step = std::gcd(step, access.stride[i]);
      }
    }
    if (step == 0) return 1;
    const std::int64_t power = std::min(step & -step, kSetBytes);
    return std::min(1.0, access.run[level] / as_double(power));
  }

  Analysis made_;
  struct Around {
    const Loop* loop;
    std::size_t number;
  };
  std::vector<Around> around_;
  std::vector<LoopPart> parts_;
  std::vector<Reach> reaches_;
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
