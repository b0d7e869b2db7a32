// The rows of `cambium bench tune`. Each is written when its case ends, so a run of hours can be
// stopped and continued. A case that the file has with the same name, options, machine and commit
// is not repeated, unless it was refused or its peer was missing.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/machine.h"
#include "base/result.h"

namespace cambium::bench {

class Results {
 public:
  // Reads the file. A line that a crash cut off is left out. Refuses Unreadable.
  static Result<Results> open(const std::string& path, const Machine& machine);

  // `key` contains the part, the case and its options.
  const nlohmann::json* find(const nlohmann::json& key) const;
  Status add(const nlohmann::json& key, nlohmann::json row);
  const std::vector<nlohmann::json>& rows() const { return rows_; }  // of this commit

 private:
  std::string path_, machine_;
  std::vector<nlohmann::json> rows_;
  bool ends_line_ = true;  // whether the file does: a crash may have cut its last line off
};

}  // namespace cambium::bench
