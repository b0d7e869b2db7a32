// Mapped weights: where the edits of a candidate say from which old weights the new ones start
// (model/weight_origin.h), the candidate begins with the same numbers as the original. A score that
// depends on random weights then compares the two networks, not two random draws. Refuses origins
// that do not fit the models: NotFound (a weight), ShapeMismatch (the number of elements),
// IndexOutOfRange and WrongType. Used by the evaluator `legality`.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "model/model.h"
#include "model/weight_origin.h"
#include "train/initialize.h"

namespace cambium::train {

// The scale of a mapped element, relative to the element that it starts from.
enum class MappedScale : std::uint8_t {
  // The scale of the candidate's own law relative to the original's: the element is drawn by the
  // candidate's law from the original's random number. So each
  // element has the distribution of a fresh draw. Elements of the same origin are equal: all slabs
  // of rows begin with equal weights.
  Law,
  // sqrt(old fan-in / new fan-in): the outputs keep their variance. For weights that were trained.
  FanIn,
  None,  // the same number
};
Result<MappedScale> mapped_scale_of(std::string_view name);  // "law", ...; refuses BadOption
std::string_view name_of(MappedScale scale);

// The candidate with fresh weights under the options, except for the elements with an origin: they
// start from the elements of `original`, which has been drawn under the same options. Other weights
// that both have are the same tensors, so they are filled once for both.
Result<model::Model> mapped_beginning(const model::Model& candidate, const Beginning& original,
                                      std::span<const model::WeightOrigin> origins,
                                      const InitializeOptions& options,
                                      MappedScale scale = MappedScale::Law);

}  // namespace cambium::train
