// Known: values that were already computed or loaded and may be used again. They hold within a
// stretch of straight code: at the end of a branch its values are forgotten, and a store forgets
// the loads of its buffer.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "codegen/llvm/ir.h"
#include "program/program.h"

namespace cambium::codegen {

class Known {
 public:
  using Key = std::vector<std::uint64_t>;

  // The value of the key. nullptr if the key is new; the caller then fills it in.
  Value*& value(const Key& key) { return entry(nullptr, key); }
  Value*& load(const program::Buffer* buffer, const Key& key) { return entry(buffer, key); }

  void forget(const program::Buffer* buffer) { entries_.erase(buffer); }
  void clear() {
    entries_.clear();
    learnt_.clear();
  }

  std::size_t mark() const { return learnt_.size(); }
  void back_to(std::size_t mark) {
    for (; learnt_.size() > mark; learnt_.pop_back()) {
      const auto found = entries_.find(learnt_.back().buffer);
      if (found != entries_.end()) found->second.erase(learnt_.back().key);
    }
  }

 private:
  struct Learnt {
    const program::Buffer* buffer;  // nullptr: the value is not a load
    Key key;
  };

  Value*& entry(const program::Buffer* buffer, const Key& key) {
    const auto [at, is_new] = entries_[buffer].try_emplace(key, nullptr);
    if (is_new) learnt_.push_back({buffer, key});
    return at->second;
  }

  std::map<const program::Buffer*, std::map<Key, Value*>> entries_;
  std::vector<Learnt> learnt_;
};

}  // namespace cambium::codegen
