// A study as a static site that opens from disk: plots, funnel, tables, a page for each candidate
// that is worth one. Reads and sorts, computes nothing. Refuses Unavailable (built without Vega),
// Unwritable, and what the store refuses. Called by engine for `cambium report`.
#pragma once

#include <optional>
#include <string>

#include "base/fingerprint.h"
#include "base/result.h"
#include "report/selection.h"
#include "store/study_store.h"

namespace cambium::report {

struct ReportOptions {
  std::string study;                   // its path, as commands on the pages name it
  std::optional<Fingerprint> machine;  // whose latencies count; nothing: where most were measured
  SelectionLimits limits;
};

// Writes DIR/index.html, DIR/c/<candidate>.html and what they need. What an earlier report left
// there is replaced, other files stay. The index is written last: while it is not there, the report
// is not complete.
//
// What pages show beside numbers: artifacts "drawing.svg" (or "drawing.dot", drawn by Graphviz
// where `dot` is installed), "equation.txt" and "loops.txt" of candidates, and of the head's
// options, which are a JSON object, "command": the arguments that the search was started with.
Status write_report(store::StudyStore& study, const std::string& folder,
                    const ReportOptions& options = {});

}  // namespace cambium::report
