// Data sets that stay open across the jobs of a worker, so that files are read once. Refuses what
// opening a data set refuses.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/result.h"
#include "data/dataset.h"

namespace cambium::engine {

class Datasets {
 public:
  // `tests`: whether the test split may be read.
  Result<const data::Dataset*> open(const std::string& spec, bool tests);

 private:
  std::map<std::pair<std::string, bool>, data::Dataset> open_;
};

}  // namespace cambium::engine
