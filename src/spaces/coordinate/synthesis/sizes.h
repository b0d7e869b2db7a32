// Interned sizes of one synthesis. Each has an id, and its value at every binding is computed once.
// Products and quotients are remembered. An illegal size (not an integer somewhere, a primary
// variable in the denominator, too many variables or powers) also has an id, so that it is refused
// without computing it again. Overflow gives kNoSize. So does a size beyond the number of ids
// (is_full); the space is then smaller than it should be, and its users refuse it. Nothing is
// allocated when warm.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "expr/size.h"
#include "spaces/coordinate/problem.h"
#include "spaces/coordinate/synthesis/interned.h"
#include "spaces/coordinate/synthesis/limits.h"

namespace cambium::spaces::coordinate::synthesis {

using SizeId = std::uint16_t;
inline constexpr SizeId kNoSize = 0xffff;
inline constexpr SizeId kSizeOne = 0;
inline constexpr std::size_t kMostSizes = kNoSize;

// How often variables occur, a byte each (at most 127): primary variables and coefficients.
struct Occurrences {
  std::uint64_t primary = 0, coefficient = 0;

  bool is_within(const Occurrences& limit) const {
    constexpr std::uint64_t kHigh = 0x8080808080808080ULL;
    return ((((limit.primary | kHigh) - primary) & ((limit.coefficient | kHigh) - coefficient)) &
            kHigh) == kHigh;
  }
  Occurrences operator+(const Occurrences& other) const {
    return {primary + other.primary, coefficient + other.coefficient};
  }
};
struct SizeFacts {
  expr::Size size;
  std::int64_t least = 0, greatest = 0;  // over the bindings; of a whole size only
  Occurrences occurrences;               // powers without signs
  std::uint32_t values = 0;              // where its values begin
  bool whole = false;      // an integer at every binding, no primary variable in the denominator
  bool legal = false;      // whole and within limits: may be the domain of a coordinate
  bool odd = false;        // at every binding
  bool parameter = false;  // one of `parameters`
};

// A block of a MERGE, the quotient, and the coefficients that it introduces: k for [H/k, k], none
// for [Co, H].
struct Block {
  SizeId block, rest;
  std::uint64_t brought;
};

class Sizes {
 public:
  Sizes(const Problem& problem, const Limits& limits);

  SizeId intern(const expr::Size& size);
  SizeId product(SizeId a, SizeId b) { return combine(a, b, false); }
  SizeId quotient(SizeId a, SizeId b) { return combine(a, b, true); }

  // The value at a binding. 0 if it is not an integer and padding does not help or is off.
  std::int64_t value(const expr::Size& size, const expr::Binding& binding) const;
  const SizeFacts& operator[](SizeId id) const { return facts_[id]; }
  bool whole(SizeId id) const { return id != kNoSize && facts_[id].whole; }
  bool legal(SizeId id) const { return id != kNoSize && facts_[id].legal; }
  // Legal and not one: a coordinate may have it as its domain.
  bool domain(SizeId id) const { return legal(id) && id != kSizeOne; }
  std::span<const std::int64_t> values(SizeId id) const {
    return {values_.data() + facts_[id].values, bindings_.size()};
  }
  std::size_t count() const { return facts_.size(); }
  bool is_full() const { return is_full_; }  // a size was left out
  std::size_t bindings() const { return bindings_.size(); }
  std::size_t bytes() const;

  // The monomials that primitives take as parameters, smallest powers first. `blocks` are those
  // that may be a block B of n: both B and n/B are domains. Valid until a size is added.
  std::span<const SizeId> parameters() const { return parameters_; }
  std::span<const Block> blocks(SizeId n);
  const Block* find_block(SizeId n, SizeId block);  // null if it is none

 private:
  SizeId combine(SizeId a, SizeId b, bool divide);
  std::size_t find_combined(std::uint32_t operands, bool divide) const;
  void grow_combined();
  void list_parameters(const Problem& problem);

  std::vector<expr::Binding> bindings_;
  Limits limits_;
  std::vector<SizeFacts> facts_;
  bool is_full_ = false;
  std::vector<std::int64_t> values_;
  Interned table_;
  // Products and quotients have an open table of their own, because it is used most: each lookup
  // costs one access to memory.
  struct Combined {
    std::uint32_t operands = 0;
    SizeId result = kNoSize;
    enum class Kind : std::uint16_t { Empty, Product, Quotient } kind = Kind::Empty;
  };
  std::vector<Combined> combined_;
  std::size_t combined_count_ = 0;
  std::vector<SizeId> parameters_;
  std::vector<Block> block_list_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> blocks_;  // of each size; {1, 0}: not asked
};

}  // namespace cambium::spaces::coordinate::synthesis
