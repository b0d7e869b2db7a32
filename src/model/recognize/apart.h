// Recognition that keeps the samples of a batch apart, for graphs that are run with other batches
// than their own: by training, and as PyTorch source. A graph for one sample leaves open which of
// its axes of extent 1 is the batch, and recognition drops those: it sees a graph for so many
// samples that no other axis is taken for theirs. Where it would mix samples, or lay them along
// other axes, everything stays as it was written. Refuses nothing.
#pragma once

#include "model/batch_axes.h"
#include "model/recognize/recognize.h"

namespace cambium::model {

struct RecognizedApart {
  Recognized recognized;  // its model may have another batch than the given one
  BatchAxes axes;         // of that model
};

RecognizedApart recognize_apart(const Model& model);

}  // namespace cambium::model
