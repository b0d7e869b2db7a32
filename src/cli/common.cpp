#include "cli/common.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/json.h"
#include "base/machine.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/within.h"
#include "engine/native.h"
#include "engine/ranges.h"

namespace cambium::cli {

namespace {

// Whether the machine or the build is at fault, not the input.
bool is_failure(Reason reason) {
  switch (reason) {
    case Reason::Unwritable:
    case Reason::Unavailable:
    case Reason::Unstartable:
    case Reason::NotEnoughMemory:
    case Reason::CodegenFailed:
    case Reason::LinkerMissing:
    case Reason::LinkFailed:
    case Reason::RunnerMissing:
    case Reason::RunnerFailed:
    case Reason::DatabaseFailed:
    case Reason::WorkerDied:
    case Reason::WrongResult: return true;
    default: return false;
  }
}

}  // namespace

void say(std::string_view text) {
  constexpr std::size_t kLongest = 4000;  // names from files may have any length
  fmt::print(stderr, "{}\n", shortened(terminal_text(text), kLongest));
}

int refuse(const Rejection& rejection) {
  say("cambium: " + rejection.message());
  return is_failure(rejection.reason()) ? kFailed : kBadInput;
}

void note(std::string_view text) {
  say(fmt::format("note: {}", text));
}

int print(std::string_view raw) {
  const std::string text = terminal_lines(raw);
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written) return kDone;
  return refuse(Rejection(Reason::Unwritable, "standard output", "the device is full or closed"));
}

std::string own_folder() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path().string();
}

int print_document(const nlohmann::json& document) {
  return print(pretty_json_text(document) + "\n");
}

int become(const std::string& path, const std::vector<std::string>& arguments) {
  std::vector<char*> argv = {const_cast<char*>(path.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(path.c_str(), argv.data());
  return refuse(Rejection(Reason::Unstartable, path, std::strerror(errno)));
}

std::size_t terminal_width() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) != 1 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

void add_model_options(CLI::App& command, ModelOptions& options) {
  command.add_option("MODEL", options.spec, kModelHelp)->required()->type_name("");
  add_load_options(command, options);
}

void add_load_options(CLI::App& command, ModelOptions& options) {
  command
      .add_option("--bind", options.bind,
                  "value of a free size of the model; may be repeated. Models of the zoo have "
                  "batch, classes, image, length and width_divisor")
      ->type_name("NAME=N")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--seed", options.seed, "random seed of the weights of a zoo model")
      ->type_name("N")
      ->capture_default_str();
}

Result<engine::Loaded> load(const ModelOptions& options) {
  engine::LoadOptions loading;
  CAMBIUM_TRY(loading.bind, parse_binds(options.bind));
  loading.seed = options.seed;
  auto loaded = engine::load_model(options.spec, loading);
  if (loaded.ok()) {
    for (const std::string& text : loaded->notes) note(text);
  }
  return loaded;
}

std::string cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::string(cache) + "/cambium";
  const char* home = std::getenv("HOME");
  return std::string(home != nullptr ? home : "") + "/.cache/cambium";
}

int threads_of_this_machine() {
  const std::int64_t threads = std::thread::hardware_concurrency();
  return static_cast<int>(std::clamp<std::int64_t>(threads, engine::ranges::kThreads.low,
                                                   engine::ranges::kThreads.high));
}

CLI::Option* add_threads_option(CLI::App& command, int& threads) {
  threads = threads_of_this_machine();
  return command.add_option("--threads", threads, "number of threads")
      ->type_name("N")
      ->check(within(engine::ranges::kThreads))
      ->default_str(kAllCores);
}

CLI::Option* add_machine_option(CLI::App& command, std::string& machine) {
  return command
      .add_option("--machine", machine, "machine to compile for: " + join(machine_names(), ", "))
      ->type_name("NAME")
      ->capture_default_str();
}

CLI::Option* add_off_option(CLI::App& command, std::vector<std::string>& off) {
  return command
      .add_option(
          "--off", off,
          "pass over the model to leave out; may be repeated: " + join(engine::pass_names(), ", "))
      ->type_name("PASS")
      ->delimiter(',')
      ->allow_extra_args(false);
}

CLI::Option* add_db_option(CLI::App& command, std::string& db) {
  db = cache_folder() + "/tuning.db";
  return command.add_option("--db", db, "tuning database")
      ->type_name("FILE")
      ->capture_default_str();
}

CLI::Option* add_schedules_option(CLI::App& command, std::string& db) {
  const std::string usual = cache_folder() + "/tuning.db";
  std::error_code error;
  db = std::filesystem::exists(usual, error) ? usual : "";
  return command
      .add_option_function<std::string>(
          "--db", [&db](const std::string& path) { db = path == "none" ? "" : path; },
          "tuning database to read schedules from; none: use the default schedules")
      ->type_name("FILE")
      ->default_str(usual);
}

Result<std::map<std::string, std::int64_t>> parse_binds(const std::vector<std::string>& pairs) {
  std::map<std::string, std::int64_t> binds;
  for (const std::string& pair : pairs) {
    const std::size_t equals = pair.rfind('=');
    if (equals == std::string::npos || equals == 0) {
      return Rejection(Reason::BadOption, "--bind " + quote(pair), "write NAME=N");
    }
    auto value = parse_int(std::string_view(pair).substr(equals + 1), 1);
    if (!value.ok()) return std::move(value).rejection().at("--bind " + pair.substr(0, equals));
    if (!binds.emplace(pair.substr(0, equals), *value).second) {
      return Rejection(Reason::BadOption, "--bind " + quote(pair), "this name is bound twice");
    }
  }
  return binds;
}

}  // namespace cambium::cli
