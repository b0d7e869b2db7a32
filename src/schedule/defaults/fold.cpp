// Where blocks go: elementwise ones into their readers, and what is read row by row under the loop
// over rows.
#include <algorithm>

#include "schedule/defaults/contraction.h"
#include "schedule/defaults/kinds_of_work.h"
#include "schedule/defaults/sites.h"

namespace cambium::schedule {

using program::Block;
using program::Buffer;
using program::Loop;
using program::Role;
using program::Scalar;
using program::ScalarKind;
using program::Site;

namespace {

// Functions that cost more than a load from the first-level cache.
bool is_dear(Scalar value) {
  bool dear = false;
  program::for_each_scalar(value, [&](Scalar scalar) {
    using program::BinaryFn;
    using program::UnaryFn;
    if (scalar->kind == ScalarKind::Unary) {
      dear |= scalar->unary() != UnaryFn::Neg && scalar->unary() != UnaryFn::Abs &&
              scalar->unary() != UnaryFn::Not;
    } else if (scalar->kind == ScalarKind::Binary) {
      dear |= scalar->binary() == BinaryFn::Div || scalar->binary() == BinaryFn::Pow ||
              scalar->binary() == BinaryFn::Mod || scalar->binary() == BinaryFn::Rem;
    }
  });
  return dear;
}

bool has_select(Scalar value) {
  bool found = false;
  program::for_each_scalar(value, [&](Scalar s) { found |= s->kind == ScalarKind::Select; });
  return found;
}

std::int64_t points_of(const program::Body& body) {
  std::int64_t points = 1;
  for (const program::Iterator& it : body.iterators) points *= it.extent();
  return points;
}

constexpr std::int64_t kLargest = 256;  // nodes that folding may add to a reader

// The nodes of a value; with a buffer, only the loads of it.
std::int64_t size_of_value(Scalar value, const Buffer* loads_of) {
  std::int64_t nodes = 0;
  program::for_each_scalar(
      value, [&](Scalar s) { nodes += loads_of == nullptr || s->buffer == loads_of ? 1 : 0; });
  return nodes;
}

// Whether a block only moves elements.
bool is_permutation(const program::Body& body) {
  return body.value->kind == ScalarKind::Load &&
         std::all_of(body.value->indices.begin(), body.value->indices.end(), [](program::Expr e) {
           return e->kind == expr::Kind::Axis || e->kind == expr::Kind::Const;
         });
}

// Whether putting the value of `block` into its readers computes nothing (dear) twice.
bool may_fold(const Program& program, const Block& block) {
  const program::Body& body = *block.body;
  if (is_reduction(body) || body.target->role != Role::Local) return false;
  const std::vector<Site> sites = program::sites_of(program);
  const auto readers = program::readers_of(sites, body.target);
  if (readers.empty()) return false;
  const bool dear = is_dear(body.value);
  for (std::size_t reader : readers) {
    const program::Body& other = *sites[reader].block->body;
    if (size_of_value(body.value, nullptr) * size_of_value(other.value, body.target) > kLargest) {
      return false;
    }
    if (contraction_of(other)) {  // its operands must stay plain loads
      if (!is_permutation(body)) return false;
      continue;
    }
    const bool repeats = points_of(other) > points_of(body);
    if (repeats && (dear || (is_reduction(other) && !has_select(body.value)))) return false;
    if (readers.size() > 1 && dear) return false;
  }
  return true;
}

}  // namespace

void merge_narrow_groups(Schedule& s, const Machine& machine) {
  for (const Site& site : program::sites_of(s.program())) {
    const program::Body& body = *site.block->body;
    const auto c = contraction_of(body);
    if (!c || 2 * body.iterators[c->lane].extent() > machine.lanes()) continue;
    // A group is beside its neighbour in the result and in the weights, just as channels are.
    const auto is_digit = [&](const Buffer& buffer, std::span<const program::Expr> at,
                              std::size_t g) {
      const auto group = program::stride_of(buffer, at, body.iterators[g].axis);
      const auto lane = program::stride_of(buffer, at, body.iterators[c->lane].axis);
      return group && lane && *group == *lane * body.iterators[c->lane].extent();
    };
    for (std::size_t g : c->batch) {
      if (!is_digit(*body.target, body.indices, g) ||
          !is_digit(*c->right->buffer, c->right->indices, g)) {
        continue;
      }
      const Names names{std::string(expr::name_of(body.iterators[g].axis)),
                        std::string(expr::name_of(body.iterators[c->lane].axis))};
      static_cast<void>(s.apply(MergeIterators{std::string(site.block->name), names}));
      break;
    }
  }
}

void fold_elementwise(Schedule& s) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (const Site& site : program::sites_of(s.program())) {
      if (!may_fold(s.program(), *site.block)) continue;
      if (s.apply(Inline{std::string(site.block->name)}).ok() ||
          s.apply(ReverseInline{std::string(site.block->name)}).ok()) {
        changed = true;
        break;
      }
    }
  }
}

namespace {

// What is computed from constants alone is computed at load, if it stays where it is.
bool is_constant(const program::Body& body) {
  bool constant = true;
  for (const Buffer* buffer : body.buffers) {
    constant &= buffer == body.target || buffer->role == Role::Constant;
  }
  return constant;
}

bool is_tiled(const Site& site) {
  return std::any_of(site.loops.begin(), site.loops.end(),
                     [](const Loop* loop) { return loop->how == program::LoopKind::Vectorized; });
}

// The innermost loop of its readers under which the block does no more work than before.
bool move_to_readers(Schedule& s, const std::string& block) {
  const Site site = site_of(s.program(), block);
  const Buffer* target = site.block->body->target;
  if (target->role != Role::Local || is_constant(*site.block->body) || is_tiled(site)) {
    return false;
  }
  const std::vector<Site> sites = program::sites_of(s.program());
  const auto readers = program::readers_of(sites, target);
  if (readers.empty()) return false;
  for (std::size_t reader : readers) {
    if (is_tiled(sites[reader])) return false;
  }
  std::vector<const Loop*> common = sites[readers[0]].loops;
  for (std::size_t reader : readers) {
    std::erase_if(common, [&](const Loop* loop) {
      return !sites[reader].is_under(loop) || program::feeds_of(*loop, *sites[reader].block).reduce;
    });
  }
  for (auto loop = common.rbegin(); loop != common.rend(); ++loop) {
    if (site.is_under(*loop)) return false;  // it is there already
    Schedule trial = s;
    if (!trial.apply(ComputeAt{block, std::string((*loop)->name())}).ok()) continue;
    if (work_of(site_of(trial.program(), block)) > work_of(site)) continue;
    s = trial;
    return true;
  }
  return false;
}

}  // namespace

void fuse_rows(Schedule& s) {
  std::vector<std::string> blocks;
  for (const Site& site : program::sites_of(s.program())) {
    blocks.emplace_back(site.block->name);
  }
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) move_to_readers(s, *block);
}

}  // namespace cambium::schedule
