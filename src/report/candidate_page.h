// The page of one candidate: its costs against the original, its drawing and texts, its training,
// how to export it and how to evaluate it again. Refuses nothing. Called by write_report.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/report.h"
#include "report/selection.h"
#include "report/summary.h"
#include "store/study.h"

namespace cambium::report {

struct CandidateDetails {
  store::StudyCandidate candidate;
  std::vector<store::Evaluation> evaluations;
  const std::vector<store::Evaluation>& of_original;
  std::string equation, loops;  // may be empty
  bool has_drawing = false;     // as a file beside the page
};

std::string candidate_page(const Summary& summary, const Selection& selection, std::size_t entry,
                           const CandidateDetails& details, const ReportOptions& options);

}  // namespace cambium::report
