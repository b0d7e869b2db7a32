// The first page: the best results, plots, the Pareto front, the funnel, all candidates. Refuses
// nothing. Called by write_report.
#pragma once

#include <string>

#include "report/report.h"
#include "report/selection.h"
#include "report/summary.h"

namespace cambium::report {

std::string index_page(const Summary& summary, const Selection& selection,
                       const ReportOptions& options);

}  // namespace cambium::report
