// In which order the activations of a model stand: channels last where convolutions and pooling
// work on them, as their inner loops run over channels; everything else, and what comes from and
// goes to the caller, as the model says.
#pragma once

#include "lower/layout.h"
#include "model/model.h"

namespace cambium::compile {

lower::Layouts choose_layouts(const model::Model& model);

}  // namespace cambium::compile
