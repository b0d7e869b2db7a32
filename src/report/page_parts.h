// Parts that pages share: frame, commands to copy, facts about the study. Refuses nothing.
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
// `cambium replay STUDY CANDIDATE`, with the device and threads of the search that found it.
std::string replay_command(const Summary& summary, const ReportOptions& options,
                           const Entry& candidate);
// The command that began the study, if its head has it.
std::optional<std::string> search_command(const Summary& summary);

// Model, data, commits, machines, and searches with their seeds; `with_options`, also the options.
std::string study_facts(const Summary& summary, const ReportOptions& options, bool with_options);

std::string machine_text(const Summary& summary, Fingerprint machine);  // "host (3fa9c012)"
std::string short_commit(std::string_view commit);                      // its first digits
std::string grouped(std::int64_t count);                                // 100,000

}  // namespace cambium::report
