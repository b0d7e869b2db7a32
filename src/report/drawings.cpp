#include "report/drawings.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/process.h"
#include "report/files.h"
#include "report/summary.h"

namespace cambium::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kAtOnce = 50;  // starting Graphviz costs more than most drawings

std::string_view text_of(const store::Artifact& artifact) {
  return {reinterpret_cast<const char*>(artifact.bytes.data()), artifact.bytes.size()};
}

}  // namespace

void draw(std::span<const std::string> files) {
  ProcessRequest request;
  request.argv = {"dot", "-Tsvg", "-O"};
  request.argv.insert(request.argv.end(), files.begin(), files.end());
  request.limits.wall_seconds = files.size() > 1 ? 20 : 5;
  request.limits.memory_bytes = std::int64_t{2} << 30;
  const auto outcome = run_process(request);
  if (outcome.ok() && !outcome->succeeded() && files.size() > 1)
    for (const std::string& file : files) draw({&file, 1});  // one of them was at fault
}

Result<std::vector<bool>> write_drawings(store::StudyStore& study,
                                         std::span<const Fingerprint> candidates,
                                         const std::string& folder) {
  std::vector<std::string> sources;
  for (const Fingerprint candidate : candidates) {
    const std::string path = folder + "/" + short_name(candidate);
    CAMBIUM_TRY(const auto svg, study.artifact(candidate, "drawing.svg"));
    if (svg) {
      CAMBIUM_REQUIRE(write_unsynced(path + ".svg", text_of(*svg)));
      continue;
    }
    CAMBIUM_TRY(const auto dot, study.artifact(candidate, "drawing.dot"));
    if (!dot) continue;
    CAMBIUM_REQUIRE(write_unsynced(path + ".dot", text_of(*dot)));
    sources.push_back(path + ".dot");
  }
  const std::span<const std::string> all = sources;
  for (std::size_t i = 0; i < all.size(); i += kAtOnce)
    draw(all.subspan(i, std::min(kAtOnce, all.size() - i)));

  std::error_code error;
  for (const std::string& source : sources) {
    const std::string path = source.substr(0, source.size() - 4) + ".svg";
    if (fs::file_size(source + ".svg", error) > 0 && !error)
      fs::rename(source + ".svg", path, error);
    fs::remove(source + ".svg", error);
    fs::remove(source, error);
  }
  std::vector<bool> drawn;
  for (const Fingerprint candidate : candidates)
    drawn.push_back(fs::exists(folder + "/" + short_name(candidate) + ".svg", error));
  return drawn;
}

}  // namespace cambium::report
