#include "report/drawings.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/core.h>

#include "base/file.h"
#include "base/process.h"
#include "report/files.h"
#include "report/plain_svg.h"
#include "report/summary.h"

namespace cambium::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kAtOnce = 50;  // starting Graphviz costs more than most drawings
// For all drawings of a report: those of a study that somebody made may take for ever, and a report
// without them is one.
constexpr std::chrono::seconds kAllDrawings{60};

using Clock = std::chrono::steady_clock;

std::string_view text_of(const store::Artifact& artifact) {
  return {reinterpret_cast<const char*>(artifact.bytes.data()), artifact.bytes.size()};
}

// Of what Graphviz made of a file: the drawing, if it is nothing but one. A file of several graphs
// makes several.
void keep_plain(const std::string& file) {
  std::error_code error;
  const std::string drawing = file + ".svg";
  const auto text = read_file(drawing);
  if (!text.ok() || !is_plain_svg(*text)) fs::remove(drawing, error);
  for (int i = 2; fs::remove(fmt::format("{}.{}.svg", file, i), error); ++i) {
  }
}

void draw(std::span<const std::string> files, Clock::time_point until) {
  const double left = std::chrono::duration<double>(until - Clock::now()).count();
  if (left <= 0) return;
  ProcessRequest request;
  request.argv = {"dot", "-Tsvg", "-O"};
  request.argv.insert(request.argv.end(), files.begin(), files.end());
  request.limits.wall_seconds = std::min(left, files.size() > 1 ? 20.0 : 5.0);
  request.limits.memory_bytes = std::int64_t{2} << 30;
  const auto outcome = run_process(request);
  if (outcome.ok() && !outcome->succeeded() && files.size() > 1) {
    for (const std::string& file : files) draw({&file, 1}, until);  // one of them was at fault
    return;
  }
  for (const std::string& file : files) keep_plain(file);
}

}  // namespace

void draw(std::span<const std::string> files) {
  draw(files, Clock::now() + kAllDrawings);
}

Result<std::vector<bool>> write_drawings(store::StudyStore& study,
                                         std::span<const Fingerprint> candidates,
                                         const std::string& folder) {
  std::vector<std::string> sources;
  for (const Fingerprint candidate : candidates) {
    const std::string path = folder + "/" + study::long_id(candidate);
    CAMBIUM_TRY(const auto svg, study.artifact(candidate, "drawing.svg"));
    if (svg && is_plain_svg(text_of(*svg))) {
      CAMBIUM_REQUIRE(write_unsynced(path + ".svg", text_of(*svg)));
      continue;
    }
    CAMBIUM_TRY(const auto dot, study.artifact(candidate, "drawing.dot"));
    if (!dot) continue;
    CAMBIUM_REQUIRE(write_unsynced(path + ".dot", text_of(*dot)));
    sources.push_back(path + ".dot");
  }
  const std::span<const std::string> all = sources;
  const Clock::time_point until = Clock::now() + kAllDrawings;
  for (std::size_t i = 0; i < all.size(); i += kAtOnce)
    draw(all.subspan(i, std::min(kAtOnce, all.size() - i)), until);

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
    drawn.push_back(fs::exists(folder + "/" + study::long_id(candidate) + ".svg", error));
  return drawn;
}

}  // namespace cambium::report
