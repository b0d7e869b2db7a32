// Sizes of one synthesis, interned: an id each, with the value at every binding worked out once,
// and products and quotients remembered. A size that is not legal (no integer somewhere, a primary
// variable below the line, too many variables or powers) still has an id, so that it is refused
// without computing again; overflow is kNoSize, and so is one more than fit (is_full), which makes
// the space smaller than it should be and is refused by whoever uses it. Nothing is allocated when
// warm.
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

// How often variables stand somewhere, a byte each (at most 127): primary ones, coefficients.
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
  bool whole = false;      // an integer at every binding, no primary variable below the line
  bool legal = false;      // and within limits: may be the domain of a coordinate
  bool odd = false;        // at every binding
  bool parameter = false;  // one of `parameters`
};

// A block of a MERGE, what remains of the size, and the coefficients that it brings in: k of
// [H/k, k], nothing of [Co, H].
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

  // The value at a binding; 0 where it is no integer, and padding does not help or is not asked
  // for.
  std::int64_t value(const expr::Size& size, const expr::Binding& binding) const;
  const SizeFacts& operator[](SizeId id) const { return facts_[id]; }
  bool whole(SizeId id) const { return id != kNoSize && facts_[id].whole; }
  bool legal(SizeId id) const { return id != kNoSize && facts_[id].legal; }
  // Legal, and not one: what a coordinate may have as its domain.
  bool domain(SizeId id) const { return legal(id) && id != kSizeOne; }
  std::span<const std::int64_t> values(SizeId id) const {
    return {values_.data() + facts_[id].values, bindings_.size()};
  }
  std::size_t count() const { return facts_.size(); }
  bool is_full() const { return is_full_; }  // a size was left out
  std::size_t bindings() const { return bindings_.size(); }
  std::size_t bytes() const;

  // The monomials that primitives take as parameters, smallest powers first; and those of them that
  // are a block B of n, both B and n/B being domains. Valid until a size is added.
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
  // Products and quotients, in an open table of their own: it is asked more than all else, and so
  // each costs one access to memory.
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
