// The tables of options in docs/ are what the program prints with --help-markdown, and those of
// settings are what spaces, strategies and recipes list. Pages hold them between
// `<!-- options: COMMAND -->` or `<!-- settings: space NAME -->` (strategy NAME, recipe) and
// `<!-- end -->`; CAMBIUM_UPDATE_GOLDEN=1 writes them.
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/settings.h"
#include "base/text.h"
#include "cli_testing.h"
#include "engine/search/space_list.h"
#include "search/strategy.h"
#include "train/recipe_settings.h"

namespace cambium::tests {
namespace {

constexpr std::string_view kEnd = "<!-- end -->";

// A table by its name; nothing: it stays as it is.
using Tables = std::function<std::optional<std::string>(const std::string&)>;

// With a home folder of any user; nothing if this build lacks the command.
std::optional<std::string> table_of(const std::string& command) {
  ProcessRequest request{{"env", "-u", "XDG_CACHE_HOME", "HOME=~", CAMBIUM_PROGRAM}, "", {}};
  for (const std::string_view word : split(command, ' ')) {
    if (!word.empty()) request.argv.emplace_back(word);
  }
  request.argv.emplace_back("--help-markdown");
  const auto outcome = run_process(request);
  EXPECT_TRUE(outcome.ok());
  return outcome->succeeded() ? std::optional(outcome->output) : std::nullopt;
}

// All commands that have options of their own, such as "zoo list".
void add_commands(const std::string& prefix, std::set<std::string>& all) {
  const std::string table = table_of(prefix).value_or("");
  if (table.find("| command |") != 0) {
    all.insert(prefix);
    return;
  }
  for (const std::string_view line : split(table, '\n')) {
    if (line.rfind("| `", 0) != 0) continue;
    const std::string command(line.substr(3, line.find('`', 3) - 3));
    // A benchmark has its own options; a build without libtorch has no `train`.
    if (command == "bench" || (command == "train" && !require_feature("torch").ok())) continue;
    add_commands(command, all);
  }
}

// Compares the tables in all pages that begin with `<!-- KIND: NAME -->`. Returns how often it met
// each name.
std::map<std::string, int> compare_tables(std::string_view kind, const Tables& table_named) {
  std::map<std::string, int> documented;
  const std::string begin = fmt::format("<!-- {}: ", kind);
  for (const auto& entry : fs::recursive_directory_iterator(CAMBIUM_SOURCE_DIR "/docs")) {
    if (entry.path().extension() != ".md") continue;
    const std::string old = read_file(entry.path().string()).value();
    std::string page;
    std::size_t done = 0;
    for (std::size_t at = old.find(begin); at != std::string::npos; at = old.find(begin, done)) {
      const std::size_t name = at + begin.size();
      const std::size_t end = old.find(kEnd, name);
      if (end == std::string::npos) {
        ADD_FAILURE() << entry.path() << ": a table of " << kind << " without an end";
        return documented;
      }
      const std::string named = old.substr(name, old.find(" -->", name) - name);
      ++documented[named];
      const auto table = table_named(named);
      const std::size_t text = old.find('\n', name) + 1;
      page += old.substr(done, text - done) + (table ? *table : old.substr(text, end - text));
      done = end;
    }
    page += old.substr(done);
    if (std::getenv("CAMBIUM_UPDATE_GOLDEN") != nullptr && page != old) {
      EXPECT_TRUE(write_file(entry.path().string(), page).ok());
      continue;
    }
    EXPECT_EQ(old, page) << "run with CAMBIUM_UPDATE_GOLDEN=1 and review the difference";
  }
  return documented;
}

TEST_F(Cli, TablesOfOptionsInThePagesAreWhatTheProgramPrints) {
  std::map<std::string, int> documented = compare_tables("options", table_of);
  std::set<std::string> commands;
  add_commands("", commands);
  EXPECT_GT(commands.size(), 20u);
  for (const std::string& command : commands) {
    EXPECT_EQ(documented[command], 1) << "'" << command << "' has one table of options in docs/";
  }
}

std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' || c == '*' ? std::string("\\") + c : std::string(1, c);
  return out;
}

std::string table_of_settings(const std::vector<SettingInfo>& settings) {
  std::string text = "| setting | what it does | values | default |\n|---|---|---|---|\n";
  for (const SettingInfo& one : settings) {
    EXPECT_FALSE(one.meaning.empty()) << one.name;
    text += fmt::format("| `{}` | {} | {} | `{}` |\n", one.name, cell(one.meaning),
                        cell(one.values), one.standard);
  }
  return text;
}

TEST_F(Cli, TablesOfSettingsInThePagesAreThoseOfTheProgram) {
  std::map<std::string, std::string> tables;
  for (const spaces::SpaceKind& kind : engine::space_kinds()) {
    tables["space " + std::string(kind.name)] = table_of_settings(kind.options());
  }
  std::vector<std::string> strategies = search::strategy_names();
  strategies.emplace_back("bandit");
  for (const std::string& name : strategies) {
    tables["strategy " + name] = table_of_settings(search::strategy_settings(name));
  }
  tables["recipe"] = table_of_settings(train::recipe_settings());
  std::map<std::string, int> documented =
      compare_tables("settings", [&](const std::string& name) -> std::optional<std::string> {
        EXPECT_EQ(tables.count(name), 1u) << "there is no " << name;
        return tables.count(name) == 1 ? std::optional(tables[name]) : std::nullopt;
      });
  for (const auto& [name, table] : tables) {
    EXPECT_EQ(documented[name], 1) << "the " << name << " has one table of settings in docs/";
  }
}

}  // namespace
}  // namespace cambium::tests
