#include "report/assets.h"

#include <utility>

#include "report/files.h"

namespace cambium::report {

Status write_assets(const std::string& folder, std::string_view vega) {
  if (vega.empty()) {
    return Rejection{Reason::Unavailable, "a report",
                     "its plots need Vega, which was not there when the program was built; install "
                     "the package libjs-vega and build again"};
  }
  const std::pair<const char*, std::string_view> files[] = {
      {"style.css", kStyle},      {"plots.js", kPlots}, {"table.js", kTable},
      {"index.js", kIndexScript}, {"vega.js", vega},    {"vega.LICENSE.txt", kVegaLicense}};
  for (const auto& [name, text] : files)
    CAMBIUM_REQUIRE(write_unsynced(folder + "/assets/" + name, text));
  return Ok{};
}

}  // namespace cambium::report
