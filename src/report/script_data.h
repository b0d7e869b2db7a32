// The data of a report as scripts, because a page on disk may not load JSON. Refuses Unwritable.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "report/selection.h"
#include "report/summary.h"
#include "store/study.h"

namespace cambium::report {

struct TrainingCurve {
  std::size_t entry = 0;
  double fidelity = 0;
  std::uint64_t seed = 0;
  std::vector<store::CurvePoint> points;
};

// The curve of the highest fidelity, and of its first seed.
std::optional<TrainingCurve> best_curve(std::span<const store::Evaluation> evaluations);

// [x, value, loss] for each point.
nlohmann::json points_of(std::span<const store::CurvePoint> points);

// The data of the plots of the index page.
std::string study_script(const Summary& summary, const Selection& selection,
                         std::span<const TrainingCurve> curves, std::size_t row_parts);

// Writes the table of all candidates in parts FOLDER/rows-<n>.js. Returns the number of parts.
Result<std::size_t> write_rows(const std::string& folder, const Summary& summary,
                               const Selection& selection);

}  // namespace cambium::report
