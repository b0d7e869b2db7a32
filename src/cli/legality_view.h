// The table that `cambium search` and `cambium study list` print where candidates were judged by
// their Fisher Potential: which kinds of steps are refused.
#pragma once

#include <cstddef>
#include <string>

#include "engine/search/legality_kinds.h"

namespace cambium::cli {

// Empty if nothing was judged.
std::string legality_text(const engine::LegalityByKind& found, std::size_t width);

}  // namespace cambium::cli
