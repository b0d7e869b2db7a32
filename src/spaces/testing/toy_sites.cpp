#include "spaces/testing/toy_sites.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "model/builder.h"
#include "spaces/testing/sites.h"
#include "spaces/testing/toy_net.h"

namespace cambium::spaces::testing {
namespace {

using model::Builder;
using model::Node;
using model::Tensor;
using model::TensorType;
using model::Value;

struct Wish {
  bool is_cut = false;
  std::int64_t columns = 0;
};

Result<Wish> wish_of(const std::string& document) {
  const bool is_cut = document.starts_with("cut ");
  if (!is_cut && !document.starts_with("width ")) {
    return Rejection(Reason::BadSyntax, "width or cut", quote(document), 1, 1);
  }
  CAMBIUM_TRY(const std::int64_t columns,
              parse_int(document.substr(is_cut ? 4 : 6), 1, std::int64_t{1} << 20));
  return Wish{is_cut, columns};
}

// The product at the next site; nothing behind the last one.
const Node* next_of(const model::Model& model, const std::string& site) {
  const auto number = parse_int(site.substr(1, site.find('.') - 1), 0, 1 << 20);
  if (!number) return nullptr;
  const auto next = site_named(model, "b" + std::to_string(*number + 1) + ".fc");
  return next ? *next : nullptr;
}

Tensor drawn(std::int64_t rows, std::int64_t columns) {
  return Tensor::lazy({DType::F32, {rows, columns}}, {model::Fill::Law::Normal, 1, 1});
}

std::int64_t rows_of(const model::Model& model, const Node& product) {
  return model.type(product.inputs[1]).dims[0];
}

Rejection too_wide(const Wish& wish, std::int64_t most) {
  return Rejection(Reason::NoProposal, std::to_string(wish.columns) + " columns",
                   "fewer than " + std::to_string(most) + " are asked for");
}

}  // namespace

ToySites::ToySites(int blocks, ToySitesOptions options) : options_(std::move(options)) {
  for (int i = 0; i < blocks; ++i) {
    std::vector<Option>& here = all_.emplace_back();
    const std::string site = "b" + std::to_string(i) + ".fc";
    const auto offer = [&](const std::string& document, bool is_linked) {
      here.push_back({document, {{options_.name, {site}, document}}, is_linked});
    };
    for (const std::int64_t width : options_.widths) offer("width " + std::to_string(width), false);
    if (i + 1 == blocks) continue;
    for (const std::int64_t columns : options_.cuts) offer("cut " + std::to_string(columns), true);
  }
}

Result<Edit> ToySites::check(const model::Model& model, const Edit& edit) const {
  if (edit.sites.size() != 1) {
    return Rejection(Reason::UnknownSite, join(edit.sites, ", "), "an edit is of one site");
  }
  CAMBIUM_TRY(const Node* product, site_named(model, edit.sites[0]));
  CAMBIUM_TRY(const Wish wish, wish_of(edit.document));
  const std::int64_t rows = rows_of(model, *product), columns = product->outputs[0].dims.back();
  const std::int64_t most = wish.is_cut ? columns : std::min(rows, columns);
  if (wish.columns >= most) return too_wide(wish, most);
  if (wish.is_cut && next_of(model, edit.sites[0]) == nullptr) {
    return Rejection(Reason::UnknownSite, edit.sites[0], "no block reads it");
  }
  return edit;
}

Result<model::Model> ToySites::apply(const model::Model& model, const Edit& edit) const {
  CAMBIUM_TRY(const Node* product, site_named(model, edit.sites[0]));
  CAMBIUM_TRY(const Wish wish, wish_of(edit.document));
  const std::int64_t rows = rows_of(model, *product), columns = product->outputs[0].dims.back();
  Builder builder(model);
  if (wish.is_cut) {
    const Node* const next = next_of(model, edit.sites[0]);
    builder.set_op(product->inputs[1].node, model::Weight{drawn(rows, wish.columns)});
    builder.set_op(next->inputs[1].node,
                   model::Weight{drawn(wish.columns, next->outputs[0].dims.back())});
    return std::move(builder).finish();
  }
  Value x = product->inputs[0];
  const auto multiply = [&](const std::string& name, std::int64_t from, std::int64_t to) {
    x = builder.add(model::MatMul{}, {x, builder.weight(name + ".w", drawn(from, to))}, name);
  };
  multiply(edit.sites[0] + ".narrow", rows, wish.columns);
  multiply(edit.sites[0] + ".wide", wish.columns, columns);
  builder.replace({product->id, 0}, x);
  return std::move(builder).finish();
}

Description ToySites::describe(const model::Model&, const Edit& edit) const {
  return {edit.document + " at " + edit.sites[0], "", "", ""};
}

std::string ToySites::site_name(std::size_t site) {
  return "b" + std::to_string(site) + ".fc";
}

std::optional<std::size_t> ToySites::linked_to(std::size_t site) {
  if (site + 1 >= all_.size()) return std::nullopt;
  return site + 1;
}

Result<Edits> ToySites::composed(const std::vector<std::int32_t>& choice) {
  Edits edits;
  std::int64_t most = kToyWidth;  // columns that the site reads
  for (std::size_t site = 0; site < choice.size(); ++site) {
    const std::int64_t reads = std::exchange(most, kToyWidth);
    if (choice[site] < 0) continue;
    const Option& option = all_[site].at(static_cast<std::size_t>(choice[site]));
    CAMBIUM_TRY(const Wish wish, wish_of(option.edits[0].document));
    if (wish.is_cut) {
      most = wish.columns;
    } else if (wish.columns >= reads) {
      return too_wide(wish, reads).at(site_name(site));
    }
    edits.push_back(option.edits[0]);
  }
  return edits;
}

}  // namespace cambium::spaces::testing
