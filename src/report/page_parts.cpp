#include "report/page_parts.h"

#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "base/features.h"
#include "base/json.h"
#include "base/text.h"

namespace cambium::report {
namespace {

nlohmann::json object_of(const std::string& text) {
  auto json = parse_json(text);
  if (!json.ok() || !json->is_object()) return nlohmann::json::object();
  return std::move(json).value();
}

nlohmann::json options_of(const Summary& summary) {
  return summary.head ? object_of(summary.head->options) : nlohmann::json::object();
}

// Of the last run of the search that found the candidate.
nlohmann::json options_of(const Summary& summary, const Entry& candidate) {
  const auto own = summary.options.find(
      candidate.search < summary.names.size() ? summary.names[candidate.search] : std::string());
  return own == summary.options.end() ? options_of(summary) : object_of(own->second);
}

struct Trains {
  std::string device, threads;  // empty: the study does not say
};

// Studies of older versions kept only the command.
Trains trains_by_command(const nlohmann::json& kept) {
  Trains trains;
  const auto command = kept.find("command");
  if (command == kept.end() || !command->is_array()) return trains;
  std::vector<std::string> words;  // an option and its value are two
  for (const nlohmann::json& word : *command) {
    if (!word.is_string()) continue;
    const auto text = word.get<std::string>();
    const std::size_t equals = text.starts_with("--") ? text.find('=') : std::string::npos;
    words.push_back(text.substr(0, equals));
    if (equals != std::string::npos) words.push_back(text.substr(equals + 1));
  }
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "--device") trains.device = words[i + 1];
    if (words[i] == "--train-threads") trains.threads = words[i + 1];
  }
  return trains;
}

Trains trains_of(const nlohmann::json& kept) {
  const auto run = kept.find("run");
  if (run == kept.end() || !run->is_object()) return trains_by_command(kept);
  Trains trains;
  const auto device = run->find("device"), threads = run->find("train_threads");
  if (device != run->end() && device->is_string()) trains.device = device->get<std::string>();
  if (threads != run->end() && threads->is_number_integer()) trains.threads = json_text(*threads);
  return trains;
}

void fact(std::string& out, std::string_view name, const std::string& html) {
  if (!html.empty())
    fmt::format_to(std::back_inserter(out), "<dt>{}</dt><dd>{}</dd>\n", name, html);
}

std::string places_text(const Summary& summary) {
  std::string out;
  for (const Place& place : summary.places) {
    if (!out.empty()) out += "<br>";
    out += html_text(place.host.empty() ? "an unnamed machine" : place.host);
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
    out += fmt::format("{}: {}, seed {}, {} candidates", html_text(run.name), html_text(strategy),
                       run.seed, grouped(run.candidates));
  }
  return out;
}

std::string options_text(const Summary& summary) {
  std::string out;
  const nlohmann::json options = options_of(summary);
  for (const auto& [name, value] : options.items()) {
    if (name == "command") continue;
    out += fmt::format("<tr><td>{}</td><td><code>{}</code></td></tr>\n", html_text(name),
                       html_text(value.is_string() ? value.get<std::string>() : json_text(value)));
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
                     html_text(title), root);
}

std::string page_end(const Summary& summary) {
  const std::string commit =
      summary.head && !summary.head->commit.empty()
          ? " · study begun at commit " + html_text(short_commit(summary.head->commit))
          : "";
  return fmt::format("<footer>Made by cambium {}{}. Plots by Vega.</footer>\n</body>\n</html>\n",
                     version(), commit);
}

std::string command_block(std::string_view command) {
  return fmt::format("<pre class=\"command\"><code>{}</code></pre>\n", html_text(command));
}

std::string export_command(const ReportOptions& options, Fingerprint candidate) {
  const std::string name = study::long_id(candidate);
  return fmt::format("cambium export {} {} -o {}",
                     options.study.empty() ? "STUDY" : shell_word(options.study), name, name);
}

std::string replay_command(const Summary& summary, const ReportOptions& options,
                           const Entry& candidate) {
  std::string out = fmt::format("cambium replay {} {}",
                                options.study.empty() ? "STUDY" : shell_word(options.study),
                                study::long_id(candidate.identity));
  // The bits of a training depend on these two beside what the study holds.
  const Trains trains = trains_of(options_of(summary, candidate));
  // One device of several is enough. A search that left trainings to others does not know theirs.
  const std::string device(split(trains.device, ',').front());
  if (!device.empty() && device != "none") out += " --device " + shell_word(device);
  if (!trains.threads.empty()) out += " --train-threads " + shell_word(trains.threads);
  return out;
}

std::optional<std::string> search_command(const Summary& summary) {
  const nlohmann::json options = options_of(summary);
  const auto command = options.find("command");
  if (command == options.end()) return std::nullopt;
  if (!command->is_array()) return std::nullopt;
  std::vector<std::string> words;
  for (const auto& word : *command)
    words.push_back(shell_word(word.is_string() ? word.get<std::string>() : json_text(word)));
  // Readers copy the command, so it must be a search, which overwrites nothing.
  if (words.size() < 2 || words[1] != "search") return std::nullopt;
  words[0] = "cambium";
  return join(words, " ");
}

std::string study_facts(const Summary& summary, const ReportOptions& options, bool with_options) {
  std::string out = "<dl class=\"facts\">\n";
  if (summary.head) {
    fact(out, "Model",
         fmt::format("{} <code>{}</code>", html_text(summary.head->model),
                     summary.head->base.text().substr(0, 8)));
    fact(out, "Data", html_text(summary.head->data));
    fact(out, "Commit", "<code>" + html_text(short_commit(summary.head->commit)) + "</code>");
  }
  if (summary.commits.size() > 1) {
    std::vector<std::string> commits;
    for (const std::string& commit : summary.commits) commits.push_back(short_commit(commit));
    fact(out, "Evaluated at", html_text(join(commits, ", ")));
  }
  fact(out, "Machines", places_text(summary));
  fact(out, "Searches", searches_text(summary));
  fact(out, "Study", html_text(options.study));
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
  // Anything but a hash is shown in full.
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
