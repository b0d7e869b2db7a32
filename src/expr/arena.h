// Arena: hands out memory piece by piece and frees it as a whole. Objects in it must not need a
// destructor. The nodes of a Context live here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace cambium::expr {

class Arena {
 public:
  template <class T>
  T* make(T&& value) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T))) T(std::forward<T>(value));
  }

  void* allocate(std::size_t size) {
    size = (size + kAlign - 1) & ~(kAlign - 1);
    if (size > left_) refill(size);
    std::byte* place = next_;
    next_ += size;
    left_ -= size;
    return place;
  }

  std::size_t bytes() const { return total_; }  // taken from the system

 private:
  static constexpr std::size_t kAlign = alignof(std::max_align_t);
  static constexpr std::size_t kFirst = std::size_t{16} << 10;
  static constexpr std::size_t kLargest = std::size_t{1} << 20;

  void refill(std::size_t size) {
    const std::size_t chunk = std::max(size, std::clamp(total_, kFirst, kLargest));
    chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(chunk));
    next_ = chunks_.back().get();
    left_ = chunk;
    total_ += chunk;
  }

  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
  std::size_t total_ = 0;
};

}  // namespace cambium::expr
