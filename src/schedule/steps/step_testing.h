// Shared by the tests of steps: applies a step to the text of a program, checks the result with the
// verifier, and compares it with the original program by interpreting both on random whole numbers.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "program/interpret.h"
#include "program/text.h"
#include "program/verify.h"
#include "schedule/steps/applied.h"

namespace cambium::schedule {

inline std::vector<program::Array> whole_numbers(const Program& program, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<program::Array> arrays;
  for (const program::Buffer* buffer : program.parameters) {
    if (buffer->role == program::Role::Output) continue;
    const auto size = static_cast<std::size_t>(buffer->elements());
    if (is_floating(buffer->dtype)) {
      std::vector<float> values(size);
      for (float& v : values) v = static_cast<float>(rng.between(-4, 4));
      arrays.push_back({buffer->dtype, std::move(values)});
    } else {
      std::vector<std::int64_t> values(size);
      for (std::int64_t& v : values) v = rng.between(0, 4);
      arrays.push_back({buffer->dtype, std::move(values)});
    }
  }
  return arrays;
}

// Whether both compute the same, and the second is sound.
inline ::testing::AssertionResult same_results(Context& cx, const Program& before,
                                               const Program& after) {
  const auto sound = program::check(cx, after, program::Stage::Scheduled);
  const std::string text = "\n" + program::to_text(cx, after);
  if (!sound.ok()) return ::testing::AssertionFailure() << sound.rejection().message() << text;
  const auto arguments = whole_numbers(before, 7);
  const auto wanted = program::interpret(cx, before, arguments);
  const auto found = program::interpret(cx, after, arguments);
  if (!wanted.ok()) return ::testing::AssertionFailure() << wanted.rejection().message();
  if (!found.ok()) return ::testing::AssertionFailure() << found.rejection().message() << text;
  for (std::size_t i = 0; i < wanted->size(); ++i) {
    if ((*wanted)[i].as_doubles() != (*found)[i].as_doubles()) {
      return ::testing::AssertionFailure() << "output " << i << " differs" << text;
    }
  }
  return ::testing::AssertionSuccess();
}

// A program under test, and the steps applied to it one after another.
class Subject {
 public:
  explicit Subject(std::string_view text) : program_(program::parse(cx_, text).value()) {}
  explicit Subject(const std::function<Program(Context&)>& build) : program_(build(cx_)) {}

  // Applies a step that must succeed and keep what is computed; gives what it made.
  template <class S>
  Names apply(const S& step) {
    Result<Applied> applied = step.apply(cx_, program_);
    if (!applied.ok()) {
      ADD_FAILURE() << S::kName << ": " << applied.rejection().message() << "\n" << text();
      return Names(16, "?");
    }
    EXPECT_TRUE(same_results(cx_, program_, applied->program)) << "after " << S::kName;
    program_ = applied->program;
    return applied->made;
  }

  // The reason for which a step is refused; nothing: it is not.
  template <class S>
  std::optional<Reason> refusal(const S& step) {
    const Result<Applied> applied = step.apply(cx_, program_);
    if (applied.ok()) return std::nullopt;
    return applied.rejection().reason();
  }

  Context& context() { return cx_; }
  const Program& program() const { return program_; }
  std::string text() { return program::to_text(cx_, program_); }
  // Texts are compared as they print, so that a test may indent as it likes.
  static std::string tidy(std::string_view text) {
    Context cx;
    const auto parsed = program::parse(cx, text);
    return parsed.ok() ? program::to_text(cx, *parsed) : parsed.rejection().message();
  }

 private:
  Context cx_;
  Program program_;
};

}  // namespace cambium::schedule
