// Keeps the packed constants of recent candidates, up to a number of bytes, for candidates that
// pack them alike. Called by kernel_bench.cpp.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "base/fingerprint.h"
#include "program/interpret.h"

namespace cambium::trial {

using Packed = std::vector<program::Array>;

class PackedCache {
 public:
  explicit PackedCache(std::int64_t most_bytes) : most_bytes_(most_bytes) {}

  std::shared_ptr<const Packed> find(const Fingerprint& key) {
    for (auto at = entries_.begin(); at != entries_.end(); ++at) {
      if (at->key != key) continue;
      entries_.splice(entries_.begin(), entries_, at);
      return at->packed;
    }
    return nullptr;
  }
  void add(const Fingerprint& key, std::shared_ptr<const Packed> packed) {
    std::int64_t bytes = 0;
    for (const program::Array& array : *packed) bytes += array.size() * size_of(array.dtype);
    entries_.push_front({key, std::move(packed), bytes});
    bytes_ += bytes;
    while (bytes_ > most_bytes_ && entries_.size() > 1) {
      bytes_ -= entries_.back().bytes;
      entries_.pop_back();
    }
  }

 private:
  struct Entry {
    Fingerprint key;
    std::shared_ptr<const Packed> packed;
    std::int64_t bytes;
  };
  std::int64_t most_bytes_, bytes_ = 0;
  std::list<Entry> entries_;  // the last used comes first
};

}  // namespace cambium::trial
