#include "tune/results.h"

#include <cstdio>
#include <fstream>

#include "base/json.h"
#include "commit.h"

namespace cambium::bench {

Result<Results> Results::open(const std::string& path, const Machine& machine) {
  Results results;
  results.path_ = path;
  results.machine_ = machine.model + " " + fingerprint_of(machine).text();
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    nlohmann::json row = nlohmann::json::parse(line, nullptr, false);
    const bool is_done = row.is_object() && row.contains("key") && !row.contains("refused") &&
                         !row.contains("missing");
    if (is_done && row.value("commit", "") == commit() &&
        row.value("machine", "") == results.machine_) {
      results.rows_.push_back(std::move(row));
    }
  }
  file.clear();
  file.seekg(-1, std::ios::end);
  results.ends_line_ = !file || file.get() == '\n';
  if (file.bad()) return Rejection(Reason::Unreadable, path, "reading failed");
  return results;
}

const nlohmann::json* Results::find(const nlohmann::json& key) const {
  for (const nlohmann::json& row : rows_) {
    if (row["key"] == key) return &row;
  }
  return nullptr;
}

Status Results::add(const nlohmann::json& key, nlohmann::json row) {
  row["key"] = key;
  row["commit"] = std::string(commit());
  row["machine"] = machine_;
  std::ofstream file(path_, std::ios::app);
  if (!ends_line_) file << '\n';
  ends_line_ = true;
  file << json_text(row) << '\n' << std::flush;
  if (!file) return Rejection(Reason::Unwritable, path_, "writing failed");
  rows_.push_back(std::move(row));
  return Ok{};
}

}  // namespace cambium::bench
