// Few<T, N>: a vector of at most N elements without heap, for the inner loops of synthesis. More
// than N elements are a bug of the caller, whose limits (limits.h) prevent it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/check.h"

namespace cambium::spaces::coordinate::synthesis {

template <class T, std::size_t N>
class Few {
 public:
  Few() = default;

  void push_back(const T& value) {
    CAMBIUM_CHECK(count_ < N, "more elements than a Few holds");
    values_[count_++] = value;
  }
  void erase(std::size_t place) {
    std::copy(begin() + place + 1, end(), begin() + place);
    --count_;
  }
  void insert(std::size_t place, const T& value) {
    push_back(value);
    std::rotate(begin() + place, end() - 1, end());
  }
  void clear() { count_ = 0; }
  void resize(std::size_t count) {
    CAMBIUM_CHECK(count <= N, "more elements than a Few holds");
    count_ = static_cast<std::uint32_t>(count);
  }

  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  T& operator[](std::size_t i) { return values_[i]; }
  const T& operator[](std::size_t i) const { return values_[i]; }
  T& back() { return values_[count_ - 1]; }
  const T& back() const { return values_[count_ - 1]; }
  T* begin() { return values_.data(); }
  T* end() { return values_.data() + count_; }
  const T* begin() const { return values_.data(); }
  const T* end() const { return values_.data() + count_; }
  operator std::span<const T>() const { return {values_.data(), count_}; }  // NOLINT

  friend bool operator==(const Few& a, const Few& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::array<T, N> values_;
  std::uint32_t count_ = 0;
};

// Sorts a handful of elements; g++ 12 warns of std::sort in arrays of less than 16.
template <class T, std::size_t N>
void sort_few(Few<T, N>& few) {
  for (std::size_t i = 1; i < few.size(); ++i) {
    for (std::size_t j = i; j > 0 && few[j] < few[j - 1]; --j) std::swap(few[j], few[j - 1]);
  }
}

}  // namespace cambium::spaces::coordinate::synthesis
