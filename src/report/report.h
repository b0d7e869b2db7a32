// Report: a study as a static site that opens from disk, with plots, funnel, tables, and a page for
// each of the best candidates. Refuses Unavailable (built without Vega), Unwritable, and what the
// store refuses. Called by engine for `cambium report`.
#pragma once

#include <optional>
#include <string>

#include "base/fingerprint.h"
#include "base/result.h"
#include "report/selection.h"
#include "store/study_store.h"
#include "study/legality_count.h"

namespace cambium::report {

struct ReportOptions {
  std::string study;                   // path of the study in the commands on pages
  std::optional<Fingerprint> machine;  // whose latencies count; nothing: see study/census.h
  SelectionLimits limits;
  study::Goals goals;              // of the search; empty: accuracy over the first known cost
  Evaluators evaluators;           // that workers run
  study::LegalityByKind legality;  // nothing judged: pages do not mention it
};

// Writes DIR/index.html, DIR/c/<candidate>.html and the files that they need. It replaces the files
// of an earlier report and no others. The index is written last: without it the report is
// incomplete.
//
// Beside numbers, pages show the artifacts "drawing.svg" (or "drawing.dot", drawn by Graphviz if it
// is installed), "equation.txt" and "loops.txt" of candidates, and from the options of the head, a
// JSON object, "command": the arguments of the first search.
Status write_report(store::StudyStore& study, const std::string& folder,
                    const ReportOptions& options = {});

}  // namespace cambium::report
