// Makes names unique within one file, folder or program.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

namespace cambium {

class UniqueNames {
 public:
  explicit UniqueNames(std::string separator = "_") : separator_(std::move(separator)) {}

  // Takes and returns `wanted` or, if it is taken, `wanted_2`, `wanted_3` ...
  std::string unique(const std::string& wanted) {
    std::string name = wanted;
    while (!take(name)) name = wanted + separator_ + std::to_string(++taken_.at(wanted));
    return name;
  }
  // Takes the name; says whether it was free.
  bool take(const std::string& name) { return taken_.emplace(name, 1).second; }

 private:
  std::string separator_;
  std::unordered_map<std::string, std::int64_t> taken_;  // with the last number appended to it
};

}  // namespace cambium
