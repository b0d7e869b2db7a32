// The splits of a data set, and who may read them. A search never sees the test split: a data set
// opened for search refuses to return it.
#pragma once

#include <cstdint>
#include <string_view>

namespace cambium::data {

enum class Split : std::uint8_t {
  Train,
  Validation,  // taken out of the published training part
  Test,
};

// The published parts of a data set, before a validation split is taken out.
enum class Part : std::uint8_t { Train, Test };

enum class Access : std::uint8_t {
  Search,      // Train and Validation; Test is sealed
  Evaluation,  // all splits; for the final result only
};

constexpr std::string_view name_of(Split split) {
  switch (split) {
    case Split::Train: return "train";
    case Split::Validation: return "validation";
    case Split::Test: return "test";
  }
  return "?";
}

}  // namespace cambium::data
