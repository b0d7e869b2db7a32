// Tried: the candidates that a search has proposed, and what they earned. Refuses nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/settings.h"
#include "search/snapshot.h"
#include "spaces/space.h"

namespace cambium::search {

// Which candidates count as the same: those of one identity or, by the setting `by-meaning`, those
// that their space says compute the same (spaces::KnowsMeaning).
class Sameness {
 public:
  Sameness(spaces::Space& space, bool is_by_meaning)
      : spaces_{&space}, is_by_meaning_(is_by_meaning) {}
  std::uint64_t key_of(const spaces::Candidate& candidate) const {
    return hash_of(is_by_meaning_ ? spaces::meaning_of(candidate, spaces_)
                                  : spaces::identity_of(candidate));
  }

  // The setting of every strategy.
  static void add_setting(Settings& settings, bool& is_by_meaning) {
    settings.yes_no("by-meaning", is_by_meaning,
                    "propose only one of several candidates that compute the same");
  }

 private:
  std::vector<spaces::Space*> spaces_;
  bool is_by_meaning_;
};

class Tried {
 public:
  // Returns whether it was new.
  bool add(std::uint64_t key) {
    const bool is_new = places_.emplace(key, entries_.size()).second;
    if (is_new) entries_.push_back({key, std::nullopt});
    return is_new;
  }
  bool contains(std::uint64_t key) const { return places_.contains(key); }
  void settle(std::uint64_t key, double reward) {
    const auto found = places_.find(key);
    if (found == places_.end()) return;
    std::optional<double>& known = entries_[found->second].reward;
    sum_ += reward - known.value_or(0);
    if (!known) ++settled_;
    known = reward;
  }
  std::optional<double> reward(std::uint64_t key) const {
    const auto found = places_.find(key);
    return found == places_.end() ? std::nullopt : entries_[found->second].reward;
  }
  std::size_t size() const { return entries_.size(); }
  double mean() const { return settled_ == 0 ? 0 : sum_ / static_cast<double>(settled_); }

  void write(SnapshotWriter& out) const {
    out.count(entries_);
    for (const Entry& entry : entries_) {
      out.hash(entry.key).number(entry.reward ? 1 : 0);
      if (entry.reward) out.real(*entry.reward);
    }
  }
  void read(SnapshotReader& in) {
    *this = {};
    const std::size_t count = in.count();
    places_.reserve(count);
    entries_.reserve(count);
    for (std::size_t i = 0; i < count && in.ok(); ++i) {
      const std::uint64_t key = in.hash();
      add(key);
      if (in.number(0, 1) == 1) settle(key, in.real());
    }
  }

 private:
  struct Entry {
    std::uint64_t key;
    std::optional<double> reward;
  };
  std::vector<Entry> entries_;  // in the order of proposals
  std::unordered_map<std::uint64_t, std::size_t> places_;
  double sum_ = 0;  // of the settled rewards
  std::int64_t settled_ = 0;
};

}  // namespace cambium::search
