// Names of one file, folder or program that have to differ, whatever they were made of.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

namespace cambium {

class UniqueNames {
 public:
  explicit UniqueNames(std::string separator = "_") : separator_(std::move(separator)) {}

  // `wanted`, or where that is taken `wanted_2`, `wanted_3` ... Takes it.
  std::string unique(const std::string& wanted) {
    std::string name = wanted;
    while (!take(name)) name = wanted + separator_ + std::to_string(++taken_.at(wanted));
    return name;
  }
  // Whether it was free. Takes it.
  bool take(const std::string& name) { return taken_.emplace(name, 1).second; }

 private:
  std::string separator_;
  std::unordered_map<std::string, std::int64_t> taken_;  // and the last number behind it
};

}  // namespace cambium
