// Drawings of candidates as SVG files: as the study has them, or drawn by Graphviz. A candidate
// without a drawing has none, and so has one whose drawing Graphviz does not understand or is more
// than a drawing (plain_svg.h). Refuses Unwritable and what the store refuses.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/fingerprint.h"
#include "base/result.h"
#include "store/study_store.h"

namespace cambium::report {

// By Graphviz: each FILE.dot becomes FILE.dot.svg; what cannot be drawn, holds links or other
// things that are no drawing, or where `dot` is not installed, becomes nothing.
void draw(std::span<const std::string> files);

// Writes FOLDER/<candidate>.svg; which of the candidates have one then.
Result<std::vector<bool>> write_drawings(store::StudyStore& study,
                                         std::span<const Fingerprint> candidates,
                                         const std::string& folder);

}  // namespace cambium::report
