// Builder: makes programs for lowering. Handles of indices and values know their context, so code
// reads like formulas:
//
//   Builder b(cx, "matmul");
//   Mem a = b.input("a", {64, 32}), w = b.constant("w", {32, 64}), c = b.output("c", {64, 64});
//   b.block("matmul", {spatial("i", 64), spatial("j", 64), reduce("k", 32)}, [&](Point p) {
//     return sum(c, {p[0], p[1]}, a(p[0], p[2]) * w(p[2], p[1]));
//   });
//   Program program = b.finish();
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_names.h"
#include "program/context.h"

namespace cambium::program {

// An index expression, or a predicate over them.
struct Ix {
  Context* cx;
  Expr e;
};
Ix operator+(Ix a, Ix b);
Ix operator-(Ix a, Ix b);
Ix operator+(Ix a, std::int64_t b);
Ix operator-(Ix a, std::int64_t b);
Ix operator*(Ix a, std::int64_t b);
Ix operator/(Ix a, std::int64_t b);  // floor
Ix operator%(Ix a, std::int64_t b);
Ix operator<(Ix a, std::int64_t b);
Ix operator<=(std::int64_t a, Ix b);
Ix operator==(Ix a, std::int64_t b);
Ix operator&&(Ix p, Ix q);
Ix within(Ix a, std::int64_t lo, std::int64_t hi);  // lo <= a && a < hi

// A scalar.
struct Val {
  Context* cx;
  Scalar s;
};
Val operator+(Val a, Val b);
Val operator-(Val a, Val b);
Val operator*(Val a, Val b);
Val operator/(Val a, Val b);
Val operator-(Val a);
Val operator+(Val a, double b);  // the number in the type of a
Val operator*(Val a, double b);
Val apply(UnaryFn fn, Val a);
Val apply(BinaryFn fn, Val a, Val b);
Val cast(DType type, Val a);
Val value(Ix a);                          // an index as i64, a predicate as bool
Val number_like(Val like, double value);  // a number in the type of `like`
Val select(Ix predicate, Val first, Val second);
Val select(Val condition, Val first, Val second);

struct Mem {
  Context* cx;
  const Buffer* buffer;

  template <class... I>
  Val operator()(I... at) const {
    return load({at...});
  }
  Val load(std::span<const Ix> at) const;
  Val load(std::initializer_list<Ix> at) const { return load(std::span(at.begin(), at.size())); }
};

// One iterator of a block, and the loop that is made for it.
struct Range {
  std::string name;
  std::int64_t extent;
  IteratorKind kind;
};
Range spatial(std::string name, std::int64_t extent);
Range reduce(std::string name, std::int64_t extent);

using Point = std::span<const Ix>;  // the iterators, in order

struct Write {
  Mem target;
  std::vector<Ix> at;
  Combine combine;
  Val value;
  std::optional<double> init;
};
Write assign(Mem target, std::vector<Ix> at, Val value);
Write sum(Mem target, std::vector<Ix> at, Val value);      // from 0
Write maximum(Mem target, std::vector<Ix> at, Val value);  // from the lowest of the type
Write minimum(Mem target, std::vector<Ix> at, Val value);

class Builder {
 public:
  Builder(Context& cx, std::string_view name) : cx_(cx), name_(cx.name(name)) {}

  Mem input(std::string_view name, std::vector<std::int64_t> dims, DType dtype = DType::F32);
  Mem constant(std::string_view name, std::vector<std::int64_t> dims, DType dtype = DType::F32);
  Mem output(std::string_view name, std::vector<std::int64_t> dims, DType dtype = DType::F32);
  Mem local(std::string_view name, std::vector<std::int64_t> dims, DType dtype = DType::F32);

  // Appends a block with one serial loop per iterator, in order. A loop gets the name of its
  // iterator, or `name.2` if that is taken.
  void block(std::string_view name, std::vector<Range> ranges,
             const std::function<Write(Point)>& write);

  Val number(double value, DType type = DType::F32) { return {&cx_, cx_.constant(value, type)}; }
  Ix index(std::int64_t value) { return {&cx_, cx_.number(value)}; }

  Program finish();

 private:
  Mem declare(std::string_view name, std::span<const std::int64_t> dims, DType dtype, Role role);

  Context& cx_;
  std::string_view name_;
  std::vector<const Buffer*> parameters_;
  std::vector<const Buffer*> locals_;
  std::vector<Stmt> statements_;
  UniqueNames loop_names_{"."};
};

}  // namespace cambium::program
