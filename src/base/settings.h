// Settings: options by name, as users give them to a strategy or a space: `exploration=1.4`. One
// list both reads values and describes the options. Refuses BadOption for an unknown name and for a
// value that cannot be read or is out of range.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace cambium {

using SettingList = std::vector<std::pair<std::string, std::string>>;

// One option for people: help texts and tables are made of these.
struct SettingInfo {
  std::string name;
  std::string meaning;   // a few words; may be empty
  std::string values;    // what may be given: "yes or no", "a number from 0 to 1"
  std::string standard;  // the default
};

// Collects what may be set, then reads a list or describes itself. The places must outlive both.
class Settings {
 public:
  // The owner of the settings, for refusals: "the strategy".
  explicit Settings(std::string owner) : owner_(std::move(owner)) {}

  Settings& real(std::string name, double& place, double low, double high,
                 std::string meaning = {});
  Settings& whole(std::string name, std::int64_t& place, std::int64_t low, std::int64_t high,
                  std::string meaning = {});
  Settings& whole(std::string name, int& place, int low, int high, std::string meaning = {});
  // 1, yes and true; 0, no and false.
  Settings& yes_no(std::string name, bool& place, std::string meaning = {});
  // Any name. `values` describes the allowed names, for people: "the name of a value".
  Settings& name(std::string name, std::string& place, std::string values,
                 std::string meaning = {});
  // A limit from 0 on; `none` means infinity.
  Settings& limit(std::string name, double& place, std::string meaning = {});

  // A later entry of the same name wins.
  Status read(const SettingList& list) const;
  // In the order in which they were added; the default is what the place holds now.
  std::vector<SettingInfo> list() const;

 private:
  struct Entry {
    std::string name, meaning, values;
    std::function<bool(const std::string&)> set;  // false: the value cannot be read
    std::function<std::string()> text;
  };
  Settings& add(Entry entry);

  std::string owner_;
  std::vector<Entry> entries_;
};

}  // namespace cambium
