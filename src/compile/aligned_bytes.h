// Bytes aligned for the vectors of the widest machine: weights and workspaces.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "compile/memory_plan.h"

namespace cambium::compile {

template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlign{static_cast<std::size_t>(kAlignment)};

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}  // NOLINT: allocators convert

  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kAlign)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, kAlign); }
  friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }
};

using AlignedBytes = std::vector<std::byte, AlignedAllocator<std::byte>>;

}  // namespace cambium::compile
