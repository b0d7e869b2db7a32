// Sites of the loop-nest space: the convolutions of a model, in its order, each with the shape by
// which it shares its variants with others. A convolution counts if its data and filter are f32 and
// the filter is a weight. Refuses (UnknownSite) other names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "model/operators.h"
#include "spaces/places/place.h"

namespace cambium::spaces::loopnest {

// Everything that a document can depend on.
struct Shape {
  model::Conv conv;
  model::Ints filter;  // [Co, Ci / groups, taps...]
  model::Ints input;   // [N, Ci, space...]

  std::int64_t outs() const { return filter[0]; }
  // The same convolution with `factor` times fewer input channels.
  Shape reading_less(std::int64_t factor) const;
  std::string text() const;   // unique for each shape
  std::string words() const;  // 64 -> 128 channels, 3x3, stride 2, 32x32
};

struct ConvSite {
  std::string name;
  model::NodeId node;
  model::Value x, filter;
  model::Value bias;       // invalid: none
  int filter_readers = 1;  // nodes and outputs of the model that read the filter
  Shape shape;

  bool owns_filter() const { return filter_readers == 1; }

  // For spaces::put.
  Place place(const model::Model& model) const;
};

class Sites {
 public:
  explicit Sites(const model::Model& model);

  const std::vector<ConvSite>& all() const { return all_; }
  const ConvSite& operator[](std::size_t site) const { return all_[site]; }
  std::size_t size() const { return all_.size(); }
  std::optional<std::size_t> of_node(model::NodeId node) const;
  std::optional<std::size_t> find(const std::string& name) const;

 private:
  std::vector<ConvSite> all_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::unordered_map<model::NodeId, std::size_t> by_node_;
};

// The sites of these names, in the model's order, each once. Refuses UnknownSite, also for no name.
Result<std::vector<std::size_t>> sites_named(const model::Model& model, const Sites& sites,
                                             const std::vector<std::string>& names);

}  // namespace cambium::spaces::loopnest
