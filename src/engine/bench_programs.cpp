#include "engine/bench_programs.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <unistd.h>

#include "base/text.h"

namespace cambium::engine {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "cambium-bench-";

}  // namespace

std::vector<std::string> bench_names(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    const bool fits = name.size() > kPrefix.size() && name.rfind(kPrefix, 0) == 0;
    std::error_code ignored;
    if (fits && at->is_regular_file(ignored) && ::access(at->path().c_str(), X_OK) == 0) {
      names.push_back(name.substr(kPrefix.size()));
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> find_bench(const std::string& folder, const std::string& name) {
  const std::vector<std::string> names = bench_names(folder);
  if (std::find(names.begin(), names.end(), name) != names.end()) {
    return (fs::path(folder) / (std::string(kPrefix) + name)).string();
  }
  if (names.empty()) {
    return Rejection(Reason::Unavailable, "every benchmark",
                     folder + " has no cambium-bench-NAME programs; `make bench` builds them");
  }
  const auto near = closest(name, names);
  return Rejection(Reason::BadOption, "bench " + quote(name),
                   near ? "did you mean " + quote(*near) + "?" : "there are " + join(names, ", "));
}

}  // namespace cambium::engine
