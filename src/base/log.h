// Messages for people. They go to standard error, because standard output is data. Only cli sets
// the level, once.
#pragma once

#include <string_view>

#include "base/result.h"

namespace cambium {

enum class LogLevel { Debug, Info, Warning, Error, Off };

Result<LogLevel> parse_log_level(std::string_view text);  // debug, info, warning, error, off
void set_log_level(LogLevel level);                       // Info when nobody sets it

void log(LogLevel level, std::string_view message);
inline void log_debug(std::string_view message) {
  log(LogLevel::Debug, message);
}
inline void log_info(std::string_view message) {
  log(LogLevel::Info, message);
}
inline void log_warning(std::string_view message) {
  log(LogLevel::Warning, message);
}
inline void log_error(std::string_view message) {
  log(LogLevel::Error, message);
}

}  // namespace cambium
