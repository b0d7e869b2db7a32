#include "spaces/coordinate/canonical.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "base/fingerprint.h"
#include "spaces/coordinate/structure.h"

namespace cambium::spaces::coordinate {
namespace {

// Symmetric reductions are distinguished by trying orders. Beyond this many orders the first one is
// taken; no operator of practical size comes near.
constexpr int kMostOrders = 5040;

auto key_of(const Coordinate& c) {
  return std::tuple(c.kind, c.first, c.second, c.parameter, c.domain);
}

bool before(const Operator& a, const Operator& b) {
  const auto by_key = [](const Coordinate& x, const Coordinate& y) {
    return key_of(x) < key_of(y);
  };
  if (a.coordinates != b.coordinates) {
    return std::lexicographical_compare(a.coordinates.begin(), a.coordinates.end(),
                                        b.coordinates.begin(), b.coordinates.end(), by_key);
  }
  return std::tie(a.data, a.weights) < std::tie(b.data, b.weights);
}

// The operator with its reductions in this order and everything else sorted.
Operator assemble(const Operator& op, const std::vector<CoordinateIndex>& reductions) {
  Operator out;
  std::vector<CoordinateIndex> moved(op.coordinates.size(), kNoCoordinate);
  const auto move = [&](CoordinateIndex from) {
    Coordinate c = op.coordinates[place_of(from)];
    if (c.first != kNoCoordinate) c.first = moved[place_of(c.first)];
    if (c.second != kNoCoordinate) c.second = moved[place_of(c.second)];
    moved[place_of(from)] = static_cast<CoordinateIndex>(out.coordinates.size());
    out.coordinates.push_back(c);
  };
  const std::size_t outputs = output_count(op);
  for (std::size_t i = 0; i < outputs; ++i) move(static_cast<CoordinateIndex>(i));
  for (const CoordinateIndex r : reductions) move(r);
  const auto moved_key = [&](CoordinateIndex i) {
    Coordinate c = op.coordinates[place_of(i)];
    c.first = moved[place_of(c.first)];
    if (c.second != kNoCoordinate) c.second = moved[place_of(c.second)];
    return key_of(c);
  };
  const auto is_ready = [&](CoordinateIndex i) {
    const Coordinate& c = op.coordinates[place_of(i)];
    return moved[place_of(i)] == kNoCoordinate && moved[place_of(c.first)] != kNoCoordinate &&
           (c.second == kNoCoordinate || moved[place_of(c.second)] != kNoCoordinate);
  };
  while (out.coordinates.size() < op.coordinates.size()) {
    CoordinateIndex least = kNoCoordinate;
    for (auto i = static_cast<CoordinateIndex>(outputs + reductions.size());
         place_of(i) < op.coordinates.size(); ++i) {
      if (is_ready(i) && (least == kNoCoordinate || moved_key(i) < moved_key(least))) least = i;
    }
    move(least);
  }
  for (const CoordinateIndex i : op.data) out.data.push_back(moved[place_of(i)]);
  for (const auto& weight : op.weights) {
    out.weights.emplace_back();
    for (const CoordinateIndex i : weight) out.weights.back().push_back(moved[place_of(i)]);
    std::sort(out.weights.back().begin(), out.weights.back().end());
  }
  std::sort(out.weights.begin(), out.weights.end());
  return out;
}

// Reductions in the order in which the data reaches them; a coordinate is consumed once, so this
// order is the same for every way to write the operator.
std::vector<CoordinateIndex> reached_by_data(const Operator& op) {
  std::vector<CoordinateIndex> reached;
  const auto visit = [&](const auto& self, CoordinateIndex i) -> void {
    const Coordinate& c = op.coordinates[place_of(i)];
    if (c.kind == CoordinateKind::Reduce) {
      if (std::find(reached.begin(), reached.end(), i) == reached.end()) reached.push_back(i);
      return;
    }
    if (c.first != kNoCoordinate) self(self, c.first);
    if (c.second != kNoCoordinate) self(self, c.second);
  };
  for (const CoordinateIndex i : op.data) visit(visit, i);
  return reached;
}

// A reduction that no data reads, and what distinguishes it from others like it.
struct Outer {
  CoordinateIndex index;
  expr::Size size;
  std::uint64_t signature;  // of the weights that read it, as far as the data knows them
  std::uint64_t twin;       // equal: exchanging the two changes nothing
};

std::vector<Outer> outer_reductions(const Operator& op,
                                    const std::vector<CoordinateIndex>& reached) {
  const std::vector<Use> uses = uses_of(op);
  // Coordinates that depend on no outer reduction have a name already: their structure.
  std::vector<std::uint64_t> names(op.coordinates.size(), 0);
  for (std::size_t i = 0; i < op.coordinates.size(); ++i) {
    const Coordinate& c = op.coordinates[i];
    const auto index = static_cast<CoordinateIndex>(i);
    Hasher hasher;
    hasher.add(c.kind).add(c.parameter.hash());
    if (c.kind == CoordinateKind::Reduce) {
      const auto place = std::find(reached.begin(), reached.end(), index);
      if (place == reached.end()) continue;
      hasher.add(place - reached.begin());
    } else if (c.kind == CoordinateKind::Output) {
      hasher.add(i);
    } else {
      const bool named = names[place_of(c.first)] != 0 &&
                         (c.second == kNoCoordinate || names[place_of(c.second)] != 0);
      if (!named) continue;
      hasher.add(names[place_of(c.first)])
          .add(c.second == kNoCoordinate ? 0 : names[place_of(c.second)]);
    }
    names[i] = hasher.done().low | 1;
  }
  std::vector<Outer> outer;
  for (std::size_t i = 0; i < op.coordinates.size(); ++i) {
    const Coordinate& c = op.coordinates[i];
    if (c.kind != CoordinateKind::Reduce || names[i] != 0) continue;
    Outer one{static_cast<CoordinateIndex>(i), c.domain, 0, 0};
    for (std::size_t w = 0; w < op.weights.size(); ++w) {
      if ((uses[i].weights >> w & 1U) == 0) continue;
      std::uint64_t sum = 0;
      for (const CoordinateIndex read : op.weights[w]) sum += names[place_of(read)];
      one.signature += fingerprint_of(sum, op.weights[w].size()).low;
    }
    const bool plain = uses[i].consumptions == 0;
    one.twin = plain ? uses[i].weights : (std::uint64_t{1} << 32) + i;
    outer.push_back(one);
  }
  return outer;
}

}  // namespace

Operator canonical(const Operator& op) {
  CAMBIUM_CHECK(is_ordered(op), "the places of the coordinates are out of order");
  const std::vector<CoordinateIndex> reached = reached_by_data(op);
  std::vector<Outer> outer = outer_reductions(op, reached);
  const auto group = [](const Outer& o) { return std::tie(o.size, o.signature); };
  const auto order = [](const Outer& a, const Outer& b) {
    return std::tie(a.size, a.signature, a.twin) < std::tie(b.size, b.signature, b.twin);
  };
  std::sort(outer.begin(), outer.end(), order);

  std::optional<Operator> best;
  for (int tried = 0; tried < kMostOrders; ++tried) {
    std::vector<CoordinateIndex> reductions = reached;
    for (const Outer& o : outer) reductions.push_back(o.index);
    Operator candidate = assemble(op, reductions);
    if (!best || before(candidate, *best)) best = std::move(candidate);
    // The next order: as a number whose digits are the groups.
    bool advanced = false;
    for (auto first = outer.begin(); first != outer.end() && !advanced;) {
      const auto last = std::find_if(first, outer.end(),
                                     [&](const Outer& o) { return group(o) != group(*first); });
      advanced = std::next_permutation(first, last, order);
      first = last;
    }
    if (!advanced) break;
  }
  return *std::move(best);
}

}  // namespace cambium::spaces::coordinate
