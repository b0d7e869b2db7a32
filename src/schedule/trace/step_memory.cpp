#include "schedule/trace/step_memory.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace cambium::schedule {
namespace {

// A step on a program as words: the addresses of what the program is made of, and every field.
class Key {
 public:
  Key(const Program& program, const Step& step) {
    words_.reserve(64);
    add(program.root);
    add(program.parameters.data());
    add(program.parameters.size());
    add(program.locals.data());
    add(program.locals.size());
    add(program.name);
    add(step.index());
    std::visit(
        [this](const auto& s) {
          std::decay_t<decltype(s)>::fields(
              s, [this](std::string_view, const auto& value) { this->add(value); });
        },
        step);
  }
  Fingerprint done() const { return Fingerprint::of_bytes(std::as_bytes(std::span(words_))); }

 private:
  void add(const void* p) { words_.push_back(reinterpret_cast<std::uintptr_t>(p)); }
  template <class T>
  requires(std::is_integral_v<T> || std::is_enum_v<T>) void add(T value) {
    words_.push_back(static_cast<std::uint64_t>(value));
  }
  void add(std::string_view text) {
    add(text.size());
    for (std::size_t i = 0; i < text.size(); i += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + i, std::min(sizeof word, text.size() - i));
      words_.push_back(word);
    }
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(values.size());
    for (const T& value : values) add(value);
  }

  std::vector<std::uint64_t> words_;
};

}  // namespace

Result<StepOutcome> outcome_of(Context& cx, const Program& program, const Step& step) {
  return std::visit(
      [&](const auto& s) -> Result<StepOutcome> {
        CAMBIUM_TRY(auto applied, s.apply(cx, program));
        StepOutcome outcome{applied.program, std::move(applied.made), {}};
        if constexpr (std::is_same_v<decltype(applied), NeuralApplied>) {
          outcome.changes = std::move(applied.changes);
        }
        return outcome;
      },
      step);
}

const Result<StepOutcome>& StepMemory::outcome(Context& cx, const Program& program,
                                               const Step& step) {
  const Fingerprint key = Key(program, step).done();
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  return known_.emplace(key, outcome_of(cx, program, step)).first->second;
}

}  // namespace cambium::schedule
