// Nest: one block with the loops around it, in the form that neural steps edit: one iterator per
// loop, even if the loops were split, fused or reordered before. Other blocks are refused as
// NotAContraction. Drafts (schedule/neural/program_edit.h) turn edited nests into programs.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/steps/rebuild.h"

namespace cambium::schedule::neural {

using Indices = std::vector<Expr>;

// A loop of a nest with its iterator.
struct NestAxis {
  std::string_view loop;
  program::LoopKind how = program::LoopKind::Serial;
  program::Annotations annotations;
  std::int64_t extent = 1;
  Expr iterator = nullptr;  // in the body; nullptr: the body does not depend on the loop
  program::IteratorKind kind = program::IteratorKind::Spatial;
  bool is_shared = false;  // holds other blocks too, so it must stay as it is

  bool is_spatial() const { return kind == program::IteratorKind::Spatial; }
};

struct Nest {
  std::string_view name;  // of the block
  program::Annotations annotations;
  std::vector<NestAxis> axes;  // outermost first
  const Buffer* target = nullptr;
  Indices indices;
  program::Combine combine = program::Combine::Assign;
  Scalar value = nullptr;
  Scalar init = nullptr;
  program::Stmt top = nullptr;  // the statement that it replaces; nullptr: the nest is new

  NestAxis* find(std::string_view loop);
  // Substitutes an iterator everywhere in the body, or several at once.
  void substitute(Context& cx, Expr iterator, Expr by);
  void substitute(Context& cx, std::span<const expr::Replacement> all);
  // Gives the loop and its iterator another extent; the iterator keeps its name.
  void resize(Context& cx, NestAxis& axis, std::int64_t extent);
  // The indices at which the block reads `buffer`. Nothing if it does not read it exactly once.
  std::optional<Indices> read_of(const Buffer* buffer) const;
  void move_read(Context& cx, const Buffer* from, const Buffer* to, const Indices& indices);
};

// An index as a mixed-radix number: offset + sum of coefficient*axis, least significant digit
// first. Axes of extent 1 are left out.
struct Digit {
  Expr axis;
  std::int64_t coefficient, extent;
};
struct Digits {
  std::vector<Digit> all;
  std::int64_t offset = 0;

  const Digit* find(Expr axis) const;
  // The number of its values, if they are contiguous; 0 otherwise.
  std::int64_t dense_size() const;
  // The number after `axis` was replaced by `by`; the coefficients of higher digits shrink
  // accordingly.
  Expr resized(Context& cx, Expr axis, Expr by, std::int64_t extent) const;
};
// Nothing if the index is not such a sum.
std::optional<Digits> digits_of(Context& cx, Expr e);

Scalar rewrite_loads(Context& cx, Scalar s, const std::function<Scalar(Scalar)>& load,
                     const std::function<Expr(Expr)>& index);

// The nest of a block. Refuses NotAContraction.
Result<Nest> nest_of(Context& cx, std::span<const program::Site> sites, const program::Site& site);

}  // namespace cambium::schedule::neural
