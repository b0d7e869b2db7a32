// TensorType (element type and dimensions) and Tensor: an immutable, shared block of elements. A
// lazy Tensor stores the rule that fills it and computes its elements at the first read. Counting
// the parameters of a large network therefore costs nothing, and neither do its tables of indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/dtype.h"
#include "base/fingerprint.h"
#include "base/result.h"

namespace cambium::model {

using Ints = std::vector<std::int64_t>;

// The largest tensor of a Model in bytes. The limit keeps sizes within 64 bits, and stops hostile
// files from requesting absurd sizes.
inline constexpr std::int64_t kMaxTensorBytes = std::int64_t{1} << 40;
inline constexpr std::int64_t kMaxRank = 16;

struct TensorType {
  DType dtype = DType::F32;
  Ints dims;  // each >= 0; rank 0 is a scalar

  std::int64_t rank() const { return static_cast<std::int64_t>(dims.size()); }
  std::int64_t elements() const;
  std::int64_t bytes() const { return elements() * size_of(dtype); }
  std::string text() const;  // f32[1, 3, 224, 224]

  friend bool operator==(const TensorType&, const TensorType&) = default;
};

// Refuses negative dimensions, ranks above kMaxRank and more than kMaxTensorBytes.
Status check_type(const TensorType& type);

// The rule that fills a lazy tensor. It is deterministic: the same rule gives the same elements
// everywhere.
struct Fill {
  enum class Law : std::uint8_t { Constant, Uniform, Normal };
  Law law = Law::Constant;
  double scale = 0;  // Constant: the value; Uniform: in [-scale, scale); Normal: standard deviation
  std::uint64_t seed = 0;

  friend bool operator==(const Fill&, const Fill&) = default;
};

// One digit of the number of an element; each unit of it adds `step` to the element.
struct Step {
  std::int64_t extent = 1, step = 0;

  friend bool operator==(const Step&, const Step&) = default;
};

// The elements that steps describe, slowest digit first. The first element is zero.
Ints elements_of(std::span<const Step> steps);

class Tensor {
 public:
  // The element count must match the type; a mismatch is a bug of the caller.
  Tensor(TensorType type, std::vector<std::byte> bytes);
  static Tensor lazy(TensorType type, Fill fill);
  // A lazy tensor of i64; the product of the extents must match the dimensions.
  static Tensor stepped(Ints dims, std::vector<Step> steps);

  template <class T>
  static Tensor of(Ints dims, const std::vector<T>& elements) {
    std::vector<std::byte> bytes(elements.size() * sizeof(T));
    auto* out = reinterpret_cast<T*>(bytes.data());
    for (std::size_t i = 0; i < elements.size(); ++i) out[i] = elements[i];
    return Tensor({dtype_of<T>, std::move(dims)}, std::move(bytes));
  }
  template <class T>
  static Tensor scalar(T value) {
    return of<T>({}, std::vector<T>{value});
  }

  const TensorType& type() const { return type_; }
  DType dtype() const { return type_.dtype; }
  const Ints& dims() const { return type_.dims; }
  std::int64_t elements() const { return type_.elements(); }

  std::span<const std::byte> bytes() const;  // fills a lazy tensor once; thread-safe
  template <class T>
  std::span<const T> as() const {
    CAMBIUM_CHECK(dtype_of<T> == type_.dtype, type_.text());
    const std::span<const std::byte> raw = bytes();
    return {reinterpret_cast<const T*>(raw.data()), raw.size() / sizeof(T)};
  }

  // All elements converted to one type.
  std::vector<double> to_doubles() const;
  std::vector<std::int64_t> to_ints() const;

  // The rule of a lazy tensor, even after it was filled.
  std::optional<Fill> fill() const;
  // The steps that a tensor was made of; null for others.
  const std::vector<Step>* steps() const;
  // The same elements with other dimensions; the counts must be equal.
  Tensor reshaped(Ints dims) const;
  // Depends on type and elements; fills a lazy tensor.
  Fingerprint fingerprint() const;

 private:
  struct Storage;
  Tensor(TensorType type, std::shared_ptr<const Storage> storage);

  TensorType type_;
  std::shared_ptr<const Storage> storage_;
};

}  // namespace cambium::model
