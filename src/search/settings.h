// Settings of a strategy by name, as users give them: `exploration=1.4`. Refuses BadOption for a
// name that the strategy does not have and a value that cannot be read or is out of range.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace cambium::search {

using SettingList = std::vector<std::pair<std::string, std::string>>;

// Collects what a strategy can be told, then reads a list. Places must outlive `read`.
class Settings {
 public:
  Settings& real(std::string name, double& place, double low, double high);
  Settings& whole(std::string name, std::int64_t& place, std::int64_t low, std::int64_t high);
  Settings& yes_no(std::string name, bool& place);  // 1 and 0, yes and no
  // A later entry of the same name wins.
  Status read(const SettingList& list) const;

 private:
  enum class Type : std::uint8_t { Real, Whole, YesNo };
  struct Entry {
    std::string name;
    Type type;
    void* place;
    double low, high;
  };
  static Status set(const Entry& entry, const std::string& value);

  std::vector<Entry> entries_;
};

}  // namespace cambium::search
