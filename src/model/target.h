// Target: places of a model that may be rewritten and share one shape relation, over named size
// variables, with one binding of those variables per place. `select` refuses a selector that
// matches nothing and says what is there. Spaces propose edits for Targets.
//
// How shapes become relations (text() prints them):
//  * a convolution:        [N, Ci, H, W] -> [N, Co, H, W]
//  * with stride:          [N, Ci, s*H, s*W] -> [N, Co, H, W], s a coefficient
//  * depthwise:            [N, C, H, W] -> [N, C, H, W], or m*C with m filters per channel
//  * input size not the stride times the output size: that axis gets a variable of its own,
//                          [N, Ci, Hi, Wi] -> [N, Co, H, W]; the stride is still bound, as s
//  * a linear layer:       [N, T, Ci] -> [N, T, Co]
//  * a block:              as its tensors are; equal extents are one variable. A block that reads
//                          what was computed from its own output is no place
// Kernel k, groups g and dilation d are coefficients where some place has them other than 1, and
// are bound at every place (kH, kW where some place is not square). They do not tell targets apart.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "expr/binding.h"
#include "expr/size.h"
#include "expr/size_table.h"
#include "model/model.h"
#include "model/selector.h"

namespace cambium::model {

enum class WeightRole : std::uint8_t { Weight, Bias, Other };

// A weight that a place reads: it goes with the place when that is rewritten, unless shared.
struct SiteWeight {
  Value value;
  NodeId reader;
  std::uint32_t input = 0;  // which input of the reader
  WeightRole role = WeightRole::Other;
  bool shared = false;  // read outside the place too

  friend bool operator==(const SiteWeight&, const SiteWeight&) = default;
};

struct Site {
  std::string name;            // of the node or of the block
  std::vector<NodeId> nodes;   // what a rewrite takes out, in the model's order; no Weight nodes
  std::vector<Value> inputs;   // parallel to Target::inputs
  std::vector<Value> outputs;  // parallel to Target::outputs: what the rest of the model reads
  std::vector<SiteWeight> weights;
  expr::Binding binding;
};

struct TargetTensor {
  DType dtype = DType::F32;
  std::vector<expr::Size> dims;
};

struct Target {
  SiteKind kind = SiteKind::Conv;
  expr::SizeTable sizes;
  std::vector<TargetTensor> inputs, outputs;
  std::vector<Site> sites;  // at least one, in the model's order

  std::string text() const;  // conv [N, Ci, s*H, s*W] -> [N, Co, H, W]
  std::vector<expr::Binding> bindings() const;
};

// Targets in the order of their first place.
Result<std::vector<Target>> select(const Model& model, const Selector& selector);
Result<std::vector<Target>> select(const Model& model, std::string_view selector);

// What can be selected, for people: `conv (20): k=1|3|7, stride=1|2; linear (1); block: basic (8)`.
std::string selectable(const Model& model);

}  // namespace cambium::model
