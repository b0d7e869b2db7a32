#include "engine/search/synth_space.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "engine/documents.h"
#include "model/cost.h"
#include "model/fingerprint.h"
#include "model/target.h"
#include "search/strategy.h"

namespace cambium::engine {
namespace {

using Clock = std::chrono::steady_clock;

std::string title_of(const std::vector<spaces::Description>& about) {
  std::vector<std::string> titles;
  for (const spaces::Description& each : about) titles.push_back(each.title);
  return join(titles, "; ");
}

Result<ProposedEdits> applied(spaces::Space& space, const model::Model& base,
                              spaces::Candidate candidate) {
  CAMBIUM_TRY(const model::Model model, spaces::apply(base, candidate, {&space}));
  const model::Cost cost = model::cost_of(model);
  ProposedEdits out;
  out.title = title_of(spaces::describe(base, candidate, {&space}));
  out.identity = spaces::identity_of(candidate);
  out.macs = cost.macs;
  out.parameters = cost.params;
  out.candidate = std::move(candidate);
  return out;
}

// As a search with this strategy proposes them.
Result<ProposeSummary> propose(const std::string& strategy, spaces::Space& space,
                               const model::Model& base, const ProposeOptions& options,
                               const ProposeUse& use) {
  const auto start = Clock::now();
  search::StrategyOptions how;
  how.name = strategy;
  how.seed = options.seed;
  how.settings = {{"by-meaning", "yes"}};
  CAMBIUM_TRY(const auto proposer, search::make_strategy(how, model::structure_of(base), {&space}));
  ProposeSummary summary;
  for (search::Ticket ticket = 0; summary.proposed < options.count; ++ticket) {
    auto proposal = proposer->propose(ticket);
    if (!proposal) {
      summary.is_all = true;
      break;
    }
    auto made = applied(space, base, std::move(proposal->candidate));
    if (!made.ok()) {
      ++summary.illegal;
      continue;
    }
    ++summary.proposed;
    if (!use(*made)) break;
  }
  summary.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (summary.proposed > 0) return summary;
  return Rejection(Reason::NoSamples, "the space '" + std::string(space.name()) + "'",
                   "edit of this model");
}

// Costs before and after by place: an edited site, or another node whose costs differ, because it
// reads what a site before it leaves.
class CostsByPlace {
 public:
  explicit CostsByPlace(const spaces::Candidate& candidate) {
    for (const spaces::Edit& edit : candidate.edits) {
      edited_.insert(edit.sites.begin(), edit.sites.end());
    }
  }

  // First the model before.
  void add(const model::Model& model, const model::Cost& cost, bool is_before) {
    for (std::size_t i = 0; i < model.nodes().size(); ++i) {
      EditedSite& row = rows_[row_of(model, *model.nodes()[i], is_before)];
      (is_before ? row.macs_before : row.macs) += cost.nodes[i].macs;
      (is_before ? row.parameters_before : row.parameters) += cost.nodes[i].params;
    }
  }

  // In the order in which they were met.
  std::vector<EditedSite> rows() && {
    const auto is_untouched = [](const EditedSite& row) {
      return !row.is_edited && row.macs == row.macs_before &&
             row.parameters == row.parameters_before;
    };
    rows_.erase(std::remove_if(rows_.begin(), rows_.end(), is_untouched), rows_.end());
    return std::move(rows_);
  }

 private:
  // Its site, or itself. Only nodes that an edit added may begin with the name of its site.
  std::string place_of(const model::Model& model, const model::Node& node, bool is_before) const {
    if (edited_.count(node.name) > 0) return node.name;
    if (node.block != model::kNoBlock && edited_.count(model.blocks()[node.block].name) > 0) {
      return model.blocks()[node.block].name;
    }
    if (is_before) return node.name;
    const auto site = std::find_if(edited_.begin(), edited_.end(), [&](const std::string& name) {
      return node.name.starts_with(name + ".");
    });
    return site != edited_.end() ? *site : node.name;
  }

  std::size_t row_of(const model::Model& model, const model::Node& node, bool is_before) {
    const auto known = by_node_.find(node.name);
    if (known != by_node_.end()) return known->second;
    const std::string place = place_of(model, node, is_before);
    const auto [at, is_new] = by_place_.emplace(place, rows_.size());
    if (is_new) rows_.push_back({place, edited_.count(place) > 0, 0, 0, 0, 0});
    by_node_.emplace(node.name, at->second);
    return at->second;
  }

