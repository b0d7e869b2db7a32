// What a person sees of a search: a few lines that redraw themselves while it runs, plain ones
// where there is no terminal, and in the end a table and a word on what came of it. Used by
// `cambium search`.
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
  int plain_ = 0;  // lines so far, where there is no terminal
};

// "exploring: 12 of 100 candidates, 3.4 evaluations per minute, 5 min 10 s left".
std::string summary_text(const search::SearchProgress& now);
// "best: 0f3a9c12, accuracy 91.0 % (original 92.0 %), latency ...": all of one candidate.
std::string best_text(const search::SearchProgress& now);
std::string refusals_text(const search::SearchProgress& now);
// "cost 24 (20 refused), latency 4, accuracy 4 (1 pending)"; those of the finals behind.
std::string funnel_text(const search::SearchProgress& now);
std::vector<std::string> funnel_lines(const search::SearchProgress& now);  // as a table
// "; own time 0.4 % of evaluations"; empty where nothing was evaluated.
std::string own_text(const search::SearchReport& report);

// The original and the finalists.
std::string report_text(const search::SearchReport& report, const engine::SearchSetup& setup,
                        std::size_t width);
// The command that goes on with a search of the study; no name: its only one.
std::string resume_text(const std::string& study, const std::string& name);
// Where no finalist holds the limits: that, and what can be done; otherwise empty.
std::string without_winner(const search::SearchReport& report, const engine::SearchSetup& setup);

}  // namespace cambium::cli
