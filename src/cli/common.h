// What the commands share: options that mean the same everywhere, exit codes, and output. Standard
// output carries data; standard error carries notes, progress and refusals.
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
inline constexpr int kBadInput = 2;  // the input is bad

// Prints the refusal in one line. Returns kFailed or kBadInput.
int refuse(const Rejection& rejection);
// Prints one line on standard error. Control characters become visible (base/escape.h).
void say(std::string_view text);
void note(std::string_view text);  // "note: ..."
// Prints data, with control characters made visible. Callers escape line ends in foreign texts.
// Returns kFailed if standard output cannot be written (a full disk).
int print(std::string_view text);
int print_document(const nlohmann::json& document);
// Replaces this process by another program, which keeps the streams and sets the exit code. Returns
// an exit code only if that program cannot be started.
int become(const std::string& path, const std::vector<std::string>& arguments);
// The folder of this program and of its companion programs.
std::string own_folder();
// The width of the terminal behind standard output; 0 if there is no terminal.
std::size_t terminal_width();

// ---- options that several commands have
inline constexpr const char* kModelHelp =
    "model: zoo:NAME (`cambium zoo list` shows the names), FILE.onnx or FILE.cambium";
inline constexpr const char* kImageSets =
    "fashion-mnist, mnist:DIR, cifar10:DIR, cifar100:DIR, images:DIR";
inline constexpr const char* kTrainingSets =
    "data set: fashion-mnist, mnist:DIR, cifar10:DIR, cifar100:DIR, images:DIR or text:FILE";
inline constexpr const char* kAllCores =
    "all cores";  // the default number of threads, as the help shows it

struct ModelOptions {
  std::string spec;
  std::vector<std::string> bind;
  std::uint64_t seed = 1;
};
void add_model_options(CLI::App& command, ModelOptions& options);  // MODEL, --bind and --seed
void add_load_options(CLI::App& command, ModelOptions& options);   // --bind and --seed
// Loads the model and prints a note for each assumption.
Result<engine::Loaded> load(const ModelOptions& options);

// The folder for results that are measured once per user: $XDG_CACHE_HOME/cambium or
// ~/.cache/cambium.
std::string cache_folder();

int threads_of_this_machine();  // within engine::ranges::kThreads
CLI::Option* add_threads_option(CLI::App& command, int& threads);
CLI::Option* add_machine_option(CLI::App& command, std::string& machine);
CLI::Option* add_off_option(CLI::App& command, std::vector<std::string>& off);
// --db of commands that write the tuning database, and of commands that only read schedules from
// it. The default is the database of this user. Readers work without a database if it does not
// exist or if the value is `none`.
CLI::Option* add_db_option(CLI::App& command, std::string& db);
CLI::Option* add_schedules_option(CLI::App& command, std::string& db);

// Parses "a=1" pairs. Refuses BadOption, naming the option.
Result<std::map<std::string, std::int64_t>> parse_binds(const std::vector<std::string>& pairs);

}  // namespace cambium::cli
