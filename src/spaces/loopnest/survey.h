// Survey: the facts that the space keeps about one model: its sites, the followers of each site's
// channels, and its costs. Variants are kept by shape and shared by all models of a space. Refuses
// what Variants refuse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/cost.h"
#include "model/model.h"
#include "schedule/recipe/moves.h"
#include "spaces/loopnest/followers.h"
#include "spaces/loopnest/sites.h"
#include "spaces/loopnest/variants.h"

namespace cambium::spaces::loopnest {

class VariantsByShape {
 public:
  explicit VariantsByShape(schedule::MoveLimits limits) : limits_(limits) {}
  Result<Variants*> of(const Shape& shape);

 private:
  schedule::MoveLimits limits_;
  std::unordered_map<std::string, std::unique_ptr<Variants>> all_;
};

class Survey {
 public:
  Survey(const model::Model& model, VariantsByShape& shapes)
      : model_(model), shapes_(shapes), sites_(model) {}
  Survey(const Survey&) = delete;
  Survey& operator=(const Survey&) = delete;

  const model::Model& model() const { return model_; }
  const Sites& sites() const { return sites_; }
  // `narrower`: the factor by which the site reads fewer channels than in this model.
  Result<Variants*> variants(std::size_t site, std::int64_t narrower = 1);
  const Result<Followers>& followers(std::size_t site);
  // The sites that read the channels of this one.
  std::vector<std::size_t> readers(const Followers& followers) const;
  const model::Cost& cost();
  std::int64_t macs_of(model::NodeId node);
  bool is_parameter(model::NodeId weight);

 private:
  void count();

  model::Model model_;
  VariantsByShape& shapes_;
  Sites sites_;
  std::map<std::pair<std::size_t, std::int64_t>, Variants*> variants_;
  std::map<std::size_t, Result<Followers>> followers_;
  std::optional<model::Cost> cost_;
  std::unordered_map<model::NodeId, std::int64_t> macs_;
  std::unordered_set<model::NodeId> parameters_;
};

}  // namespace cambium::spaces::loopnest
