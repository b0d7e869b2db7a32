// The hash table behind everything that is interned here: open addressing over 32-bit places of
// records that the owner keeps in a vector. The table knows hashes only; the owner compares
// records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cambium::spaces::coordinate::synthesis {

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t h = (a ^ (b + 0x9e3779b97f4a7c15ULL)) * 0xd1b54a32d192ed03ULL;
  h = (h ^ (h >> 31)) * 0x8cb92ba72f3d8dd7ULL;
  return h ^ (h >> 29);
}

class Interned {
 public:
  // The place with this hash for which `same(place)` holds. Otherwise adds and returns `added`;
  // then the caller must append its record.
  template <class Same>
  std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t added, Same same) {
    if ((count_ + 1) * 8 > slots_.size() * 7) grow();
    std::size_t at = hash & (slots_.size() - 1);
    const std::uint32_t tag = tag_of(hash);
    while (slots_[at].place != kEmpty) {
      if (slots_[at].tag == tag && same(slots_[at].place)) return slots_[at].place;
      at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at] = {added, tag};
    ++count_;
    return added;
  }

  // The same without adding; kNone if there is no such place.
  static constexpr std::uint32_t kNone = 0xffffffff;
  template <class Same>
  std::uint32_t find(std::uint64_t hash, Same same) const {
    if (slots_.empty()) return kNone;
    const std::uint32_t tag = tag_of(hash);
    for (std::size_t at = hash & (slots_.size() - 1); slots_[at].place != kEmpty;
         at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].tag == tag && same(slots_[at].place)) return slots_[at].place;
    }
    return kNone;
  }

  std::size_t bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  // Enough of the hash to find the slot again when the table grows up to 2^32 slots.
  static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash); }

  struct Slot {
    std::uint32_t place = kEmpty;
    std::uint32_t tag = 0;
  };
  static constexpr std::uint32_t kEmpty = 0xffffffff;

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.place == kEmpty) continue;
      std::size_t at = slot.tag & (slots_.size() - 1);
      while (slots_[at].place != kEmpty) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace cambium::spaces::coordinate::synthesis
