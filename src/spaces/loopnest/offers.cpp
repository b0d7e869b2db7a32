#include "spaces/loopnest/offers.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "spaces/loopnest/listing.h"

namespace cambium::spaces::loopnest {
namespace {

// Of the paper's sequences, those that it reports on and their neighbours, and what takes a move
// for each axis of space.
struct Sequence {
  const char* name;
  std::int64_t factor;  // the largest of its bottlenecks, slabs and groups
};
constexpr std::array kSequences = {Sequence{"slabs 2", 2},
                                   Sequence{"slabs 4", 4},
                                   Sequence{"peel 16 2", 2},
                                   Sequence{"peel 16 4", 4},
                                   Sequence{"halves 2 2", 2},
                                   Sequence{"halves 2 4", 4},
                                   Sequence{"halves 4 4", 4},
                                   Sequence{"halves 4 8", 8},
                                   Sequence{"spatial bottleneck 2", 2},
                                   Sequence{"spatial bottleneck 4", 4}};

// Whether options leave such documents out.
bool is_unwanted(const std::string& document, const LoopNestOptions& options) {
  return (!options.slabs && document.starts_with("split(loop: h")) ||
         (!options.rows && document.starts_with("bottleneck(loop: h"));
}

// So many of them, at equal distances.
std::vector<Listed> thinned(std::vector<Listed> all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<Listed> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * all.size() / most]);
  return some;
}

// So many of those that were not seen before. Functions of few moves first; of the last number of
// moves that counts, some.
std::vector<Listed> functions_of(Survey& survey, const Layer& layer, int steps, std::size_t most,
                                 const std::set<Fingerprint>& seen) {
  std::vector<Listed> found;
  std::size_t known = 0;  // with fewer moves
  for (int moves = 1; moves <= steps; ++moves) {
    Listing listing(survey, layer, moves);
    std::vector<Listed> all;
    while (auto listed = listing.next()) all.push_back(std::move(*listed));
    if (all.size() == known) break;
    std::vector<Listed> further(all.begin() + static_cast<std::ptrdiff_t>(known), all.end());
    known = all.size();
    std::erase_if(further,
                  [&](const Listed& each) { return seen.contains(each.variant->function); });
    const std::size_t left = most - found.size();
    const bool is_last = further.size() >= left;
    for (Listed& listed : thinned(std::move(further), left)) found.push_back(std::move(listed));
    if (is_last) break;
  }
  return found;
}

}  // namespace

std::optional<std::size_t> Offers::reader(std::size_t layer) {
  if (layers_[layer].sites.size() != 1) return std::nullopt;
  const Result<Followers>& followers = survey_.followers(layers_[layer].sites.front());
  if (!followers.ok()) return std::nullopt;
  const std::vector<std::size_t> readers = survey_.readers(*followers);
  if (readers.size() != 1) return std::nullopt;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (layers_[i].sites == readers) return i;
  }
  return std::nullopt;
}

const std::vector<OffersBySite::Option>& Offers::options_at(std::size_t site) {
  std::optional<std::vector<Option>>& here = all_.at(site);
  if (here) return *here;
  here.emplace();
  const Layer& layer = layers_[site];
  const Draft draft(survey_);
  const auto variants = draft.variants(layer);
  if (!variants.ok()) return *here;
  std::set<Fingerprint> seen;
  const auto offer = [&](const Variant& variant, const std::string& label) {
    if (variant.is_original() || !draft.fits(layer, variant)) return;
    if (!seen.insert(variant.function).second) return;
    const bool is_narrow = variant.narrowed > 1;
    if (is_narrow && !survey_.readers(*survey_.followers(layer.sites.front())).empty() &&
        !reader(site)) {
      return;
    }
    Draft alone(survey_);
    alone.choose(layer, variant);
    const auto plan = alone.plan();
    if (!plan.ok()) return;
    const std::string name = (*variants)->name_of(variant);
    here->push_back(
        {name.empty() ? label : name, plan->edits(), is_narrow && reader(site).has_value()});
  };
  const auto most = static_cast<std::size_t>(options_.most_options);
  for (const Sequence& sequence : kSequences) {
    if (sequence.factor > options_.most_factor || here->size() == most) continue;
    const auto variant = (*variants)->read(sequence.name);
    if (variant.ok() && !is_unwanted((*variant)->document, options_)) {
      offer(**variant, sequence.name);
    }
  }
  const std::size_t left = most - here->size();
  for (const Listed& listed : functions_of(survey_, layer, options_.list_steps, left, seen)) {
    offer(*listed.variant, listed.label);
  }
  return *here;
}

std::optional<std::size_t> Offers::linked_to(std::size_t site) {
  const std::vector<Option>& options = options_at(site);
  const auto is_linked = [](const Option& option) { return option.is_linked; };
  if (!std::any_of(options.begin(), options.end(), is_linked)) return std::nullopt;
  return reader(site);
}

Result<Edits> Offers::composed(const std::vector<std::int32_t>& choice) {
  std::map<std::size_t, std::string> documents;
  for (std::size_t layer = 0; layer < choice.size(); ++layer) {
    if (choice[layer] < 0) continue;
    const Option& option = options_at(layer).at(static_cast<std::size_t>(choice[layer]));
    // Sites that are tied may write one document in several ways.
    for (const Edit& edit : option.edits) {
      for (const std::string& name : edit.sites) {
        documents[*survey_.sites().find(name)] = edit.document;
      }
    }
  }
  CAMBIUM_TRY(const Plan plan, plan_of(survey_, documents));
  return plan.edits();
}

}  // namespace cambium::spaces::loopnest
