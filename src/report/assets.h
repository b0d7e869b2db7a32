// The files that every report holds beside its data: style, scripts and the plotting library. They
// are part of the program, so that a report can be made wherever the program runs.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cambium::report {

extern const std::string_view kStyle;        // style.css
extern const std::string_view kPlots;        // plots.js
extern const std::string_view kTable;        // table.js
extern const std::string_view kIndexScript;  // index.js
extern const std::string_view kVega;         // vega.js; empty where the build did not find Vega
extern const std::string_view kVegaLicense;

// Refuses Unavailable where `vega` is empty, and Unwritable.
Status write_assets(const std::string& folder, std::string_view vega = kVega);

}  // namespace cambium::report
