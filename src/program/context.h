// Context: the owner of the programs of one task, with their nodes, names and index expressions.
// Nodes are never freed one by one; a long search moves the programs that it keeps to a fresh
// context (clone.h). Not thread-safe. To break the contract of a node is a bug of the caller, so
// text from outside goes through parse.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "expr/arena.h"
#include "expr/context.h"
#include "program/program.h"

namespace cambium::program {

class Context {
 public:
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  expr::Context& indices() { return indices_; }

  std::string_view name(
      std::string_view text);  // a copy of the text that lives as long as the context
  template <class T>
  std::span<const T> keep(std::span<const T> values);  // a copy in the context
  template <class T>
  std::span<const T> keep(const std::vector<T>& values) {
    return keep(std::span<const T>(values));
  }
  Annotations annotations(std::span<const Annotation> unsorted);

  const Buffer* buffer(std::string_view name, DType dtype, std::span<const std::int64_t> dims,
                       Role role, Annotations annotations = {});
  Expr axis(std::string_view name, std::int64_t extent);
  Expr number(std::int64_t value) { return indices_.constant(value); }

  // Scalars. scalar.h states the contracts. Neg and Cast of constants are folded, so that each
  // number is written in one way only.
  Scalar constant(double value, DType type = DType::F32);
  Scalar whole(std::int64_t value, DType type = DType::I64);
  Scalar truth(bool value) { return whole(value ? 1 : 0, DType::Bool); }
  Scalar index(Expr e);
  Scalar load(const Buffer* buffer, std::span<const Expr> at);
  Scalar load(const Buffer* buffer, std::initializer_list<Expr> at) {
    return load(buffer, std::span(at.begin(), at.size()));
  }
  Scalar gather(const Buffer* buffer, std::span<const Scalar> at);
  Scalar unary(UnaryFn fn, Scalar a);
  Scalar binary(BinaryFn fn, Scalar a, Scalar b);
  Scalar select(Scalar condition, Scalar first, Scalar second);
  Scalar cast(DType type, Scalar a);

  // `fields` without its last three, which are computed.
  const Body* body(Body fields);
  Stmt loop(Expr axis, LoopKind how, Stmt body, Annotations annotations = {});
  // A sequence of one child is the child itself, and nested sequences are flattened, so each
  // sequence is written in one way only.
  Stmt seq(std::span<const Stmt> children);
  Stmt block(std::string_view name, const Body* body, std::span<const Expr> bindings,
             Expr predicate = nullptr, Annotations annotations = {});

  // Parts that the verifier has accepted. Versions of a program share most of their parts, so a
  // part need not be verified again. By the fingerprint of a part: one bit for each rule.
  std::unordered_map<Fingerprint, std::uint32_t>& sound() { return sound_; }

  std::size_t bytes() const { return arena_.bytes() + indices_.bytes(); }

 private:
  template <class T>
  const T* make(T node) {
    return arena_.make(std::move(node));
  }

  expr::Arena arena_;
  expr::Context indices_;
  std::unordered_set<std::string_view> names_;
  std::unordered_map<Fingerprint, std::uint32_t> sound_;
};

template <class T>
std::span<const T> Context::keep(std::span<const T> values) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (values.empty()) return {};
  T* copy = static_cast<T*>(arena_.allocate(values.size_bytes()));
  std::uninitialized_copy(values.begin(), values.end(), copy);
  return {copy, values.size()};
}

}  // namespace cambium::program
