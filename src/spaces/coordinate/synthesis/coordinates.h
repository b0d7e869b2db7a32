// Interned coordinates of one synthesis: an id and 24 bytes each, with the facts that rules need.
// A label distinguishes reductions of equal size; the state that holds them assigns the labels
// (state.h). Keys depend on the content alone, so the order by key is the same in every synthesis.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "expr/size_table.h"
#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/synthesis/interned.h"
#include "spaces/coordinate/synthesis/sizes.h"

namespace cambium::spaces::coordinate::synthesis {

using CoordId = std::uint32_t;
inline constexpr CoordId kNoCoord = 0xffffffff;

struct Coord {
  std::uint64_t key = 0;  // kind in the highest bits
  CoordId first = kNoCoord, second = kNoCoord;
  SizeId size = kNoSize, parameter = kSizeOne;
  CoordinateKind kind = CoordinateKind::Output;
  std::uint8_t label = 0;   // axis of an Output, number of a Reduce among those of its size
  std::uint8_t height = 0;  // longest chain of primitives below, its own included
  // Whether none, some or all of the leaves below are reductions.
  enum class Reduced : std::uint8_t { None, Some, All } reduced = Reduced::None;
};
static_assert(sizeof(Coord) == 24);

class Coordinates {
 public:
  explicit Coordinates(Sizes& sizes) : sizes_(sizes) {}

  CoordId output(int axis, SizeId size);
  CoordId reduce(SizeId size, int label);
  // The result of a primitive. The caller has checked the sizes: a result without a domain is a
  // bug. MERGE makes two, `merge_high` and `merge_low`.
  CoordId split(CoordId high, CoordId low);
  CoordId merge_high(CoordId of, SizeId block);
  CoordId merge_low(CoordId of, SizeId block);
  CoordId shift(CoordId of);
  CoordId unfold(CoordId base, CoordId window);
  CoordId stride(CoordId of, SizeId step);
  // The same primitive on other operands.
  CoordId remake(CoordId like, CoordId first, CoordId second);

  const Coord& operator[](CoordId id) const { return all_[id]; }
  SizeId size(CoordId id) const { return all_[id].size; }
  std::size_t count() const { return all_.size(); }
  std::size_t bytes() const { return all_.capacity() * sizeof(Coord) + table_.bytes(); }

  // `unfold(split(r2, o1), r1)`: outputs by axis, reductions by size and label.
  std::string text(CoordId id, const expr::SizeTable& names) const;

 private:
  CoordId intern(Coord coord);
  CoordId make(CoordinateKind kind, CoordId first, CoordId second, SizeId size, SizeId parameter);

  Sizes& sizes_;
  std::vector<Coord> all_;
  Interned table_;
};

}  // namespace cambium::spaces::coordinate::synthesis
