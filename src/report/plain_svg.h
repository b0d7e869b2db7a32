// Whether a drawing is only that. A study holds drawings that somebody made, and a browser runs
// what is in an SVG file that it opens.
#pragma once

#include <string_view>

namespace cambium::report {

// Shapes and texts as Graphviz draws them: no scripts, links, styles, pictures, or anything that
// stands elsewhere. What is not known to be harmless is not plain.
bool is_plain_svg(std::string_view text);

}  // namespace cambium::report
