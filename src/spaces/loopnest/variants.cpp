#include "spaces/loopnest/variants.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <type_traits>
#include <utility>

#include "base/text.h"
#include "lower/nest_form.h"
#include "model/composite.h"
#include "program/text.h"
#include "program/walk.h"
#include "schedule/recipe/catalogue.h"
#include "spaces/loopnest/graph.h"
#include "spaces/loopnest/nest.h"

namespace cambium::spaces::loopnest {
namespace {

using schedule::Document;
using schedule::Trace;

constexpr std::size_t kMostKept = 256;                    // ways, bodies
constexpr std::size_t kMostBytes = std::size_t{4} << 20;  // of programs

std::vector<const program::Buffer*> weights_of(const program::Program& program) {
  std::vector<const program::Buffer*> weights;
  for (const program::Buffer* buffer : program.parameters) {
    if (buffer->role == program::Role::Constant) weights.push_back(buffer);
  }
  return weights;
}

int neural_steps(const Trace& trace) {
  return static_cast<int>(std::count_if(trace.begin(), trace.end(), [](const auto& record) {
    return std::visit(
        [](const auto& step) { return std::is_constructible_v<schedule::Neural, decltype(step)>; },
        record.step);
  }));
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// 1, and the whole numbers from 2 on that a text has, each once.
std::vector<std::string> numbers_in(const std::string& text) {
  std::set<std::int64_t> found{1};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = is_digit(text[i]) && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '[');
    if (!begins) continue;
    std::size_t end = i;
    while (end < text.size() && is_digit(text[end])) ++end;
    const auto number = parse_int(text.substr(i, end - i), 2);
    if (number.ok()) found.insert(*number);
  }
  std::vector<std::string> numbers;
  for (const std::int64_t number : found) numbers.push_back(std::to_string(number));
  return numbers;
}

// In how many groups each of so many equal parts of the output channels is; of a part that is cut
// further, those of its first piece.
std::string groups_of_parts(const schedule::Function& function, std::size_t parts) {
  std::string text;
  for (std::size_t part = 0; part < parts; ++part) {
    const auto first =
        static_cast<std::int64_t>(part) * function.outs / static_cast<std::int64_t>(parts);
    std::int64_t groups = 1;
    for (const schedule::Piece& piece : function.pieces) {
      if (first < piece.first_out || first >= piece.first_out + piece.outs()) continue;
      for (const schedule::ChannelDigit& digit : piece.digits) {
        if (digit.out > 0 && digit.in > 0) groups *= digit.extent;
      }
    }
    text += " " + std::to_string(groups);
  }
  return text;
}

// What a document may be called by this row of the catalogue, given the numbers that it has.
std::vector<std::string> names_of(const schedule::CatalogueRow& row,
                                  const schedule::Function& function,
                                  const std::vector<std::string>& numbers) {
  const std::string_view words = row.numbers;
  const std::size_t wanted = words.empty() ? 0 : split(words, ' ').size();
  std::vector<std::string> names{row.name};
  for (std::size_t i = 0; i < wanted && wanted <= 2; ++i) {
    std::vector<std::string> longer;
    for (const std::string& name : names) {
      for (const std::string& number : numbers) longer.push_back(name + " " + number);
    }
    names = std::move(longer);
  }
  if (wanted > 2) names.clear();
  if (wanted > 1) names.push_back(row.name + groups_of_parts(function, wanted));
  return names;
}

}  // namespace

Result<std::unique_ptr<Variants>> Variants::make(Shape shape, schedule::MoveLimits limits) {
  std::unique_ptr<Variants> made(new Variants(std::move(shape), limits));
  CAMBIUM_TRY([[maybe_unused]] const Variant* original, made->of_trace({}));
  return made;
}

Status Variants::renew() {
  if (cx_ != nullptr && cx_->bytes() < kMostBytes) return Ok{};
  original_.reset();
  cx_ = std::make_unique<program::Context>();
  CAMBIUM_TRY(const Nest nest, nest_of(*cx_, shape_.conv, shape_.filter, shape_.input));
  CAMBIUM_TRY(original_, schedule::original_of(*cx_, nest.program, nest.block));
  return Ok{};
}

Result<Document> Variants::document_of(const Variant& variant) {
  CAMBIUM_REQUIRE(renew());
  return schedule::document_of(*cx_, *original_, variant.trace);
}

Result<const Variant*> Variants::of_trace(const Trace& trace) {
  CAMBIUM_REQUIRE(renew());
  CAMBIUM_TRY(schedule::Replayed replayed, schedule::replayed(*cx_, *original_, trace));
  if (const auto text = schedule::text_met_before(*original_, replayed)) {
    const auto known = all_.find(*text);
    if (known != all_.end()) return known->second.get();
  }
  CAMBIUM_TRY(Document document,
              schedule::document_of(*cx_, *original_, trace, std::move(replayed)));
  const auto known = all_.find(document.text);
  if (known != all_.end()) return known->second.get();
  auto variant = std::make_unique<Variant>();
  CAMBIUM_TRY(variant->trace, schedule::steps_of(document.text, original_->sizes));
  variant->function = document.identity;
  variant->narrowed = original_->function.outs / document.function.outs;
  variant->steps = neural_steps(variant->trace);
  variant->macs = document.macs;
  variant->parameters = document.weights;
  variant->document = document.text;
  return all_.emplace(std::move(document.text), std::move(variant)).first->second.get();
}

Result<const Variant*> Variants::read_new(const std::string& written) {
  CAMBIUM_REQUIRE(renew());
  CAMBIUM_TRY(const Trace trace, schedule::steps_of(written, original_->sizes));
  return of_trace(trace);
}

