// Program: a tensor program. It has buffers, loops, and blocks. A block computes one element per
// point of its iterators. As in TensorIR, blocks are isolated from loops: a block sees only its
// iterators, and its bindings say which point each iteration of the loops computes. So loops can be
// rewritten freely as long as the bindings stay valid. Everything is immutable; a program::Context
// makes and owns it. A new version shares all unchanged parts.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/fingerprint.h"
#include "program/functions.h"
#include "program/scalar.h"

namespace cambium::program {

// A key with a number or a text: a hint for code generation, or a note of a schedule.
struct Annotation {
  std::string_view key;
  bool is_text = false;
  std::int64_t number = 0;
  std::string_view text;

  friend bool operator==(const Annotation&, const Annotation&) = default;
};
using Annotations = std::span<const Annotation>;  // by key, each once

// Memory of a program. An Input or Constant is never written. A Local begins without values in
// every iteration of the loop that it lives in; see `home_of` in analysis.h.
struct Buffer {
  std::string_view name;
  DType dtype;
  Role role;
  std::span<const std::int64_t> dims;  // positive; none: one element
  Annotations annotations;

  std::int64_t elements() const;
};

struct Iterator {
  Expr axis;  // its name and extent
  IteratorKind kind;

  std::int64_t extent() const { return expr::value_of(expr::extent_of(axis)).factor; }
};

// The computation of a block at each point of its iterators. It does not know the loops:
//   target[indices] = value                        (Assign: no reduce iterators)
//   target[indices] = combine(target[indices], value)   otherwise, where `init`, if there, is
// stored first in the instance at which all reduce iterators are 0. Indices, value and init are
// over the iterators; init only over the spatial ones.
struct Body {
  std::span<const Iterator> iterators;
  const Buffer* target;
  std::span<const Expr> indices;
  Combine combine;
  Scalar value;
  Scalar init;  // nullptr: none

  std::span<const Buffer* const> buffers;  // each once, in the order of `fingerprint`
  Fingerprint fingerprint;                 // without names and without the identity of buffers
  Fingerprint key;                         // the same with the roles and sizes of the buffers
};

enum class StmtKind : std::uint8_t { Loop, Seq, Block };

struct StmtNode {
  StmtKind kind;
};
using Stmt = const StmtNode*;

struct Loop : StmtNode {
  Expr axis;  // its name and extent
  LoopKind how;
  Annotations annotations;
  Stmt body;

  std::string_view name() const { return expr::name_of(axis); }
  std::int64_t extent() const { return expr::value_of(expr::extent_of(axis)).factor; }
};

struct Seq : StmtNode {
  std::span<const Stmt> children;
};

// One instance of the body per iteration of the loops around it for which the predicate holds.
struct Block : StmtNode {
  std::string_view name;
  const Body* body;
  std::span<const Expr> bindings;  // one per iterator, over the axes of the loops
  Expr predicate;                  // over the axes of the loops; often `true`
  Annotations annotations;
  Fingerprint key;  // of body, bindings and predicate, within this context
};

inline const Loop* as_loop(Stmt s) {
  return s->kind == StmtKind::Loop ? static_cast<const Loop*>(s) : nullptr;
}
inline const Seq* as_seq(Stmt s) {
  return s->kind == StmtKind::Seq ? static_cast<const Seq*>(s) : nullptr;
}
inline const Block* as_block(Stmt s) {
  return s->kind == StmtKind::Block ? static_cast<const Block*>(s) : nullptr;
}

// The names of loops are unique among loops, and likewise those of blocks and of buffers. Traces
// refer to them.
struct Program {
  std::string_view name;
  std::span<const Buffer* const> parameters;  // Input, Constant and Output, in calling order
  std::span<const Buffer* const> locals;
  Stmt root = nullptr;
};

}  // namespace cambium::program
