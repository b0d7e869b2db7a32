// Checks that a drawing is only a drawing. The drawings of a study come from outside, and a browser
// runs the scripts of an SVG file that it opens. Refuses nothing. Used by drawings and exports.
#pragma once

#include <string_view>

namespace cambium::report {

// Whether the text holds only shapes and texts as Graphviz draws them: no scripts, links, styles,
// pictures or references. Anything that is not known to be harmless is not plain.
bool is_plain_svg(std::string_view text);

}  // namespace cambium::report
