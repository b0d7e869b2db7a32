// The zoo: published networks by name, each with the counts that its authors or its usual library
// print. Refuses unknown names and options that make no network. Called by the command line, by
// tests and by benchmarks.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "model/zoo/families.h"
#include "model/zoo/options.h"

namespace cambium::model::zoo {

// What others print for the model as it is built by default. `macs_within` is the rounding of that
// figure, or what else it counts; `note` says which. Zero MACs: nobody prints them.
struct Published {
  std::int64_t params = 0;
  std::int64_t params_within = 0;
  double macs = 0;
  double macs_within = 0;
  std::string_view source;
  std::string_view note;
};

struct ZooEntry {
  std::string_view name;
  std::string_view description;
  std::string_view origin;  // paper
  Published published;
  BuildFn* build;
};

std::span<const ZooEntry> entries();

Result<Model> build(std::string_view name, const ZooOptions& options = {});

}  // namespace cambium::model::zoo
