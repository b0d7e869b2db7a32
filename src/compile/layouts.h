// Chooses the memory layout of activations: channels last for the inputs and outputs of
// convolutions and pooling, because their inner loops run over channels. All other values, and the
// inputs and outputs of the model, keep the model's layout.
#pragma once

#include "lower/layout.h"
#include "model/model.h"

namespace cambium::compile {

lower::Layouts choose_layouts(const model::Model& model);

}  // namespace cambium::compile