  std::set<std::string> edited_;
  std::map<std::string, std::size_t> by_place_, by_node_;  // to rows
  std::vector<EditedSite> rows_;
};

// Why the documents of the candidate do not stand at a target. What was written counts where the
// space reads it as a document: its numbers may have become others at other sites.
std::string why_unedited(const Spaces& spaces, const model::Model& base,
                         const spaces::Candidate& candidate, const std::string& written,
                         const std::string& site) {
  std::string why;
  for (const spaces::Edit& edit : candidate.edits) {
    const spaces::Space* const space = spaces::space_named(edit.space, pointers(spaces));
    if (space == nullptr) continue;
    const bool is_document = space->check(base, {edit.space, edit.sites, written}).ok();
    const auto alone =
        space->check(base, {edit.space, {site}, is_document ? written : edit.document});
    if (alone.ok() && alone->document.empty()) return "it stays as it is";
    if (alone.ok()) return "it can be edited, but not together with the others";
    why = alone.rejection().message();
  }
  return why;
}

Result<std::vector<UneditedSite>> unedited_sites(const Spaces& spaces, const model::Model& base,
                                                 const spaces::Candidate& candidate,
                                                 const std::string& written,
                                                 const std::string& targets) {
  std::set<std::string> edited;
  for (const spaces::Edit& edit : candidate.edits) {
    edited.insert(edit.sites.begin(), edit.sites.end());
  }
  CAMBIUM_TRY(const auto selected, model::select(base, targets));
  std::vector<UneditedSite> all;
  for (const model::Target& target : selected) {
    for (const model::Site& site : target.sites) {
      if (edited.count(site.name) > 0) continue;
      all.push_back({site.name, why_unedited(spaces, base, candidate, written, site.name)});
    }
  }
  return all;
}

// The text of a file, or what was given instead of one.
Result<std::string> file_or_text(const std::string& what) {
  auto file = read_file(what);
  if (!file.ok() && file.rejection().reason() == Reason::NotFound) return what;
  return file;
}

nlohmann::json json_of_edits(const ProposedEdits& edits) {
  return {{"candidate", spaces::json_of(edits.candidate)},
          {"identity", edits.identity.text()},
          {"title", edits.title},
          {"macs", edits.macs},
          {"parameters", edits.parameters}};
}

}  // namespace

Result<ProposeSummary> sample_edits(spaces::Space& space, const model::Model& base,
                                    const ProposeOptions& options, const ProposeUse& use) {
  return propose("random", space, base, options, use);
}

Result<ProposeSummary> list_edits(spaces::Space& space, const model::Model& base,
                                  const ProposeOptions& options, const ProposeUse& use) {
  return propose("enumerate", space, base, options, use);
}

Result<std::uint64_t> count_edits(spaces::Space& space, const model::Model& base,
                                  std::uint64_t most) {
  search::StrategyOptions how;
  how.name = "enumerate";
  how.settings = {{"by-meaning", "yes"}};
  CAMBIUM_TRY(const auto proposer, search::make_strategy(how, model::structure_of(base), {&space}));
  std::uint64_t count = 0;
  while (proposer->propose(static_cast<search::Ticket>(count))) {
    if (++count <= most) continue;
    const auto limit = static_cast<std::int64_t>(most);
    return Rejection(Reason::TooLarge, "the space", {}, limit + 1, limit);
  }
  return count;
}

Result<EditReport> explain_edits(const Spaces& spaces, const model::Model& base,
                                 const std::string& what, const std::string& targets) {
  CAMBIUM_TRY(const std::string written, file_or_text(what));
  CAMBIUM_TRY(spaces::Candidate candidate, candidate_of(spaces, base, written));
  const std::vector<spaces::Space*> all = pointers(spaces);
  CAMBIUM_TRY(const model::Model model, spaces::apply(base, candidate, all));
  const model::Cost before = model::cost_of(base), after = model::cost_of(model);
  EditReport report;
  report.about = spaces::describe(base, candidate, all);
  report.macs_before = before.macs;
  report.parameters_before = before.params;
  CostsByPlace costs(candidate);
  costs.add(base, before, true);
  costs.add(model, after, false);
  report.sites = std::move(costs).rows();
  if (!targets.empty()) {
    CAMBIUM_TRY(report.unedited, unedited_sites(spaces, base, candidate, written, targets));
  }
  report.edits = {std::move(candidate), {}, title_of(report.about), after.macs, after.params};
  report.edits.identity = spaces::identity_of(report.edits.candidate);
  return report;
}

nlohmann::json to_json(const std::vector<ProposedEdits>& proposals, const ProposeSummary& summary) {
  nlohmann::json out = document("edits", 1);
  out["proposals"] = nlohmann::json::array();
  for (const ProposedEdits& each : proposals) out["proposals"].push_back(json_of_edits(each));
  out["summary"] = {{"proposed", summary.proposed},
                    {"illegal", summary.illegal},
                    {"all", summary.is_all},
                    {"seconds", summary.seconds}};
  return out;
}

nlohmann::json count_json(std::uint64_t proposals) {
  nlohmann::json out = document("edits", 1);
  out["count"] = proposals;
  return out;
}

nlohmann::json to_json(const EditReport& report) {
  nlohmann::json out = document("edits", 1);
  out["proposals"] = {json_of_edits(report.edits)};
  out["about"] = nlohmann::json::array();
  for (const spaces::Description& each : report.about) {
    out["about"].push_back({{"title", each.title},
                            {"equation", each.equation},
                            {"loops", each.loops},
                            {"drawing", each.drawing}});
  }
  out["sites"] = nlohmann::json::array();
  for (const EditedSite& site : report.sites) {
    out["sites"].push_back({{"site", site.site},
                            {"edited", site.is_edited},
                            {"macs_before", site.macs_before},
                            {"macs", site.macs},
                            {"parameters_before", site.parameters_before},
                            {"parameters", site.parameters}});
  }
  out["unedited"] = nlohmann::json::array();
  for (const UneditedSite& each : report.unedited) {
    out["unedited"].push_back({{"site", each.site}, {"why", each.why}});
  }
  out["before"] = {{"macs", report.macs_before}, {"parameters", report.parameters_before}};
  return out;
}

}  // namespace cambium::engine
