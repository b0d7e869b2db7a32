// The layers and networks of NAS-PTE with the numbers that follow from the paper and its release,
// which `cambium bench loopnest` compares with its own.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "lower/layout.h"
#include "model/model.h"

namespace cambium::bench {

inline constexpr const char* kOriginal = "";
inline constexpr const char *kTwoGroups = "group 2", *kPaperHalves = "halves 2 4",
                            *kPaperPeel = "peel 16 2", *kPaperSlabs = "slabs 2";

// The convolutions of ResNet-18 for ImageNet, numbered as in TVM's benchmarks; ResNet-34 has the
// same. The paper's figure 6 shows eleven of the twelve, most likely all but C1.
struct PaperLayer {
  const char* name;
  std::int64_t in, side, out, kernel, stride, pad;
  // 0: the document does not fit the layer.
  std::int64_t macs, weights, group_macs, halves_macs, peel_macs;
};
std::span<const PaperLayer> paper_layers();

// The convolution alone, and its activations in the order that they have inside a network.
struct LayerModel {
  model::Model model;
  lower::Layouts layouts;
};
Result<LayerModel> model_of(const PaperLayer& layer);
// The input and output of a model that has one of each.
lower::Layouts channels_last(const model::Model& model);

// A network in which all basic blocks have the same document.
struct PaperNetwork {
  const char* model;
  const char* document;
  std::int64_t parameters, macs;
};
std::span<const PaperNetwork> paper_networks();

}  // namespace cambium::bench
