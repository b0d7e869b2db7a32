// A benchmark of several parts, each of which adds rows to one document.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/result.h"
#include "cli/common.h"
#include "commit.h"
#include "engine/documents.h"
#include "engine/machines.h"

namespace cambium::bench {

template <class Options>
struct Part {
  const char* name;
  Status (*run)(const Options&, nlohmann::json& out);
  std::string (*text)(const nlohmann::json& row);
};

template <class Options>
void add_parts(CLI::App& app, std::span<const Part<Options>> parts, Options& options) {
  std::vector<std::string> names;
  for (const Part<Options>& part : parts) names.emplace_back(part.name);
  app.add_option("--part", options.parts, "only this part; may be repeated")
      ->type_name("PART")
      ->check(CLI::IsMember(names));
}

// Runs the requested parts and prints their rows, as text or as one JSON document of this name with
// these options.
template <class Options>
int run_parts(const std::string& name, nlohmann::json asked, std::span<const Part<Options>> parts,
              const Options& options) {
  const auto machine = engine::probed_host(cli::cache_folder() + "/ceilings.json");
  if (!machine.ok()) return cli::refuse(machine.rejection());
  nlohmann::json out = engine::document("bench", 1);
  out["name"] = name;
  out["commit"] = std::string(commit());
  out["machine"] = engine::json_of(*machine);
  out["options"] = std::move(asked);
  out["rows"] = nlohmann::json::array();
  out["summary"] = nlohmann::json::object();
  std::string text;
  for (const Part<Options>& part : parts) {
    const bool is_asked =
        options.parts.empty() ||
        std::find(options.parts.begin(), options.parts.end(), part.name) != options.parts.end();
    if (!is_asked) continue;
    const std::size_t before = out["rows"].size();
    const Status done = part.run(options, out);
    if (!done.ok()) return cli::refuse(done.rejection());
    for (std::size_t i = before; i < out["rows"].size(); ++i) {
      out["rows"][i]["part"] = part.name;
      text += part.text(out["rows"][i]);
    }
  }
  if (options.json) return cli::print_document(out);
  for (const auto& [key, value] : out["summary"].items()) {
    text += fmt::format("{:24} {}\n", key, json_text(value));
  }
  return cli::print(text);
}

}  // namespace cambium::bench
