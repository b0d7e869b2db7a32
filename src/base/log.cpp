#include "base/log.h"

#include <string>
#include <vector>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "base/escape.h"
#include "base/text.h"

namespace cambium {
namespace {

const std::vector<std::string>& level_names() {
  static const std::vector<std::string> kNames = {"debug", "info", "warning", "error", "off"};
  return kNames;
}

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::Debug: return spdlog::level::debug;
    case LogLevel::Info: return spdlog::level::info;
    case LogLevel::Warning: return spdlog::level::warn;
    case LogLevel::Error: return spdlog::level::err;
    case LogLevel::Off: return spdlog::level::off;
  }
  return spdlog::level::off;
}

// Not spdlog's default logger: that one writes to standard output.
spdlog::logger& logger() {
  static spdlog::logger kLogger = [] {
    spdlog::logger made("cambium", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made.set_pattern("%^%l%$: %v");
    return made;
  }();
  return kLogger;
}

}  // namespace

Result<LogLevel> parse_log_level(std::string_view text) {
  for (std::size_t i = 0; i < level_names().size(); ++i) {
    if (text == level_names()[i]) return static_cast<LogLevel>(i);
  }
  return Rejection(Reason::BadOption, "log level " + quote(text),
                   "there are " + join(level_names(), ", "));
}

void set_log_level(LogLevel level) {
  logger().set_level(level_of(level));
}

void log(LogLevel level, std::string_view message) {
  // One line each: a newline in a name must not begin a line that looks like another message.
  const std::string shown = terminal_text(message);
  logger().log(level_of(level), spdlog::string_view_t(shown.data(), shown.size()));
}

}  // namespace cambium
