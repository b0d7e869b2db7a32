#include "report/page_parts.h"

#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/features.h"
#include "base/json.h"
#include "base/text.h"
#include "report/html.h"

namespace cambium::report {
namespace {

nlohmann::json options_of(const Summary& summary) {
  if (!summary.head) return nlohmann::json::object();
  auto json = parse_json(summary.head->options);
  if (!json.ok() || !json->is_object()) return nlohmann::json::object();
  return std::move(json).value();
}

void fact(std::string& out, std::string_view name, const std::string& html) {
  if (!html.empty())
    fmt::format_to(std::back_inserter(out), "<dt>{}</dt><dd>{}</dd>\n", name, html);
}

std::string places_text(const Summary& summary) {
  std::string out;
  for (const Place& place : summary.places) {
    if (!out.empty()) out += "<br>";
    out += escaped(place.host.empty() ? "a machine without a name" : place.host);
    if (place.machine != Fingerprint{})
      out += " <code>" + place.machine.text().substr(0, 8) + "</code>";
    out += fmt::format(", {} evaluations", grouped(place.evaluations));
  }
  return out;
}

std::string searches_text(const Summary& summary) {
  std::string out;
  for (const SearchRun& run : summary.searches) {
    if (!out.empty()) out += "<br>";
    const std::string strategy = run.strategy.empty() ? "no strategy" : run.strategy;
    out += fmt::format("{}: {}, seed {}, {} candidates", escaped(run.name), escaped(strategy),
                       run.seed, grouped(run.candidates));
  }
  return out;
}

std::string options_text(const Summary& summary) {
  std::string out;
  const nlohmann::json options = options_of(summary);
  for (const auto& [name, value] : options.items()) {
    if (name == "command") continue;
    out += fmt::format("<tr><td>{}</td><td><code>{}</code></td></tr>\n", escaped(name),
                       escaped(value.is_string() ? value.get<std::string>() : json_text(value)));
  }
  return out.empty() ? out : "<table class=\"plain\">" + out + "</table>";
}

}  // namespace

std::string page_begin(std::string_view title, std::string_view root) {
  return fmt::format(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{}assets/style.css">
</head>
<body>
)",
                     escaped(title), root);
}

std::string page_end(const Summary& summary) {
  const std::string commit =
      summary.head && !summary.head->commit.empty()
          ? " · study begun at commit " + escaped(short_commit(summary.head->commit))
          : "";
  return fmt::format("<footer>Made by cambium {}{}. Plots by Vega.</footer>\n</body>\n</html>\n",
                     version(), commit);
}

std::string command_block(std::string_view command) {
  return fmt::format("<pre class=\"command\"><code>{}</code></pre>\n", escaped(command));
}

std::string export_command(const ReportOptions& options, Fingerprint candidate) {
  const std::string name = short_name(candidate);
  return fmt::format("cambium export {} {} -o {}",
                     options.study.empty() ? "STUDY" : shell_quoted(options.study), name, name);
}

std::string replay_command(const Summary& summary, const ReportOptions& options,
                           Fingerprint candidate) {
  std::string out = fmt::format("cambium replay {} {}",
                                options.study.empty() ? "STUDY" : shell_quoted(options.study),
                                short_name(candidate));
  // Bits depend on these two and on nothing else that the study does not hold.
  const nlohmann::json head = options_of(summary);
  const auto command = head.find("command");
  if (command == head.end() || !command->is_array()) return out;
  std::vector<std::string> words;  // an option and its value are two
  for (const nlohmann::json& word : *command) {
    if (!word.is_string()) continue;
    const auto text = word.get<std::string>();
    const std::size_t equals = text.starts_with("--") ? text.find('=') : std::string::npos;
    words.push_back(text.substr(0, equals));
    if (equals != std::string::npos) words.push_back(text.substr(equals + 1));
  }
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    std::string value = words[i + 1];
    if (words[i] == "--device") {
      // One of several is enough; a search that left trainings to others does not know theirs.
      value = split(value, ',').front();
      if (value == "none") continue;
    } else if (words[i] != "--train-threads") {
      continue;
    }
    out += " " + words[i] + " " + shell_quoted(value);
  }
  return out;
}

std::optional<std::string> search_command(const Summary& summary) {
  const nlohmann::json options = options_of(summary);
  const auto command = options.find("command");
  if (command == options.end()) return std::nullopt;
  if (command->is_string()) return command->get<std::string>();
  if (!command->is_array()) return std::nullopt;
  std::vector<std::string> words;
  for (const auto& word : *command)
    words.push_back(shell_quoted(word.is_string() ? word.get<std::string>() : json_text(word)));
  return join(words, " ");
}

std::string study_facts(const Summary& summary, const ReportOptions& options, bool with_options) {
  std::string out = "<dl class=\"facts\">\n";
  if (summary.head) {
    fact(out, "Model",
         fmt::format("{} <code>{}</code>", escaped(summary.head->model),
                     summary.head->base.text().substr(0, 8)));
    fact(out, "Data", escaped(summary.head->data));
    fact(out, "Commit", "<code>" + escaped(short_commit(summary.head->commit)) + "</code>");
  }
  if (summary.commits.size() > 1) {
    std::vector<std::string> commits;
    for (const std::string& commit : summary.commits) commits.push_back(short_commit(commit));
    fact(out, "Evaluated at", escaped(join(commits, ", ")));
  }
  fact(out, "Machines", places_text(summary));
  fact(out, "Searches", searches_text(summary));
  fact(out, "Study", escaped(options.study));
  if (with_options) fact(out, "Options", options_text(summary));
  return out + "</dl>\n";
}

std::string machine_text(const Summary& summary, Fingerprint machine) {
  if (machine == Fingerprint{}) return "";
  const std::string digits = machine.text().substr(0, 8);
  for (const Place& place : summary.places)
    if (place.machine == machine && !place.host.empty()) return place.host + " (" + digits + ")";
  return digits;
}

std::string short_commit(std::string_view commit) {
  // What is none is shown as it is.
  const bool is_hash = commit.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return std::string(is_hash ? commit.substr(0, 12) : commit);
}

std::string grouped(std::int64_t count) {
  std::string digits = std::to_string(count);
  for (std::ptrdiff_t i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<std::size_t>(i), ",");
  return digits;
}

}  // namespace cambium::report
