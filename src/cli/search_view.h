// What `cambium search` shows: a few lines that redraw themselves (plain lines without a terminal),
// and at the end a table and a remark on the outcome.
#pragma once

#include <string>
#include <vector>

#include "cli/screen.h"
#include "engine/search/search.h"

namespace cambium::cli {

class SearchView {
 public:
  void show(const search::SearchProgress& now);

 private:
  Screen screen_;
  int plain_ = 0;  // lines printed so far without a terminal
};

// "exploring: 12 of 100 candidates, 3.4 evaluations per minute, 5 min 10 s left".
std::string summary_text(const search::SearchProgress& now);
// "best: 0f3a9c12, accuracy 91.0 % (original 92.0 %), latency ...": all values of one candidate.
std::string best_text(const search::SearchProgress& now);
std::string refusals_text(const search::SearchProgress& now);
// "cost 24 (20 refused), latency 4, accuracy 4 (1 pending)", then the stages of the finals.
std::string funnel_text(const search::SearchProgress& now);
std::vector<std::string> funnel_lines(const search::SearchProgress& now);  // as a table
// "; own time 0.4 % of evaluations"; empty if there were no evaluations.
std::string own_text(const search::SearchReport& report);

// The table of the original and the finalists; without finals, of the original and the front.
std::string report_text(const search::SearchReport& report, const engine::SearchSetup& setup,
                        std::size_t width);
// Without finals: which front the table shows. Otherwise empty.
std::string front_text(const search::SearchReport& report);
// The command that continues a search of the study. An empty name means its only search.
std::string resume_text(const std::string& study, const std::string& name);
// If no finalist is within the limits: says so and suggests what to do. Otherwise empty.
std::string without_winner(const search::SearchReport& report, const engine::SearchSetup& setup);

}  // namespace cambium::cli
