#include "weight_uses.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "base/random.h"
#include "program/walk.h"

namespace cambium::tests {
namespace {

using expr::Expr;
using expr::Kind;
using program::Body;
using program::Buffer;
using program::Scalar;
using program::ScalarKind;

using Elements = std::vector<std::uint64_t>;

Elements random_elements(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  Elements elements(count);
  for (std::uint64_t& element : elements) element = rng.next_u64();
  return elements;
}

// Values of axes.
class Point {
 public:
  void set(Expr axis, std::int64_t value) {
    const auto known = std::find(axes_.begin(), axes_.end(), axis);
    if (known != axes_.end()) {
      at_[static_cast<std::size_t>(known - axes_.begin())] = value;
      return;
    }
    axes_.push_back(axis);
    at_.push_back(value);
  }

  std::int64_t value(Expr e) const {
    switch (e->kind) {
      case Kind::Const: return expr::value_of(e).factor;
      case Kind::Bool: return expr::truth_of(e) ? 1 : 0;
      case Kind::Axis: return of_axis(e);
      case Kind::Add: return value(e->a) + value(e->b);
      case Kind::Mul: return value(e->a) * value(e->b);
      case Kind::Div: return floor_div(value(e->a), value(e->b));
      case Kind::Mod: return value(e->a) - floor_div(value(e->a), value(e->b)) * value(e->b);
      case Kind::Min: return std::min(value(e->a), value(e->b));
      case Kind::Max: return std::max(value(e->a), value(e->b));
      case Kind::Less: return value(e->a) < value(e->b) ? 1 : 0;
      case Kind::Equal: return value(e->a) == value(e->b) ? 1 : 0;
      case Kind::And: return value(e->a) != 0 && value(e->b) != 0 ? 1 : 0;
      case Kind::Or: return value(e->a) != 0 || value(e->b) != 0 ? 1 : 0;
      case Kind::Not: return value(e->a) == 0 ? 1 : 0;
    }
    return 0;
  }

  std::size_t element(const Buffer* buffer, std::span<const Expr> indices) const {
    std::int64_t element = 0;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      element = element * buffer->dims[d] + value(indices[d]);
    }
    return static_cast<std::size_t>(element);
  }

 private:
  static std::int64_t floor_div(std::int64_t a, std::int64_t b) {
    return a >= 0 ? a / b : -((-a + b - 1) / b);
  }

  std::int64_t of_axis(Expr axis) const {
    const auto known = std::find(axes_.begin(), axes_.end(), axis);
    if (known != axes_.end()) return at_[static_cast<std::size_t>(known - axes_.begin())];
    ADD_FAILURE() << "an axis that is no iterator";
    return 0;
  }

  std::vector<Expr> axes_;
  std::vector<std::int64_t> at_;
};

class Deriving {
 public:
  Deriving(const program::Program& program, std::uint64_t seed) : program_(program) {
    for (const program::Site& site : program::sites_of(program)) {
      for (const Buffer* buffer : site.block->body->buffers) add(buffer);
    }
    for (const Buffer* buffer : program.parameters) {
      const std::size_t count = add(buffer);
      if (buffer->role == program::Role::Input) values_[buffer] = random_elements(count, seed);
      if (buffer->role == program::Role::Constant) values_[buffer].assign(count, 1);
      if (buffer->role == program::Role::Output) by_[buffer] = random_elements(count, seed + 1);
    }
  }

  WeightUses run() {
    const std::vector<program::Site> sites = program::sites_of(program_);
    for (const program::Site& site : sites) {
      const Body& body = *site.block->body;
      for_each_point(site, [&](const Point& p) {
        std::uint64_t& element = values_[body.target][p.element(body.target, body.indices)];
        const std::uint64_t value = value_of(p, body.value);
        element = body.combine == program::Combine::Assign ? value : element + value;
      });
    }
    for (std::size_t i = sites.size(); i-- > 0;) {
      const Body& body = *sites[i].block->body;
      for_each_point(sites[i], [&](const Point& p) {
        derive(p, body.value, by_[body.target][p.element(body.target, body.indices)]);
      });
    }
    WeightUses uses;
    for (const Buffer* buffer : program_.parameters) {
      if (buffer->role == program::Role::Constant) uses.derivatives.push_back(by_[buffer]);
    }
    return uses;
  }

 private:
  std::size_t add(const Buffer* buffer) {
    const auto count = static_cast<std::size_t>(buffer->elements());
    values_.try_emplace(buffer, count);
    by_.try_emplace(buffer, count);
    return count;
  }

  // The iterators of the block at each iteration of its loops, which may be split or cut.
  template <class F>
  static void for_each_point(const program::Site& site, const F& f) {
    const program::Block& block = *site.block;
    std::vector<std::int64_t> at(site.loops.size());
    Point loops, iterators;
    std::size_t next = 0;
    do {
      for (std::size_t i = 0; i < at.size(); ++i) loops.set(site.loops[i]->axis, at[i]);
      for (std::size_t i = 0; i < block.bindings.size(); ++i) {
        iterators.set(block.body->iterators[i].axis, loops.value(block.bindings[i]));
      }
      if (loops.value(block.predicate) != 0) f(iterators);
      for (next = at.size(); next > 0; --next) {
        if (++at[next - 1] < site.loops[next - 1]->extent()) break;
        at[next - 1] = 0;
      }
    } while (next > 0);
  }

  std::uint64_t value_of(const Point& p, Scalar s) {
    switch (s->kind) {
      case ScalarKind::Index: return static_cast<std::uint64_t>(p.value(s->indices[0]));
      case ScalarKind::Load: return values_[s->buffer][p.element(s->buffer, s->indices)];
      case ScalarKind::Select:
        return value_of(p, s->operands[value_of(p, s->operands[0]) != 0 ? 1 : 2]);
      case ScalarKind::Binary:
        EXPECT_EQ(s->binary(), program::BinaryFn::Mul);
        return value_of(p, s->operands[0]) * value_of(p, s->operands[1]);
      default:
        EXPECT_TRUE(s->kind == ScalarKind::Const && s->bits == 0) << "no sum of products";
        return 0;
    }
  }

  // Adds what the scalar's part is to the derivatives of what it reads.
  void derive(const Point& p, Scalar s, std::uint64_t by) {
    if (s->kind == ScalarKind::Load) by_[s->buffer][p.element(s->buffer, s->indices)] += by;
    if (s->kind == ScalarKind::Select) {
      derive(p, s->operands[value_of(p, s->operands[0]) != 0 ? 1 : 2], by);
    }
    if (s->kind != ScalarKind::Binary) return;
    derive(p, s->operands[0], by * value_of(p, s->operands[1]));
    derive(p, s->operands[1], by * value_of(p, s->operands[0]));
  }

  const program::Program& program_;
  std::map<const Buffer*, Elements> values_, by_;
};

}  // namespace

std::vector<std::uint64_t> WeightUses::sorted() const {
  std::vector<std::uint64_t> all;
  for (const auto& of_constant : derivatives) {
    for (const std::uint64_t each : of_constant) {
      if (each != 0) all.push_back(each);
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

WeightUses weight_uses_of(const program::Program& program, std::uint64_t seed) {
  return Deriving(program, seed).run();
}

}  // namespace cambium::tests
