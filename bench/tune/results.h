// The rows of `cambium bench tune`, each written as its case ends, so that a run of hours can be
// stopped and goes on where it was: a case that the file holds under the same name, options,
// machine and commit is not done again, unless it was refused or its peer was missing.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/machine.h"
#include "base/result.h"

namespace cambium::bench {

class Results {
 public:
  // Reads what is there; a line that was cut off by a crash is left out. Refuses Unreadable.
  static Result<Results> open(const std::string& path, const Machine& machine);

  // `key` tells the part, the case and its options.
  const nlohmann::json* find(const nlohmann::json& key) const;
  Status add(const nlohmann::json& key, nlohmann::json row);
  const std::vector<nlohmann::json>& rows() const { return rows_; }  // of this commit

 private:
  std::string path_, machine_;
  std::vector<nlohmann::json> rows_;
  bool ends_line_ = true;  // whether the file does: a crash may have cut its last line off
};

}  // namespace cambium::bench
