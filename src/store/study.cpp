#include "store/study.h"

#include <array>

namespace cambium::store {
namespace {

constexpr std::array<std::string_view, 3> kStates = {"done", "refused", "pending"};

}  // namespace

std::string_view name_of(EvaluationState state) {
  return kStates[static_cast<std::size_t>(state)];
}

std::optional<EvaluationState> state_named(std::string_view name) {
  for (std::size_t i = 0; i < kStates.size(); ++i) {
    if (kStates[i] == name) return static_cast<EvaluationState>(i);
  }
  return std::nullopt;
}

}  // namespace cambium::store
