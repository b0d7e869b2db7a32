// Result<T>: a value, or the Rejection that says why there is none. A refused operation has changed
// nothing. The third outcome, a bug, stops the process (base/check.h).
#pragma once

#include <utility>
#include <variant>

#include "base/check.h"
#include "base/rejection.h"

namespace cambium {

template <class T>
class [[nodiscard]] Result {
 public:
  // Implicit on purpose: `return thing;` and `return Rejection{...};` both read as what they are.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}            // NOLINT
  Result(Rejection reason) : state_(std::in_place_index<1>, std::move(reason)) {}  // NOLINT

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  const T& value() const& { return expect(), *std::get_if<0>(&state_); }
  T& value() & { return expect(), *std::get_if<0>(&state_); }
  T&& value() && { return expect(), std::move(*std::get_if<0>(&state_)); }

  const Rejection& rejection() const& {
    CAMBIUM_CHECK(!ok(), "asked a successful result for its rejection");
    return *std::get_if<1>(&state_);
  }
  Rejection&& rejection() && {
    CAMBIUM_CHECK(!ok(), "asked a successful result for its rejection");
    return std::move(*std::get_if<1>(&state_));
  }

  // Adds a place to a refusal; a success passes through.
  Result&& at(std::string place) && {
    if (!ok())
      std::get_if<1>(&state_)->operator=(std::move(*this).rejection().at(std::move(place)));
    return std::move(*this);
  }

 private:
  void expect() const {
    if (!ok()) report_bug(__FILE__, __LINE__, "result.ok()", std::get_if<1>(&state_)->message());
  }

  std::variant<T, Rejection> state_;
};

// The outcome of an operation that returns no value: `return Ok{};`.
using Ok = std::monostate;
using Status = Result<Ok>;

}  // namespace cambium

#define CAMBIUM_CONCAT_(a, b) a##b
#define CAMBIUM_CONCAT(a, b) CAMBIUM_CONCAT_(a, b)

// CAMBIUM_TRY(auto x, f());  declares x from the value of f(), or returns f()'s rejection.
#define CAMBIUM_TRY(declaration, ...)                             \
  auto CAMBIUM_CONCAT(try_, __LINE__) = (__VA_ARGS__);            \
  if (!CAMBIUM_CONCAT(try_, __LINE__).ok())                       \
    return std::move(CAMBIUM_CONCAT(try_, __LINE__)).rejection(); \
  declaration = std::move(CAMBIUM_CONCAT(try_, __LINE__)).value()

// CAMBIUM_REQUIRE(f());  returns f()'s rejection, if it is one.
#define CAMBIUM_REQUIRE(...)                                                    \
  do {                                                                          \
    auto cambium_required = (__VA_ARGS__);                                      \
    if (!cambium_required.ok()) return std::move(cambium_required).rejection(); \
  } while (false)
