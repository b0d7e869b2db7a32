// Internal to lowering: one `emit` per operator, and the helpers that write blocks. Formulas use
// the logical dimensions of values; Place knows where an element lies in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_names.h"
#include "lower/layout.h"
#include "model/model.h"
#include "program/build.h"

namespace cambium::lower {

using program::Combine;
using program::Ix;
using program::Range;
using program::Val;
using Dims = std::vector<std::int64_t>;
using At = std::span<const Ix>;  // one index per logical dimension

// A value of the model, or an intermediate stage of one, in the memory of the program.
struct Place {
  program::Mem mem{nullptr, nullptr};
  Dims dims;    // logical
  Order order;  // of memory; empty: the logical order

  bool is_used() const { return mem.buffer != nullptr; }
  DType dtype() const { return mem.buffer->dtype; }
  DType value_dtype() const { return program::value_type(dtype()); }
  std::int64_t dim(std::size_t i) const { return dims[i]; }
  std::vector<std::size_t> memory_order() const;  // logical dimensions, outermost in memory first
  std::vector<Ix> in_memory(At logical) const;    // the same element, indices as in memory
  Val at(At logical) const;                       // loads it
  Val at(const std::vector<Ix>& logical) const { return at(At(logical)); }
};

// The iterators of each dimension of a target, outermost first. A dimension usually has one; it has
// several if it is a number of several digits (group and member, stride and phase), or none (index
// 0).
using Iterators = std::vector<std::vector<Range>>;
// Receives the iterators of the target in logical order, and the reduce iterators.
using Formula = std::function<Val(At spatial, At reduced)>;

// Hands out legal names, each once.
class Names {
 public:
  std::string fresh(std::string_view wanted);

 private:
  UniqueNames taken_{"."};
};

// One node during its lowering.
class Site {
 public:
  Site(program::Context& cx, program::Builder& builder, Names& buffers, Names& blocks)
      : cx_(cx), builder_(builder), buffers_(buffers), blocks_(blocks) {}

  std::string name;  // of the buffer of its first result
  std::vector<Place> in;
  std::vector<const model::Tensor*> weights;  // by input; nullptr: the input is no weight
  std::vector<Place> out;                     // an unused one has no reader

  Place local(std::string_view suffix, Dims dims, DType dtype, Order order = {});
  // Where the sum for `target` accumulates: in the target itself, or in the local NAME.acc if every
  // store to the target would round (f16, bf16) or if the sum is processed further.
  Place accumulator(const Place& target, bool more_to_do);

  // Writes a block that computes each element of the target. Its loops follow the target's memory
  // order.
  void compute(const Place& target, const std::function<Val(At)>& formula);
  void compute(const Place& target, const Iterators& spatial, const Formula& formula);
  void reduce(const Place& target, Combine combine, const Iterators& spatial,
              const std::vector<Range>& reduced, const Formula& formula);
  // Only the elements from `begin` on along one axis, in a block of the given dimensions.
  void compute_part(const Place& target, const Dims& dims, std::size_t axis, std::int64_t begin,
                    const std::function<Val(At)>& formula);

  Ix index(std::int64_t value) const { return {&cx_, cx_.number(value)}; }
  // Converts the number to that element type: rounds, saturates or wraps it.
  Val number(double value, DType dtype) const;
  Val whole(std::int64_t value, DType dtype) const { return {&cx_, cx_.whole(value, dtype)}; }
  Val gather(const Place& from, std::span<const Val> logical) const;

 private:
  void write(const Place& target, const Dims& begins, Combine combine, const Iterators& spatial,
             const std::vector<Range>& reduced, const Formula& formula);

  program::Context& cx_;
  program::Builder& builder_;
  Names& buffers_;
  Names& blocks_;
};

std::string iterator_name(std::size_t dim);
// d, h, w for the last three spatial axes of an image; s0, s1 ... if there are more.
std::string spatial_name(std::size_t axis, std::size_t axes);
Iterators plain_iterators(const Dims& dims);
Ix least(Ix a, Ix b);
Ix greatest(Ix a, Ix b);
// The index of an operand that is broadcast to the dimensions `result`, at the index `at` of the
// result.
std::vector<Ix> stretched(const Site& site, const Place& operand, const Dims& result, At at);
// A padded copy NAME.pad of x. It starts `begins[d]` before x in each dimension and has the given
// dimensions; elements outside x have the fill value. Returns x itself if nothing changes.
Place padded(Site& site, const Place& x, const Dims& begins, const Dims& dims, double fill);

#define CAMBIUM_X(op, name, fewest, most, outputs) Status emit(const model::op& op_, Site& site);
CAMBIUM_FOR_EACH_OP(CAMBIUM_X)
#undef CAMBIUM_X

}  // namespace cambium::lower
