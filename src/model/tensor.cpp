#include "model/tensor.h"

#include <mutex>
#include <utility>

#include <fmt/core.h>

#include "base/random.h"
#include "model/convert.h"

namespace cambium::model {

std::int64_t TensorType::elements() const {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count *= dim;
  return count;
}

std::string TensorType::text() const {
  std::string out(name_of(dtype));
  out += '[';
  for (std::size_t i = 0; i < dims.size(); ++i) {
    out += fmt::format("{}{}", i == 0 ? "" : ", ", dims[i]);
  }
  return out + ']';
}

Status check_type(const TensorType& type) {
  if (type.rank() > kMaxRank) return Rejection(Reason::RankTooHigh, type.rank(), kMaxRank);
  // A product with a zero in it is small whatever the rest says, but its other factors must still
  // be sane: views and strides are computed from them.
  std::int64_t bytes = size_of(type.dtype);
  for (const std::int64_t dim : type.dims) {
    if (dim < 0) return Rejection(Reason::NegativeDimension, dim);
    if (dim > 0 && bytes > kMaxTensorBytes / dim) {
      return Rejection(Reason::TensorTooLarge, type.text(), "", kMaxTensorBytes);
    }
    if (dim > 0) bytes *= dim;
  }
  return Ok{};
}

Ints elements_of(std::span<const Step> steps) {
  Ints elements = {0};
  for (const Step& step : steps) {
    Ints more;
    more.reserve(elements.size() * static_cast<std::size_t>(step.extent));
    for (const std::int64_t first : elements) {
      for (std::int64_t i = 0; i < step.extent; ++i) more.push_back(first + i * step.step);
    }
    elements = std::move(more);
  }
  return elements;
}

struct Tensor::Storage {
  Storage(std::vector<std::byte> data) : bytes(std::move(data)) {}  // NOLINT
  Storage(const TensorType& type, Fill rule) : fill(rule), filled_type(type) {}
  Storage(std::vector<Step> digits) : steps(std::move(digits)) {}  // NOLINT

  std::span<const std::byte> read() const {
    if (fill || steps) std::call_once(once, [this] { bytes = fill ? make() : counted(); });
    return bytes;
  }

  std::vector<std::byte> make() const;
  std::vector<std::byte> counted() const {
    const Ints elements = elements_of(*steps);
    const auto raw = std::as_bytes(std::span(elements));
    return {raw.begin(), raw.end()};
  }

  mutable std::vector<std::byte> bytes;
  std::optional<Fill> fill;
  std::optional<std::vector<Step>> steps;
  TensorType filled_type;
  mutable std::once_flag once;
};

std::vector<std::byte> Tensor::Storage::make() const {
  std::vector<std::byte> out(static_cast<std::size_t>(filled_type.bytes()));
  const std::int64_t count = filled_type.elements();
  Rng rng(fill->seed);
  const auto draw = [&]() -> double {
    switch (fill->law) {
      case Fill::Law::Constant: return fill->scale;
      case Fill::Law::Uniform: return (rng.uniform() * 2 - 1) * fill->scale;
      case Fill::Law::Normal: return rng.normal() * fill->scale;
    }
    return 0;
  };
  visit_dtype(filled_type.dtype, [&](auto zero) {
    using T = decltype(zero);
    T* elements = reinterpret_cast<T*>(out.data());
    for (std::int64_t i = 0; i < count; ++i) elements[i] = convert<T>(draw());
  });
  return out;
}

Tensor::Tensor(TensorType type, std::vector<std::byte> bytes)
    : type_(std::move(type)), storage_(std::make_shared<const Storage>(std::move(bytes))) {
  CAMBIUM_CHECK(static_cast<std::int64_t>(storage_->bytes.size()) == type_.bytes(), type_.text());
}

Tensor::Tensor(TensorType type, std::shared_ptr<const Storage> storage)
    : type_(std::move(type)), storage_(std::move(storage)) {}

Tensor Tensor::lazy(TensorType type, Fill fill) {
  auto storage = std::make_shared<const Storage>(type, fill);
  return {std::move(type), std::move(storage)};
}

Tensor Tensor::stepped(Ints dims, std::vector<Step> steps) {
  TensorType type{DType::I64, std::move(dims)};
  std::int64_t count = 1;
  for (const Step& step : steps) count *= step.extent;
  CAMBIUM_CHECK(count == type.elements(), type.text());
  return {std::move(type), std::make_shared<const Storage>(std::move(steps))};
}

std::span<const std::byte> Tensor::bytes() const {
  return storage_->read();
}

std::optional<Fill> Tensor::fill() const {
  return storage_->fill;
}

const std::vector<Step>* Tensor::steps() const {
  return storage_->steps ? &*storage_->steps : nullptr;
}

Tensor Tensor::reshaped(Ints dims) const {
  TensorType type{type_.dtype, std::move(dims)};
  CAMBIUM_CHECK(type.elements() == type_.elements(), type.text());
  return {std::move(type), storage_};
}

namespace {

template <class To>
std::vector<To> converted(const Tensor& tensor) {
  return visit_dtype(tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<To> out;
    out.reserve(static_cast<std::size_t>(tensor.elements()));
    for (const T element : tensor.as<T>()) out.push_back(convert<To>(element));
    return out;
  });
}

}  // namespace

std::vector<double> Tensor::to_doubles() const {
  return converted<double>(*this);
}
std::vector<std::int64_t> Tensor::to_ints() const {
  return converted<std::int64_t>(*this);
}

Fingerprint Tensor::fingerprint() const {
  return Hasher().add(type_.dtype).add_range(type_.dims).add(Fingerprint::of_bytes(bytes())).done();
}

}  // namespace cambium::model
