#include "spaces/coordinate/synthesis/state.h"

#include <algorithm>

#include "base/check.h"
#include "spaces/coordinate/synthesis/renaming.h"

namespace cambium::spaces::coordinate::synthesis {

std::uint8_t Counts::*Counts::member(PrimitiveKind kind) {
  switch (kind) {
#define CAMBIUM_X(name, text, counts, usual, most, what) \
  case PrimitiveKind::name: return &Counts::counts;
    CAMBIUM_FOR_EACH_PRIMITIVE(CAMBIUM_X)
#undef CAMBIUM_X
    case PrimitiveKind::Share:
    case PrimitiveKind::Contraction: break;
  }
  CAMBIUM_CHECK(false, "a state holds no weights");
}

void States::sort(State& state) const {
  const auto by_key = [&](CoordId a, CoordId b) {
    return coordinates_[a].key < coordinates_[b].key;
  };
  std::sort(state.data.begin(), state.data.end(), by_key);
  std::sort(state.expanded.begin(), state.expanded.end(), by_key);
}

bool States::is_before(const State& a, const State& b) const {
  const auto by_key = [&](CoordId x, CoordId y) {
    return coordinates_[x].key < coordinates_[y].key;
  };
  if (!(a.data == b.data)) {
    return std::lexicographical_compare(a.data.begin(), a.data.end(), b.data.begin(), b.data.end(),
                                        by_key);
  }
  return std::lexicographical_compare(a.expanded.begin(), a.expanded.end(), b.expanded.begin(),
                                      b.expanded.end(), by_key);
}

std::span<const CoordId> States::reductions(StateId id) const {
  // Outputs come first by key, so the reductions are the tail of the stage.
  const StateId stage = records_[id].stage;
  return data(stage).last(records_[stage].counts.reductions);
}

void States::canonicalize(State& state) {
  sort(state);
  if (state.stage == kNoState) return;  // labels of a stage are 0, 1, ... by construction
  const State original = state;
  for_each_renaming(coordinates_, reductions(state.stage), [&](const Renaming& renaming) {
    State other = original;
    for (CoordId& c : other.data) c = renamed(coordinates_, c, renaming);
    for (CoordId& c : other.expanded) c = renamed(coordinates_, c, renaming);
    sort(other);
    if (is_before(other, state)) state = other;
  });
}

std::uint64_t States::hash(const State& state) const {
  std::uint64_t h = state.data.size();
  for (const CoordId c : state.data) h = mix(h, c);
  for (const CoordId c : state.expanded) h = mix(h, ~std::uint64_t{c});
  return h;
}

StateId States::intern(State state) {
  canonicalize(state);
  const auto added = static_cast<StateId>(records_.size());
  const StateId place = table_.find_or_add(hash(state), added, [&](StateId other) {
    const Record& r = records_[other];
    const CoordId* at = pool_.data() + r.offset;
    return r.data == state.data.size() && r.expanded == state.expanded.size() &&
           std::equal(state.data.begin(), state.data.end(), at) &&
           std::equal(state.expanded.begin(), state.expanded.end(), at + r.data);
  });
  if (place != added) return place;
  Record record;
  record.offset = static_cast<std::uint32_t>(pool_.size());
  record.stage = state.stage == kNoState ? added : state.stage;
  record.data = static_cast<std::uint8_t>(state.data.size());
  record.expanded = static_cast<std::uint8_t>(state.expanded.size());
  record.counts = state.counts;
  record.occurrences = state.occurrences;
  pool_.insert(pool_.end(), state.data.begin(), state.data.end());
  pool_.insert(pool_.end(), state.expanded.begin(), state.expanded.end());
  records_.push_back(record);
  return added;
}

State States::unpack(StateId id) const {
  const Record& r = records_[id];
  State state;
  const CoordId* at = pool_.data() + r.offset;
  for (int i = 0; i < r.data; ++i) state.data.push_back(*at++);
  for (int i = 0; i < r.expanded; ++i) state.expanded.push_back(*at++);
  state.stage = r.stage;
  state.counts = r.counts;
  state.occurrences = r.occurrences;
  return state;
}

std::size_t States::bytes() const {
  return records_.capacity() * sizeof(Record) + pool_.capacity() * sizeof(CoordId) + table_.bytes();
}

std::string States::text(StateId id, const expr::SizeTable& names) const {
  const State state = unpack(id);
  std::string out = "[";
  for (const CoordId c : state.data) {
    if (out.size() > 1) out += ", ";
    out += coordinates_.text(c, names);
  }
  out += "]";
  for (const CoordId c : state.expanded) out += " expand(" + coordinates_.text(c, names) + ")";
  return out;
}

}  // namespace cambium::spaces::coordinate::synthesis
