// The options of a command as a Markdown table, or the commands below it. The pages of docs/
// contain these tables, so the program and its documentation cannot differ (a test of tests/cli).
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace cambium::cli {

std::string option_table(const CLI::App& command);

}  // namespace cambium::cli
