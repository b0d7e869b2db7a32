// A toy space that offers options by site. The sites are the products of a chain of blocks
// (toy_net.h). `width 4` makes a product of two, with 4 columns between them. `cut 4` keeps only 4
// columns of a product, so that the product of the next block reads 4: this option is linked to the
// next site, which then refuses widths from 4 on.
#pragma once

#include <string>
#include <vector>

#include "spaces/space.h"

namespace cambium::spaces::testing {

struct ToySitesOptions {
  std::vector<std::int64_t> widths = {1, 2, 3, 5};
  std::vector<std::int64_t> cuts = {2, 4, 6};  // not at the last site
  std::string name = "toy-sites";
};

class ToySites final : public Space, public OffersBySite {
 public:
  // `blocks`: of the network, as toy_net takes them.
  explicit ToySites(int blocks, ToySitesOptions options = {});

  std::string_view name() const override { return options_.name; }
  Result<Edit> check(const model::Model& model, const Edit& edit) const override;
  Result<model::Model> apply(const model::Model& model, const Edit& edit) const override;
  Description describe(const model::Model& model, const Edit& edit) const override;
  OffersBySite* offers() override { return this; }

  std::size_t site_count() override { return all_.size(); }
  std::string site_name(std::size_t site) override;
  const std::vector<Option>& options_at(std::size_t site) override { return all_.at(site); }
  std::optional<std::size_t> linked_to(std::size_t site) override;
  Result<Edits> composed(const std::vector<std::int32_t>& choice) override;

 private:
  ToySitesOptions options_;
  std::vector<std::vector<Option>> all_;
};

}  // namespace cambium::spaces::testing
