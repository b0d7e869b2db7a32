#include "spaces/coordinate/search/space.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "model/recognize/pass.h"
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/kinds.h"
#include "spaces/coordinate/search/describe.h"
#include "spaces/coordinate/search/least_costs.h"
#include "spaces/coordinate/search/rewrite.h"
#include "spaces/places/neighbours.h"

namespace cambium::spaces::coordinate {

namespace {

std::string too_small(const Place& place, const SpaceOptions& options) {
  for (const std::int64_t channels : place.channels) {
    if (channels < options.least_channels) {
      return "it has " + std::to_string(channels) + " channels, fewer than " +
             std::to_string(options.least_channels);
    }
  }
  for (const std::int64_t extent : place.extents) {
    if (extent < options.least_extent) {
      return "an axis of it is " + std::to_string(extent) + " long, less than " +
             std::to_string(options.least_extent);
    }
  }
  return {};
}

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

Status check_options(const SpaceOptions& options) {
  if (options.least_macs > options.most_macs) {
    return Rejection(Reason::BadOption, "least_macs", "above most_macs: excludes every operator");
  }
  for (const CoefficientOption& one : options.coefficients) {
    if (one.value < 1) return Rejection(Reason::BadOption, one.name, "must be positive");
  }
  return Ok{};
}

}  // namespace

Result<std::unique_ptr<CoordinateSpace>> CoordinateSpace::make(
    const model::Model& base, const std::vector<model::Target>& targets, SpaceOptions options) {
  CAMBIUM_REQUIRE(check_options(options));
  std::unique_ptr<CoordinateSpace> space(new CoordinateSpace(base, std::move(options)));
  CAMBIUM_REQUIRE(space->add_places(base, targets));
  CAMBIUM_REQUIRE(space->check_activations());
  for (const Family& family : space->families_) {
    CAMBIUM_TRY(auto synthesis, space->synthesis_of(family));
    space->sampling_.push_back({std::move(synthesis), nullptr, nullptr});
  }
  space->surroundings_.resize(space->families_.size());
  space->restart();
  return space;
}

Status CoordinateSpace::add_places(const model::Model& base,
                                   const std::vector<model::Target>& targets) {
  std::map<std::string, std::vector<Place>> by_shapes;
  std::set<model::NodeId> rewritten;
  for (const model::Target& target : targets) {
    for (const model::Site& site : target.sites) {
      MaybePlace found = spaces::place_of(base, target, site);
      auto* place = std::get_if<Place>(&found);
      const std::string why =
          place == nullptr ? std::get<NoPlace>(found).why : too_small(*place, options_);
      if (!why.empty()) {
        left_out_.emplace_back(site.name, why);
        continue;
      }
      rewritten.insert(site.nodes.begin(), site.nodes.end());
      by_shapes[place->shapes.in + place->shapes.out].push_back(std::move(*place));
    }
  }
  for (auto& [shapes, places] : by_shapes) {
    std::sort(places.begin(), places.end(),
              [](const Place& a, const Place& b) { return a.output < b.output; });
    const Values values = clipped(options_.coefficients, places);
    CAMBIUM_TRY(Family family, family_of(std::move(places), values));
    UnorderedAxes unordered = unordered_axes(base, rewritten, family.places);
    family.problem.unordered_input = std::move(unordered.input);
    family.problem.unordered_output = std::move(unordered.output);
    families_.push_back(std::move(family));
  }
  if (!families_.empty()) return Ok{};
  const std::string why =
      left_out_.empty() ? "there is no target" : left_out_[0].first + ": " + left_out_[0].second;
  return Rejection(Reason::NoProposal, std::string(kSpaceName), "no place is left; " + why);
}

// A limit that nothing can keep is told at once: searches would draw without end.
Status CoordinateSpace::check_activations() {
  if (std::isinf(options_.most_activations)) return Ok{};
  const auto is_in_vain = [&](const Family& family) {
    return activations_around(base_activations(), family.places) >
           options_.most_activations * base_activations();
  };
  if (!std::all_of(families_.begin(), families_.end(), is_in_vain)) return Ok{};
  return Rejection(Reason::NoProposal, std::string(kSpaceName),
                   "the layers that stay make more activations than the limit allows");
}

Result<std::unique_ptr<synthesis::Space>> CoordinateSpace::synthesis_of(
    const Family& family) const {
  return synthesis::Space::make(family.problem, limits_for(family, options_), options_.rules);
}

std::string_view CoordinateSpace::name() const {
  return kSpaceName;
}

// ---- edits

Result<CoordinateSpace::Reading> CoordinateSpace::read(std::vector<Place> places,
                                                       const std::string& text) const {
  CAMBIUM_TRY(const EditDocument document, read_edit_document(text));
  CAMBIUM_TRY(const DocumentShapes shapes, document_shapes(document.op));
  if (std::all_of(places.begin(), places.end(), [&](const Place& place) {
        return !place.pool.empty() && without_blanks(place.unpooled.in) == shapes.input;
      })) {
    for (Place& place : places) place = without_pool(std::move(place));
  }
  // Coefficients without a value have those of the search, where the places take part in it.
  const PlaceShapes& first = places.front().shapes;
  const auto known = std::find_if(families_.begin(), families_.end(), [&](const Family& family) {
    return family.places.front().shapes.out == first.out;
  });
  Values values = known == families_.end() ? clipped(options_.coefficients, places) : known->values;
  std::erase_if(values, [&](const auto& value) { return first.is_size(value.first); });
  for (const auto& [name, value] : document.values) values[name] = value;
  CAMBIUM_TRY(Family family, family_of(std::move(places), values));
  CAMBIUM_TRY(Operator op, parse(family.problem, document.op));
  return Reading{std::move(family), std::move(op)};
}

Result<CoordinateSpace::Reading> CoordinateSpace::read(const model::Model& model,
                                                       const Edit& edit) const {
  CAMBIUM_TRY(std::vector<Place> places, places_named(model, edit.sites));
  return read(std::move(places), edit.document);
}

Edit CoordinateSpace::edit_of(const Family& family, const Operator& op) const {
  Edit edit{std::string(kSpaceName), {}, edit_document(family.problem, op, family.values)};
  for (const Place& place : family.places) edit.sites.push_back(place.name);
  return edit;
}

Edit CoordinateSpace::edit_of(const Reading& reading) const {
  return edit_of(reading.family, reading.op);
}

Result<Edit> CoordinateSpace::edit_of(const Family& family, const std::string& document) const {
  CAMBIUM_TRY(const Reading reading, read(family.places, document));
  return edit_of(reading);
}

Result<Edit> CoordinateSpace::check(const model::Model& model, const Edit& edit) const {
  CAMBIUM_TRY(const Reading reading, read(model, edit));
  return edit_of(reading);
}

Result<model::Model> CoordinateSpace::apply(const model::Model& model, const Edit& edit) const {
  CAMBIUM_TRY(const Reading reading, read(model, edit));
  return rewritten(model, reading.family, reading.op, edit_of(reading).document);
}

Description CoordinateSpace::describe(const model::Model& model, const Edit& edit) const {
  auto reading = read(model, edit);
  if (!reading.ok()) return {reading.rejection().message(), {}, {}, {}};
  return description_of(reading->family, reading->op);
}

std::optional<CoordinateSpace::Proposed> CoordinateSpace::proposed(const Edit& edit) const {
  const auto is_at = [&](const Family& family) {
    return std::equal(
        family.places.begin(), family.places.end(), edit.sites.begin(), edit.sites.end(),
        [](const Place& place, const std::string& site) { return place.name == site; });
  };
  const auto family = std::find_if(families_.begin(), families_.end(), is_at);
  const auto document = read_edit_document(edit.document);
  if (family == families_.end() || !document.ok()) return std::nullopt;
  const auto shapes = document_shapes(document->op);
  if (!shapes.ok() || shapes->input != without_blanks(family->places.front().shapes.in)) {
    return std::nullopt;
  }
  for (const auto& [name, value] : document->values) {
    const auto known = family->values.find(name);
    if (known == family->values.end() || known->second != value) return std::nullopt;
  }
  auto op = parse(family->problem, document->op);
  if (!op.ok()) return std::nullopt;
  return Proposed{static_cast<std::size_t>(family - families_.begin()), std::move(*op)};
}

double CoordinateSpace::base_activations() const {
  if (!base_activations_) {
    base_activations_ = static_cast<double>(model::pass_of(base_).activation_bytes);
  }
  return *base_activations_;
}

const Surroundings& CoordinateSpace::surroundings(std::size_t family) const {
  std::optional<Surroundings>& known = surroundings_[family];
  if (!known) {
    const std::vector<Place>& places = families_[family].places;
    const auto around = surroundings_of(base_, places, base_activations());
    // Bounds too, if lower ones.
    known = around.ok()
                ? *around
                : Surroundings{.activations = activations_around(base_activations(), places)};
  }
  return *known;
}

Costs CoordinateSpace::cost_bound(const Edits& edits, const Costs& limits) const {
  if (edits.size() != 1) return {};
  const auto asked = proposed(edits.front());
  if (!asked) return {};
  return least_costs(surroundings(asked->family), families_[asked->family], asked->op, limits);
}

// ---- facets

Drawing& CoordinateSpace::drawing(std::size_t family) {
  Sampling& sampling = sampling_[family];
  if (sampling.drawing == nullptr) {
    sampling.drawing =
        std::make_unique<Drawing>(*sampling.space, least_mixed(families_[family], options_));
  }
  return *sampling.drawing;
}

bool CoordinateSpace::is_light(std::size_t number, const Operator& op) const {
  if (std::isinf(options_.most_activations)) return true;
  const Family& family = families_[number];
  const double most = options_.most_activations * base_activations();
  // As whoever reads the edit will see it: recognition depends on the order in which things stand.
  const auto as_read = parse(family.problem, to_text(family.problem, op));
  if (!as_read.ok()) return false;
  const Costs limits{.activations = most};
  const Costs least = least_costs(surroundings(number), family, *as_read, limits);
  return least.activations && !exceeds(least, limits);
}

Wanted CoordinateSpace::wanted(std::size_t number) const {
  return {[this, number](const Operator& op) {
            return is_within_budgets(families_[number], options_, op);
          },
          [this, number](const Operator& op) { return is_light(number, op); }};
}

EditTree* CoordinateSpace::tree() {
  if (tree_ != nullptr) return tree_.get();
  std::vector<EditTree::Branch> branches;
  for (std::size_t i = 0; i < families_.size(); ++i) {
    const Family& family = families_[i];
    branches.push_back({family.places.front().shapes.in + " -> " + family.places.front().shapes.out,
                        [this, i]() -> Drawing& { return drawing(i); }, wanted(i),
                        [this, &family](const Operator& op) { return edit_of(family, op); }});
  }
  tree_ = std::make_unique<EditTree>(std::move(branches));
  return tree_.get();
}

Result<Edits> CoordinateSpace::sample(std::uint64_t seed) {
  const Rng rng(seed);
  // Families by the number of their places.
  std::size_t places = 0;
  for (const Family& family : families_) places += family.places.size();
  std::uint64_t at = rng.split("family").below(places);
  std::size_t chosen = 0;
  while (at >= families_[chosen].places.size()) at -= families_[chosen++].places.size();
  const Family& family = families_[chosen];
  Drawing& draws = drawing(chosen);
  const Wanted here = wanted(chosen);
  const Rng walks = rng.split("walks"), most = rng.split("most");
  for (int i = 0; i < options_.patience; ++i) {
    const auto op = draws.walk(walks.split(static_cast<std::uint64_t>(i)), most, here);
    if (op) return Edits{edit_of(family, *op)};
  }
  return Rejection(Reason::NoProposal, std::string(kSpaceName),
                   "no operator within the budgets and the limit on activations in " +
                       std::to_string(options_.patience) + " walks from " +
                       family.places.front().shapes.out + " to " + family.places.front().shapes.in);
}

Result<Edits> CoordinateSpace::edits_of(const std::string& written) const {
  const std::string document = catalogue_document(written).value_or(written);
  Edits edits;
  std::optional<Rejection> first;
  for (const Family& family : families_) {
    auto edit = edit_of(family, document);
    if (edit.ok()) {
      edits.push_back(std::move(edit).value());
    } else if (!first) {
      first = edit.rejection();
    }
  }
  if (edits.empty()) return *first;
  return edits;
}

void CoordinateSpace::restart() {
  enumeration_ = {};
}

std::optional<Fingerprint> CoordinateSpace::meaning_of(std::size_t family, const Operator& op) {
  std::unique_ptr<SemanticHasher>& hasher = sampling_[family].hasher;
  if (hasher == nullptr) hasher = std::make_unique<SemanticHasher>(families_[family].problem);
  const auto semantic = hasher->fingerprint(op);
  return semantic.ok() ? std::optional(*semantic) : std::nullopt;
}

std::optional<Fingerprint> CoordinateSpace::meaning(const Edit& edit) {
  const auto asked = proposed(edit);
  return asked ? meaning_of(asked->family, asked->op) : std::nullopt;
}

std::optional<Edits> CoordinateSpace::next() {
  Enumeration& now = enumeration_;
  for (; now.family < families_.size(); ++now.family) {
    const Family& family = families_[now.family];
    if (now.listing == nullptr) {
      now.listing = std::make_unique<Listing>(synthesis_of(family).value());
      now.seen.clear();
    }
    while (const auto op = now.listing->next()) {
      if (!is_within_budgets(family, options_, *op)) continue;
      const auto semantic = meaning_of(now.family, *op);
      const Fingerprint known = semantic ? *semantic : identity(family.problem, *op);
      if (!now.seen.insert(known).second || !is_light(now.family, *op)) continue;
      return Edits{edit_of(family, *op)};
    }
    now.listing.reset();
  }
  return std::nullopt;
}

SpaceKind coordinate_kind() {
  return {kSpaceName,
          "operators made of equations of coordinates (docs/spaces/coordinate.md)",
          "conv:k=3,groups=1",
          [] {
            SpaceOptions standard;
            return settings_of(standard).list();
          },
          [](const model::Model& base, const std::vector<model::Target>& targets,
             const SettingList& options) -> Result<std::unique_ptr<Space>> {
            SpaceOptions made;
            CAMBIUM_REQUIRE(settings_of(made).read(options));
            CAMBIUM_TRY(std::unique_ptr<CoordinateSpace> space,
                        CoordinateSpace::make(base, targets, std::move(made)));
            return std::unique_ptr<Space>(std::move(space));
          },
          primitives_in};
}

}  // namespace cambium::spaces::coordinate
