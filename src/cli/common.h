// What the commands share: options that mean the same everywhere, exit codes, and how they speak.
// Standard output is data, standard error is talk.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "engine/files.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace cambium::cli {

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;    // the work failed
inline constexpr int kBadInput = 2;  // what was given cannot be worked on

// Says why in one line, and gives back kFailed or kBadInput.
int refuse(const Rejection& rejection);
// One line for people, on standard error. It shows what a terminal would obey (base/escape.h).
void say(std::string_view text);
void note(std::string_view text);  // "note: ..."
// Data, in lines that show what a terminal would obey; parts that hold line ends of others are
// escaped before. Gives back kFailed if it could not be written (a full disk).
int print(std::string_view text);
int print_document(const nlohmann::json& document);
// Another program takes this process over, so its streams and its exit code are ours. Gives back an
// exit code only if it cannot be started.
int become(const std::string& path, const std::vector<std::string>& arguments);
// Where this program is, and the others of ours beside it.
std::string own_folder();
// Of the terminal behind standard output; 0 when there is none.
std::size_t terminal_width();

// ---- options that several commands have
struct ModelOptions {
  std::string spec;
  std::vector<std::string> bind;
  std::uint64_t seed = 1;
};
void add_model_options(CLI::App& command, ModelOptions& options);  // MODEL and those below
void add_load_options(CLI::App& command, ModelOptions& options);   // --bind and --seed
// Loads, and says aloud what was assumed.
Result<engine::Loaded> load(const ModelOptions& options);

// Of this user, for what is measured once: $XDG_CACHE_HOME/cambium or ~/.cache/cambium.
std::string cache_folder();

int threads_of_this_machine();  // in engine::ranges::kThreads
CLI::Option* add_threads_option(CLI::App& command, int& threads);
CLI::Option* add_machine_option(CLI::App& command, std::string& machine);
CLI::Option* add_off_option(CLI::App& command, std::vector<std::string>& off);
// The tuning database: where results go, and where schedules come from. Without the option, this
// user's; commands that only read it do without where it is not there yet, or for `none`.
CLI::Option* add_db_option(CLI::App& command, std::string& db);
CLI::Option* add_schedules_option(CLI::App& command, std::string& db);

// "a=1" pairs; refuses BadOption, naming the option.
Result<std::map<std::string, std::int64_t>> parse_binds(const std::vector<std::string>& pairs);

}  // namespace cambium::cli
