// Drawings of candidates as SVG files, from the study or by Graphviz. A candidate gets no file if
// it has no drawing, if Graphviz does not understand it, or if it holds more than a drawing
// (plain_svg.h). Refuses Unwritable and what the store refuses. Called by write_report and exports.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/fingerprint.h"
#include "base/result.h"
#include "store/study_store.h"

namespace cambium::report {

// Draws each FILE.dot as FILE.dot.svg with Graphviz. Writes nothing for a file that cannot be drawn
// or whose drawing is not plain, or if `dot` is not installed.
void draw(std::span<const std::string> files);

// Writes FOLDER/<candidate>.svg. Returns which of the candidates have one.
Result<std::vector<bool>> write_drawings(store::StudyStore& study,
                                         std::span<const Fingerprint> candidates,
                                         const std::string& folder);

}  // namespace cambium::report
