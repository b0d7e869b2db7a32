// The study as scripts: a page from disk may load no JSON, but scripts it may. Refuses Unwritable.
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

// The curve of the highest fidelity; of several seeds the first.
std::optional<TrainingCurve> best_curve(std::span<const store::Evaluation> evaluations);

// [x, value, loss] a point.
nlohmann::json points_of(std::span<const store::CurvePoint> points);

// What the plots of the index page show.
std::string study_script(const Summary& summary, const Selection& selection,
                         std::span<const TrainingCurve> curves, std::size_t row_parts);

// The table of all candidates, in parts FOLDER/rows-<n>.js; how many.
Result<std::size_t> write_rows(const std::string& folder, const Summary& summary,
                               const Selection& selection);

}  // namespace cambium::report
