// The page of one candidate: what it is, what it costs against the original, how it trained, how to
// have it.
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
  bool has_drawing = false;     // beside the page, under its name
};

std::string candidate_page(const Summary& summary, const Selection& selection, std::size_t entry,
                           const CandidateDetails& details, const ReportOptions& options);

}  // namespace cambium::report
