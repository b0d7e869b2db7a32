// The first page: what was found, plots, the funnel, all candidates.
#pragma once

#include <string>

#include "report/report.h"
#include "report/selection.h"
#include "report/summary.h"

namespace cambium::report {

std::string index_page(const Summary& summary, const Selection& selection,
                       const ReportOptions& options);

}  // namespace cambium::report
