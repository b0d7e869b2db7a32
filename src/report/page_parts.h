// Parts that pages share: frame, commands to copy, what the study is of.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/report.h"
#include "report/summary.h"

namespace cambium::report {

// `root` leads from the page to the folder of the report: "" or "../".
std::string page_begin(std::string_view title, std::string_view root);
std::string page_end(const Summary& summary);

std::string command_block(std::string_view command);

// `cambium export STUDY CANDIDATE -o DIR`
std::string export_command(const ReportOptions& options, Fingerprint candidate);
// As the study's head tells it.
std::optional<std::string> search_command(const Summary& summary);

// Model, data, commits, machines, searches with their seeds, options.
std::string study_facts(const Summary& summary, const ReportOptions& options);

std::string machine_text(const Summary& summary, Fingerprint machine);  // "host (3fa9c012)"
std::string grouped(std::int64_t count);                                // 100,000

}  // namespace cambium::report
