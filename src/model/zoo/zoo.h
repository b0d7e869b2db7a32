// The zoo: published networks by name, each with the counts that its authors or its usual library
// report. Refuses unknown names, and options that give no valid network. Used by the command line,
// tests and benchmarks.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "model/zoo/families.h"
#include "model/zoo/options.h"

namespace cambium::model::zoo {

// Published counts of the default model. `macs_within` allows for the rounding of the published
// figure or for operations that it also counts; `note` says which. Zero MACs: no figure is
// published.
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
