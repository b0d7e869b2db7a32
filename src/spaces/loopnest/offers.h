// Offers: options for each layer, from which a strategy composes candidates: functions of a few
// moves, and the paper's sequences. An output bottleneck is an option only if a single layer reads
// the channels; the option is then linked to that layer. Refuses compositions whose documents do
// not fit together, naming the site.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "spaces/loopnest/layers.h"
#include "spaces/loopnest/options.h"
#include "spaces/space.h"

namespace cambium::spaces::loopnest {

class Offers final : public OffersBySite {
 public:
  // The arguments must outlive the object.
  Offers(Survey& survey, const std::vector<Layer>& layers, const LoopNestOptions& options)
      : survey_(survey), layers_(layers), options_(options), all_(layers.size()) {}

  std::size_t site_count() override { return layers_.size(); }
  std::string site_name(std::size_t site) override { return layers_.at(site).name; }
  const std::vector<Option>& options_at(std::size_t site) override;
  std::optional<std::size_t> linked_to(std::size_t site) override;
  Result<Edits> composed(const std::vector<std::int32_t>& choice) override;

 private:
  // The only layer that reads the channels of this one.
  std::optional<std::size_t> reader(std::size_t layer);

  Survey& survey_;
  const std::vector<Layer>& layers_;
  const LoopNestOptions& options_;
  std::vector<std::optional<std::vector<Option>>> all_;
};

}  // namespace cambium::spaces::loopnest
