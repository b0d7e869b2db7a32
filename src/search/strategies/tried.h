// Tried: which candidates a search has proposed and, once told, what they earned.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "search/snapshot.h"
#include "spaces/candidate.h"

namespace cambium::search {

inline std::uint64_t key_of(const spaces::Candidate& candidate) {
  return hash_of(spaces::identity_of(candidate));
}

class Tried {
 public:
  // Whether it was new.
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
  std::vector<Entry> entries_;  // in the order in which they came
  std::unordered_map<std::uint64_t, std::size_t> places_;
  double sum_ = 0;  // of what is settled
  std::int64_t settled_ = 0;
};

}  // namespace cambium::search
