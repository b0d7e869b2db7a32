// Target: sites of a model that may be rewritten and share one shape relation over named size
// variables, with one binding of the variables per site. `select` refuses a selector that matches
// nothing and lists what the model has. Spaces propose edits for Targets.
//
// Relations of shapes, as text() prints them:
//  * a convolution:        [N, Ci, H, W] -> [N, Co, H, W]
//  * with stride:          [N, Ci, s*H, s*W] -> [N, Co, H, W], s a coefficient
//  * depthwise:            [N, C, H, W] -> [N, C, H, W], or m*C with m filters per channel
//  * input size not the stride times the output size: that axis gets a variable of its own,
//                          [N, Ci, Hi, Wi] -> [N, Co, H, W]; the stride is still bound, as s
//  * a linear layer:       [N, T, Ci] -> [N, T, Co]
//  * a block:              the shapes of its tensors; equal extents are one variable. A block
//                          that reads values computed from its own output is not a site
// Kernel k, groups g and dilation d are coefficients if some site has a value other than 1. They
// are then bound at every site (kH, kW if some site is not square). They do not distinguish
// targets.
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

// A weight that a site reads. A rewrite of the site removes it unless it is shared.
struct SiteWeight {
  Value value;
  NodeId reader;
  std::uint32_t input = 0;  // which input of the reader
  WeightRole role = WeightRole::Other;
  bool shared = false;  // other nodes outside the site read it too

  friend bool operator==(const SiteWeight&, const SiteWeight&) = default;
};

struct Site {
  std::string name;            // of the node or of the block
  std::vector<NodeId> nodes;   // removed by a rewrite, in the model's order; no Weight nodes
  std::vector<Value> inputs;   // parallel to Target::inputs
  std::vector<Value> outputs;  // parallel to Target::outputs: read by the rest of the model
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

// Targets in the order of their first site.
Result<std::vector<Target>> select(const Model& model, const Selector& selector);
Result<std::vector<Target>> select(const Model& model, std::string_view selector);

// The sites of a model for messages: `conv (20): k=1|3|7, stride=1|2; linear (1); block: basic (8)`
std::string selectable(const Model& model);

}  // namespace cambium::model
