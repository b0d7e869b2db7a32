#include "report/report.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "report/assets.h"
#include "report/candidate_page.h"
#include "report/drawings.h"
#include "report/files.h"
#include "report/index_page.h"
#include "report/script_data.h"

namespace cambium::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCurves = 12;  // on the index page, beside the original's

Status make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return Rejection{Reason::Unwritable, path, error.message()};
  return Ok{};
}

// Of an earlier report: pages of candidates that are no longer among the best, and rows of a study
// that had more. Everything else in the folder is not ours.
Status remove_stale(const std::string& folder) {
  const auto is_ours = [](const std::string& name) {
    const std::string stem = name.substr(0, name.find('.'));
    return stem.size() == 16 && stem.find_first_not_of("0123456789abcdef") == std::string::npos;
  };
  std::error_code error;
  fs::remove(folder + "/index.html", error);
  for (const auto& file : fs::directory_iterator(folder + "/c", error))
    if (is_ours(file.path().filename().string())) fs::remove(file.path(), error);
  for (const auto& file : fs::directory_iterator(folder + "/data", error))
    if (file.path().filename().string().starts_with("rows-")) fs::remove(file.path(), error);
  if (error) return Rejection{Reason::Unwritable, folder, error.message()};
  return Ok{};
}

Result<std::string> text_artifact(store::StudyStore& study, Fingerprint candidate,
                                  const std::string& name) {
  CAMBIUM_TRY(const auto artifact, study.artifact(candidate, name));
  if (!artifact) return std::string();
  return std::string(reinterpret_cast<const char*>(artifact->bytes.data()), artifact->bytes.size());
}

struct Site {
  store::StudyStore& study;
  const std::string& folder;
  const ReportOptions& options;
  const Summary& summary;
  const Selection& selection;
  std::vector<store::Evaluation> of_original;
  std::vector<TrainingCurve> curves;  // of the index page
};

Status write_candidate(Site& site, std::size_t index, bool has_drawing) {
  const Fingerprint identity = site.summary.entries[index].identity;
  CAMBIUM_TRY(const auto candidate, site.study.candidate(identity));
  if (!candidate) return Rejection{Reason::NoSuchCandidate, identity.text(), site.options.study};
  CandidateDetails details{*candidate, {}, site.of_original, {}, {}, has_drawing};
  CAMBIUM_TRY(details.evaluations, site.study.evaluations(identity));
  CAMBIUM_TRY(details.equation, text_artifact(site.study, identity, "equation.txt"));
  CAMBIUM_TRY(details.loops, text_artifact(site.study, identity, "loops.txt"));
  const auto& front = site.selection.front;
  const bool on_front = std::find(front.begin(), front.end(), index) != front.end();
  if (index == site.summary.original || (on_front && site.curves.size() <= kCurves)) {
    if (auto curve = best_curve(details.evaluations)) {
      curve->entry = index;
      site.curves.push_back(std::move(*curve));
    }
  }
  return write_unsynced(site.folder + "/c/" + study::long_id(identity) + ".html",
                        candidate_page(site.summary, site.selection, index, details, site.options));
}

Status write_pages(Site& site) {
  if (site.summary.original) {
    CAMBIUM_TRY(site.of_original,
                site.study.evaluations(site.summary.entries[*site.summary.original].identity));
  }
  std::vector<Fingerprint> shown;
  for (const std::size_t index : site.selection.pages)
    shown.push_back(site.summary.entries[index].identity);
  CAMBIUM_TRY(const std::vector<bool> drawn, write_drawings(site.study, shown, site.folder + "/c"));
  for (std::size_t i = 0; i < shown.size(); ++i)
    CAMBIUM_REQUIRE(write_candidate(site, site.selection.pages[i], drawn[i]));
  return Ok{};
}

}  // namespace

Status write_report(store::StudyStore& study, const std::string& folder,
                    const ReportOptions& options) {
  for (const char* part : {"", "/assets", "/c", "/data"})
    CAMBIUM_REQUIRE(make_folder(folder + part));
  CAMBIUM_REQUIRE(write_assets(folder));
  CAMBIUM_REQUIRE(remove_stale(folder));

  CAMBIUM_TRY(const Summary summary,
              read_summary(study, {options.machine, options.goals, options.evaluators}));
  std::vector<const study::Scores*> scores;
  for (const Entry& entry : summary.entries) {
    scores.push_back(entry.takes_part ? &entry.scores : nullptr);
  }
  const Selection selection = select(summary, study::front_objectives(options.goals, scores),
                                     options.limits, options.goals.limits);
  Site site{study, folder, options, summary, selection, {}, {}};
  CAMBIUM_REQUIRE(write_pages(site));
  // The last one is drawn over the others.
  std::reverse(site.curves.begin(), site.curves.end());
  CAMBIUM_TRY(const std::size_t parts, write_rows(folder + "/data", summary, selection));
  CAMBIUM_REQUIRE(write_unsynced(folder + "/data/study.js",
                                 study_script(summary, selection, site.curves, parts)));
  return write_file(folder + "/index.html", index_page(summary, selection, options));
}

}  // namespace cambium::report
