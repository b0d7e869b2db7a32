#include "cli/option_table.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/text.h"

namespace cambium::cli {
namespace {

// These texts are the program's own, so only what would end the cell or start markup is escaped.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '*') out += '\\';
    if (c == '<') {
      out += "&lt;";
    } else {
      out += c == '\n' ? ' ' : c;
    }
  }
  return out;
}

// In a cell a bar ends even code; an asterisk stands for itself there.
std::string code(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out.empty() ? out : "`" + out + "`";
}

template <class Options>
std::string names_of(const Options& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(code(option->get_name()));
  std::sort(names.begin(), names.end());  // CLI11 orders them by address
  return join(names, ", ");
}

std::string row_of(const CLI::Option& option) {
  const bool is_positional = option.get_positional();
  std::string name = is_positional ? option.get_name(true, false) : option.get_name(false, true);
  for (std::size_t at = name.find(','); at != std::string::npos; at = name.find(',', at + 2)) {
    name.insert(at + 1, " ");
  }
  if (!is_positional && !option.get_type_name().empty()) name += " " + option.get_type_name();
  std::string what = cell(option.get_description());
  if (!option.get_needs().empty()) what += "; needs " + names_of(option.get_needs());
  if (!option.get_excludes().empty()) what += "; not with " + names_of(option.get_excludes());
  const std::string usual = option.get_required() ? "required" : code(option.get_default_str());
  return fmt::format("| {} | {} | {} |\n", code(name), what, usual);
}

std::string commands_table(const std::string& prefix,
                           const std::vector<const CLI::App*>& commands) {
  std::string text = "| command | what it does |\n|---|---|\n";
  for (const CLI::App* command : commands) {
    text += fmt::format("| {} | {} |\n", code(prefix + command->get_name()),
                        cell(command->get_description()));
  }
  return text;
}

}  // namespace

std::string option_table(const CLI::App& command) {
  const auto below =
      command.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
  if (!below.empty()) {
    const bool is_root = command.get_parent() == nullptr;
    return commands_table(is_root ? "" : command.get_name() + " ", below);
  }
  std::string text = "| option | what it does | default |\n|---|---|---|\n";
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) text += row_of(*option);
  }
  for (const std::string& group : command.get_groups()) {
    const auto options = command.get_options([&](const CLI::Option* each) {
      return each->get_group() == group && !group.empty() && !each->get_positional() &&
             each != command.get_help_ptr();
    });
    if (options.empty()) continue;
    if (group != "Options") text += fmt::format("| *{}* | | |\n", cell(group));
    for (const CLI::Option* option : options) text += row_of(*option);
  }
  return text;
}

}  // namespace cambium::cli
