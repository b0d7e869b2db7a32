#include "train/mapped_weights.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/builder.h"
#include "model/operators.h"
#include "model/tensor.h"

namespace cambium::train {
namespace {

using model::Fill;
using model::Tensor;
using model::WeightOrigin;

constexpr std::array<std::pair<std::string_view, MappedScale>, 3> kScales{{
    {"law", MappedScale::Law},
    {"fan-in", MappedScale::FanIn},
    {"none", MappedScale::None},
}};

using WeightsByName = std::map<std::string, const model::Node*>;

WeightsByName weights_of(const model::Model& model) {
  WeightsByName weights;
  for (const model::NodePtr& node : model.nodes()) {
    if (node->as<model::Weight>() != nullptr) weights.emplace(node->name, node.get());
  }
  return weights;
}

// Of a law that is random: constants have none.
double deviation_of(const Fill& fill) {
  switch (fill.law) {
    case Fill::Law::Normal: return fill.scale;
    case Fill::Law::Uniform: return fill.scale / std::sqrt(3.0);
    case Fill::Law::Constant: break;
  }
  return 0;
}

// Weights that are not drawn keep their size, and so do constants.
double factor_of(const DrawnLaw* law, const DrawnLaw* old, MappedScale scale) {
  if (law == nullptr || old == nullptr || scale == MappedScale::None) return 1;
  const double own = deviation_of(law->fill), of_old = deviation_of(old->fill);
  if (own == 0 || of_old == 0) return 1;
  return scale == MappedScale::Law ? own / of_old : std::sqrt(old->fan_in / law->fan_in);
}

const DrawnLaw* law_of(const Beginning& beginning, const std::string& weight) {
  const auto law = beginning.laws.find(weight);
  return law == beginning.laws.end() ? nullptr : &law->second;
}

Result<const model::Node*> weight_named(const WeightsByName& weights, const std::string& name,
                                        const char* whose) {
  const auto weight = weights.find(name);
  if (weight != weights.end()) return weight->second;
  return Rejection(Reason::NotFound, fmt::format("weight '{}' of the {}", name, whose));
}

Result<Tensor> mapped(const Tensor& fresh, const Tensor& old, const WeightOrigin& origin,
                      double factor) {
  if (fresh.dtype() != DType::F32 || old.dtype() != DType::F32) {
    return Rejection(Reason::WrongType, "the weight",
                     fmt::format("it is {} and starts from {}; only f32 starts from f32",
                                 fresh.type().text(), old.type().text()));
  }
  if (static_cast<std::int64_t>(origin.elements.size()) != fresh.elements()) {
    return Rejection(Reason::ShapeMismatch, "the weight",
                     fmt::format("it is {}, but {} of its elements have an origin",
                                 fresh.type().text(), origin.elements.size()));
  }
  const std::span<const float> from = old.as<float>();
  const auto count = static_cast<std::int64_t>(from.size());
  std::vector<std::byte> bytes(static_cast<std::size_t>(fresh.type().bytes()));
  auto* const out = reinterpret_cast<float*>(bytes.data());
  bool keeps_some = false;
  for (std::size_t i = 0; i < origin.elements.size(); ++i) {
    const std::int64_t element = origin.elements[i];
    if (element >= count) return Rejection(Reason::IndexOutOfRange, element, 0, count);
    keeps_some = keeps_some || element < 0;
    if (element < 0) continue;
    out[i] = static_cast<float>(factor * from[static_cast<std::size_t>(element)]);
  }
  if (keeps_some) {
    const std::span<const float> drawn = fresh.as<float>();
    for (std::size_t i = 0; i < origin.elements.size(); ++i) {
      if (origin.elements[i] < 0) out[i] = drawn[i];
    }
  }
  return Tensor(fresh.type(), std::move(bytes));
}

// By the rule where one is kept: comparing elements would fill them.
bool is_same_draw(const Tensor& a, const Tensor& b) {
  if (a.type() != b.type() || a.fill().has_value() != b.fill().has_value()) return false;
  return a.fill() ? a.fill() == b.fill() : a.fingerprint() == b.fingerprint();
}

}  // namespace

Result<MappedScale> mapped_scale_of(std::string_view name) {
  std::string names;
  for (const auto& [known, scale] : kScales) {
    if (known == name) return scale;
    names += names.empty() ? "" : ", ";
    names += known;
  }
  return Rejection(Reason::BadOption, "scale of mapped weights",
                   fmt::format("unknown '{}'; expected one of {}", name, names));
}

std::string_view name_of(MappedScale scale) {
  return kScales[static_cast<std::size_t>(scale)].first;
}

Result<model::Model> mapped_beginning(const model::Model& candidate, const Beginning& original,
                                      std::span<const WeightOrigin> origins,
                                      const InitializeOptions& options, MappedScale scale) {
  const Beginning fresh = beginning_of(candidate, options);
  const WeightsByName own = weights_of(fresh.model), old = weights_of(original.model);
  model::Builder builder(fresh.model);
  for (const auto& [name, node] : own) {
    const auto same = old.find(name);
    if (same == old.end()) continue;
    const Tensor& drawn = same->second->as<model::Weight>()->value;
    if (is_same_draw(node->as<model::Weight>()->value, drawn)) builder.set_weight(node->id, drawn);
  }
  for (const WeightOrigin& origin : origins) {
    const std::string place = fmt::format("weight '{}'", origin.weight);
    CAMBIUM_TRY(const model::Node* weight, weight_named(own, origin.weight, "candidate"));
    CAMBIUM_TRY(const model::Node* from, weight_named(old, origin.from, "original").at(place));
    const double factor =
        factor_of(law_of(fresh, origin.weight), law_of(original, origin.from), scale);
    CAMBIUM_TRY(Tensor tensor, mapped(weight->as<model::Weight>()->value,
                                      from->as<model::Weight>()->value, origin, factor)
                                   .at(place));
    builder.set_weight(weight->id, std::move(tensor));
  }
  return std::move(builder).finish();
}

}  // namespace cambium::train
