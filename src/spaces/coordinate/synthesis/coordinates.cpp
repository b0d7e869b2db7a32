#include "spaces/coordinate/synthesis/coordinates.h"

#include <algorithm>
#include <iterator>

namespace cambium::spaces::coordinate::synthesis {
namespace {

using Kind = CoordinateKind;
using Reduced = Coord::Reduced;

constexpr int kKindShift = 60;
static_assert(std::size(kCoordinateInfos) <= std::size_t{1} << (64 - kKindShift));

Reduced both(Reduced a, Reduced b) {
  if (a == b) return a;
  return Reduced::Some;
}

}  // namespace

CoordId Coordinates::intern(Coord coord) {
  std::uint64_t hash = mix(sizes_[coord.size].size.hash(), coord.label);
  hash = mix(hash, sizes_[coord.parameter].size.hash());
  if (coord.first != kNoCoord) hash = mix(hash, all_[coord.first].key);
  if (coord.second != kNoCoord) hash = mix(hash, all_[coord.second].key);
  coord.key = (static_cast<std::uint64_t>(coord.kind) << kKindShift) |
              (mix(hash, static_cast<std::uint64_t>(coord.kind)) >> (64 - kKindShift));
  const auto added = static_cast<CoordId>(all_.size());
  const CoordId place = table_.find_or_add(coord.key, added, [&](CoordId other) {
    const Coord& o = all_[other];
    return o.kind == coord.kind && o.first == coord.first && o.second == coord.second &&
           o.size == coord.size && o.parameter == coord.parameter && o.label == coord.label;
  });
  if (place == added) all_.push_back(coord);
  return place;
}

CoordId Coordinates::make(Kind kind, CoordId first, CoordId second, SizeId size, SizeId parameter) {
  CAMBIUM_CHECK(size != kNoSize, "a coordinate needs a domain");
  Coord coord;
  coord.kind = kind;
  coord.first = first;
  coord.second = second;
  coord.size = size;
  coord.parameter = parameter;
  const Coord& a = all_[first];
  coord.height = a.height;
  coord.reduced = a.reduced;
  if (second != kNoCoord) {
    coord.height = std::max(coord.height, all_[second].height);
    coord.reduced = both(a.reduced, all_[second].reduced);
  }
  ++coord.height;
  return intern(coord);
}

CoordId Coordinates::output(int axis, SizeId size) {
  Coord coord;
  coord.size = size;
  coord.label = static_cast<std::uint8_t>(axis);
  return intern(coord);
}

CoordId Coordinates::reduce(SizeId size, int label) {
  Coord coord;
  coord.kind = Kind::Reduce;
  coord.size = size;
  coord.label = static_cast<std::uint8_t>(label);
  coord.height = 1;
  coord.reduced = Reduced::All;
  return intern(coord);
}

CoordId Coordinates::split(CoordId high, CoordId low) {
  return make(Kind::Split, high, low, sizes_.product(size(high), size(low)), kSizeOne);
}

CoordId Coordinates::merge_high(CoordId of, SizeId block) {
  return make(Kind::MergeHigh, of, kNoCoord, sizes_.quotient(size(of), block), block);
}

CoordId Coordinates::merge_low(CoordId of, SizeId block) {
  return make(Kind::MergeLow, of, kNoCoord, block, block);
}

CoordId Coordinates::shift(CoordId of) {
  return make(Kind::Shift, of, kNoCoord, size(of), kSizeOne);
}

CoordId Coordinates::unfold(CoordId base, CoordId window) {
  return make(Kind::Unfold, base, window, size(base), kSizeOne);
}

CoordId Coordinates::stride(CoordId of, SizeId step) {
  return make(Kind::Stride, of, kNoCoord, sizes_.product(size(of), step), step);
}

CoordId Coordinates::remake(CoordId like, CoordId first, CoordId second) {
  const Coord& c = all_[like];
  return make(c.kind, first, second, c.size, c.parameter);
}

std::string Coordinates::text(CoordId id, const expr::SizeTable& names) const {
  const Coord& c = all_[id];
  const auto name = [&](SizeId s) { return names.print(sizes_[s].size); };
  if (c.kind == Kind::Output) return "o" + std::to_string(c.label);
  if (c.kind == Kind::Reduce) return "r" + std::to_string(c.label) + ":" + name(c.size);
  const CoordinateInfo& info = info_of(c.kind);
  std::string inside = text(c.first, names);
  if (info.operands == 2) inside += ", " + text(c.second, names);
  if (info.has_parameter) inside += ", " + name(c.parameter);
  return std::string(info.word) + "(" + inside + ")";
}

}  // namespace cambium::spaces::coordinate::synthesis
