// Assets: the files that every report has beside its data: style, scripts and the plotting library.
// They are part of the program, so that it can make reports anywhere.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cambium::report {

extern const std::string_view kStyle;        // style.css
extern const std::string_view kPlots;        // plots.js
extern const std::string_view kTable;        // table.js
extern const std::string_view kIndexScript;  // index.js
extern const std::string_view kVega;         // vega.js; empty: built without Vega
extern const std::string_view kVegaLicense;

// Refuses Unavailable if `vega` is empty, and Unwritable.
Status write_assets(const std::string& folder, std::string_view vega = kVega);

}  // namespace cambium::report