Result<const Variant*> Variants::read(const std::string& written) {
  if (const auto known = all_.find(written); known != all_.end()) return known->second.get();
  const auto [place, is_new] = read_.emplace(written, nullptr);
  if (is_new) {
    auto variant = read_new(written);
    if (variant.ok()) {
      place->second = *variant;
    } else {
      place->second = std::move(variant).rejection();
    }
  }
  if (const auto* refusal = std::get_if<Rejection>(&place->second)) return *refusal;
  return std::get<const Variant*>(place->second);
}

// ---- moves

const Variant* Variants::other_than(const Variant& variant, const Trace& trace) {
  const auto made = of_trace(trace);
  if (!made.ok() || (*made)->is_original()) return nullptr;
  return (*made)->function == variant.function ? nullptr : *made;
}

const std::vector<Way>& Variants::ways(const Variant& variant) {
  return known_ways(variant);
}

std::vector<Way>& Variants::known_ways(const Variant& variant) {
  if (ways_.size() >= kMostKept && !ways_.contains(&variant)) ways_.clear();
  const auto [place, is_new] = ways_.try_emplace(&variant);
  std::vector<Way>& ways = place->second;
  if (!is_new || !renew().ok()) return ways;
  auto walk = schedule::Walk::from(*cx_, *original_, variant.trace);
  if (!walk.ok()) return ways;
  for (schedule::Move& move : walk->moves(limits_)) {
    if (move.function == original_->identity) continue;
    ways.push_back(
        {std::move(move.kind), std::move(move.label), move.function, std::move(move.steps)});
  }
  return ways;
}

const Variant* Variants::behind(const Variant& variant, std::size_t way) {
  Way& one = known_ways(variant).at(way);
  if (one.to) return *one.to;
  Trace trace = variant.trace;
  trace.insert(trace.end(), one.steps.begin(), one.steps.end());
  one.to = other_than(variant, trace);
  one.steps = {};
  return *one.to;
}

const Variant* Variants::walk(const Variant& from, int moves, bool narrows_outputs, Rng& rng,
                              std::vector<schedule::Move>* trail) {
  if (!renew().ok()) return nullptr;
  auto walk = schedule::Walk::from(*cx_, *original_, from.trace);
  if (!walk.ok()) return nullptr;
  schedule::MoveLimits limits = limits_;
  limits.narrows_outputs = limits.narrows_outputs && narrows_outputs;
  for (int i = 0; i < moves; ++i) {
    auto move = walk->random(limits, rng);
    if (!move || !walk->take(*move).ok()) break;
    if (trail != nullptr) trail->push_back(std::move(*move));
  }
  const Trace document = walk->document();
  return other_than(from, document);
}

std::vector<const Variant*> Variants::shorter(const Variant& variant) {
  std::vector<const Variant*> found;
  for (std::size_t without = variant.trace.size(); without-- > 0;) {
    Trace trace = variant.trace;
    trace.erase(trace.begin() + static_cast<std::ptrdiff_t>(without));
    const auto made = of_trace(trace);
    if (!made.ok() || (*made)->function == variant.function) continue;
    if (std::find(found.begin(), found.end(), *made) == found.end()) found.push_back(*made);
  }
  return found;
}

// ---- what stands in the place

Result<std::shared_ptr<const Standing>> Variants::standing(const Variant& variant) {
  const auto known = standing_.find(&variant);
  if (known != standing_.end()) return known->second;
  CAMBIUM_TRY(const Document document, document_of(variant));
  CAMBIUM_TRY(model::Model body, body_of(*cx_, document.half.schedule.program()));
  const lower::NestForm form{shape_.conv, shape_.filter, variant.document};
  CAMBIUM_TRY(model::Composite composite,
              model::composite_of(std::string(lower::kNestSpace), lower::to_text(form), body));
  Standing standing{std::move(composite), {}};
  for (const auto* weight : weights_of(document.half.schedule.program())) {
    // Products that a weight takes part in for each output, about.
    const auto fan_in = static_cast<double>(weight->elements() / weight->dims[0]);
    standing.weights.push_back({model::Fill::Law::Normal, std::sqrt(2 / fan_in)});
  }
  if (standing_.size() >= kMostKept) standing_.clear();
  const auto made = std::make_shared<const Standing>(std::move(standing));
  return standing_.emplace(&variant, made).first->second;
}

Result<std::vector<schedule::WeightMap>> Variants::maps(const Variant& variant) {
  CAMBIUM_TRY(const Document document, document_of(variant));
  return schedule::weight_maps_of(*cx_, document.half, shape_.filter);
}

// ---- for people

const std::string& Variants::name_of(const Variant& variant) {
  const auto known = names_.find(&variant);
  if (known != names_.end()) return known->second;
  return names_.emplace(&variant, find_name(variant)).first->second;
}

std::string Variants::find_name(const Variant& variant) {
  const auto document = document_of(variant);
  if (!document.ok()) return {};
  const schedule::Function function = document->function;
  const std::vector<std::string> numbers = numbers_in(schedule::to_text(variant.trace));
  for (const schedule::CatalogueRow& row : schedule::catalogue()) {
    for (const std::string& name : names_of(row, function, numbers)) {
      const auto made = read(name);
      if (made.ok() && (*made)->function == variant.function) return name;
    }
  }
  return {};
}

std::string Variants::loops_of(const Variant& variant) {
  const auto document = document_of(variant);
  return document.ok() ? program::to_text(*cx_, document->half.schedule.program()) : "";
}

std::string Variants::sums_of(const Variant& variant) {
  std::vector<std::string> sums;
  const std::string loops = loops_of(variant);
  for (const std::string_view line : split(loops, '\n')) {
    if (line.find(" += ") != std::string_view::npos) sums.emplace_back(trim(line));
  }
  return join(sums, "\n");
}

}  // namespace cambium::spaces::loopnest
