// What of the measures needs no libtorch; torch/ computes them.
#include "train/proxies.h"

#include <array>
#include <cstddef>

#include <fmt/format.h>

namespace cambium::train {
namespace {

constexpr std::array<std::string_view, 3> kHooks{"convolutions", "activations", "block-outputs"};

}  // namespace

std::string_view name_of(Hooks hooks) {
  return kHooks[static_cast<std::size_t>(hooks)];
}

Result<Hooks> hooks_of(std::string_view name) {
  for (std::size_t i = 0; i < kHooks.size(); ++i) {
    if (kHooks[i] == name) return static_cast<Hooks>(i);
  }
  return Rejection(Reason::BadOption, "hooks of Fisher Potential",
                   fmt::format("unknown '{}'; expected one of {}", name, fmt::join(kHooks, ", ")));
}

}  // namespace cambium::train
