#include "model/recognize/apart.h"

#include <algorithm>
#include <utility>

namespace cambium::model {

namespace {

constexpr std::int64_t kSeveral = 127;

// Whether samples lie where they lay, in every value that is computed in another way.
bool same_axes(const Recognized& recognized, const BatchAxes& before, const BatchAxes& after) {
  if (before.fixed) return true;  // runs with its own batch only
  if (after.fixed) return false;
  return std::all_of(recognized.moved.begin(), recognized.moved.end(), [&](const auto& moved) {
    return before.axis[moved.first.node.index] == after.axis[moved.second.node.index];
  });
}

}  // namespace

RecognizedApart recognize_apart(const Model& model) {
  RecognizedApart out{{model, {}, {}}, batch_axes_of(model)};
  if (out.axes.batch == 1 && !out.axes.fixed) {
    auto several = with_batch(model, out.axes, kSeveral);
    if (several.ok()) {
      out.recognized.model = std::move(several).value();
      out.axes.batch = kSeveral;
    }
  }
  Recognized recognized = recognize(out.recognized.model);
  BatchAxes axes = batch_axes_of(recognized.model);
  if (!same_axes(recognized, out.axes, axes)) return out;
  axes.fixed = out.axes.fixed;
  return {std::move(recognized), std::move(axes)};
}

}  // namespace cambium::model
