// Which part of a data set something looks at, and who may look at what. A search never sees the
// test split: a data set opened for search refuses to hand it out.
#pragma once

#include <cstdint>
#include <string_view>

namespace cambium::data {

enum class Split : std::uint8_t {
  Train,
  Validation,  // carved out of the published training part
  Test,
};

// The parts in which data sets are published, before a validation split is carved out.
enum class Part : std::uint8_t { Train, Test };

enum class Access : std::uint8_t {
  Search,      // Train and Validation; Test is sealed
  Evaluation,  // everything; for the one figure at the end
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
