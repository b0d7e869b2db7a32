// Layers: the sites of a search, alone or tied together. A layer gets one document, which is read
// at each of its sites. A Draft chooses documents layer by layer and makes them a plan.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "spaces/loopnest/plan.h"
#include "spaces/loopnest/survey.h"

namespace cambium::spaces::loopnest {

struct Layer {
  std::string name;                // the name of its site, or the common property of tied sites
  std::vector<std::size_t> sites;  // in the model's order
};

// The layers, in the order of their first sites. `tie` is as in LoopNestOptions.
std::vector<Layer> layers_of(const Survey& survey, const std::vector<std::size_t>& sites,
                             const std::string& tie);

class Draft {
 public:
  explicit Draft(Survey& survey) : plan_(survey) {}

  // The variants of the first site, after the choices so far.
  Result<Variants*> variants(const Layer& layer) const;
  // Whether this variant of the first site fits every site of the layer.
  bool fits(const Layer& layer, const Variant& variant) const;
  // Whether an output bottleneck can be legal at the layer.
  bool can_narrow(const Layer& layer) const;
  // Must be called in the order of layers.
  void choose(const Layer& layer, const Variant& variant);
  bool is_empty() const { return documents_.empty(); }
  Result<Plan> plan() const;

 private:
  Plan plan_;  // without tied layers, which change no shapes
  std::map<std::size_t, std::string> documents_;
};

}  // namespace cambium::spaces::loopnest
