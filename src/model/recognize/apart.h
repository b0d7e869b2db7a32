// Recognition that keeps the samples of a batch apart, for graphs that run with other batch sizes:
// in training and as PyTorch source. A graph for one sample does not show which of its axes of
// extent 1 is the batch, and recognition drops such axes. Recognition therefore sees a graph for so
// many samples that no other axis has the same extent. If recognition would mix samples, or move
// them to other axes, the model stays as written. Refuses nothing.
#pragma once

#include "model/batch_axes.h"
#include "model/recognize/recognize.h"

namespace cambium::model {

struct RecognizedApart {
  Recognized recognized;  // its model may have another batch size than the given one
  BatchAxes axes;         // of that model
};

RecognizedApart recognize_apart(const Model& model);

}  // namespace cambium::model
