#include "model/target.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "expr/print_shape.h"
#include "model/site_finder.h"

namespace cambium::model {

namespace {

using Group = std::vector<FoundSite>;
using Coefficients = std::map<std::string, std::int64_t>;

bool uniform(const Ints& values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

// A number per axis becomes one coefficient where all places of the group are square.
void add_per_axis(Coefficients& out, const std::string& name, const Ints& values,
                  const std::vector<std::string>& axes, bool square) {
  for (std::size_t i = 0; i < values.size(); ++i) out[square ? name : name + axes[i]] = values[i];
}

std::vector<Coefficients> coefficients_of(const Group& group) {
  bool square_kernels = true, square_dilations = true;
  for (const FoundSite& found : group) {
    square_kernels = square_kernels && uniform(found.relation.kernel);
    square_dilations = square_dilations && uniform(found.relation.dilation);
  }
  std::vector<Coefficients> out;
  for (const FoundSite& found : group) {
    const Relation& r = found.relation;
    Coefficients own = r.coefficients;
    add_per_axis(own, "k", r.kernel, r.axes, square_kernels);
    add_per_axis(own, "d", r.dilation, r.axes, square_dilations);
    out.push_back(std::move(own));
  }
  return out;
}

// Names of all variables: shapes first; coefficients that are 1 everywhere stay away.
Result<expr::SizeTable> make_table(const Relation& relation, const std::vector<Coefficients>& all) {
  expr::SizeTable table;
  for (const auto& [name, value] : relation.primaries) CAMBIUM_REQUIRE(table.add_primary(name));
  std::set<std::string> needed;
  for (const Coefficients& coefficients : all) {
    for (const auto& [name, value] : coefficients) {
      if (value != 1) needed.insert(name);
    }
  }
  for (const std::string& name : needed) CAMBIUM_REQUIRE(table.add_coefficient(name));
  return table;
}

Result<expr::Binding> make_binding(const expr::SizeTable& table, const Relation& relation,
                                   const Coefficients& coefficients) {
  expr::Binding binding;
  for (const expr::SizeVar var : table.vars()) {
    if (!var.is_primary()) CAMBIUM_REQUIRE(binding.set(var, 1));
  }
  for (const auto& [name, value] : relation.primaries) {
    CAMBIUM_REQUIRE(binding.set(*table.find(name), value));
  }
  for (const auto& [name, value] : coefficients) {
    if (const auto var = table.find(name)) CAMBIUM_REQUIRE(binding.set(*var, value));
  }
  return binding;
}

Result<std::vector<TargetTensor>> make_tensors(const expr::SizeTable& table,
                                               const std::vector<RelationTensor>& tensors) {
  std::vector<TargetTensor> out;
  for (const RelationTensor& tensor : tensors) {
    out.push_back({tensor.dtype, {}});
    for (const std::string& dim : tensor.dims) {
      CAMBIUM_TRY(const expr::Size size, table.parse(dim));
      out.back().dims.push_back(size);
    }
  }
  return out;
}

Result<Target> make_target(Group group) {
  const std::vector<Coefficients> coefficients = coefficients_of(group);
  const Relation& relation = group[0].relation;
  Target target;
  target.kind = group[0].facts.kind;
  CAMBIUM_TRY(target.sizes, make_table(relation, coefficients));
  CAMBIUM_TRY(target.inputs, make_tensors(target.sizes, relation.inputs));
  CAMBIUM_TRY(target.outputs, make_tensors(target.sizes, relation.outputs));
  for (std::size_t i = 0; i < group.size(); ++i) {
    auto binding = make_binding(target.sizes, group[i].relation, coefficients[i]);
    if (!binding.ok()) return std::move(binding).rejection().at("'" + group[i].site.name + "'");
    target.sites.push_back(std::move(group[i].site));
    target.sites.back().binding = *binding;
  }
  return target;
}

std::string print(const expr::SizeTable& sizes, const std::vector<TargetTensor>& tensors) {
  std::vector<std::string> parts;
  for (const TargetTensor& tensor : tensors) {
    parts.push_back(expr::print_shape(sizes, tensor.dims));
  }
  return join(parts, ", ");
}

std::string choices(const std::set<std::int64_t>& values) {
  std::vector<std::string> texts;
  for (const std::int64_t value : values) texts.push_back(std::to_string(value));
  return join(texts, "|");
}

}  // namespace

std::string Target::text() const {
  return std::string(name_of(kind)) + " " + print(sizes, inputs) + " -> " + print(sizes, outputs);
}

std::vector<expr::Binding> Target::bindings() const {
  std::vector<expr::Binding> out;
  for (const Site& site : sites) out.push_back(site.binding);
  return out;
}

std::string selectable(const Model& model) {
  std::map<SiteKind, int> counts;
  std::map<std::string, int> types;
  std::map<std::string, std::set<std::int64_t>> numbers;
  for (const FoundSite& found : find_sites(model)) {
    const SiteFacts& facts = found.facts;
    ++counts[facts.kind];
    if (facts.kind == SiteKind::Block) ++types[facts.block];
    if (facts.kind != SiteKind::Conv) continue;
    numbers["k"].insert(facts.kernel.begin(), facts.kernel.end());
    numbers["stride"].insert(facts.stride.begin(), facts.stride.end());
    numbers["groups"].insert(facts.groups);
  }
  std::vector<std::string> parts;
  for (const auto& [kind, count] : counts) {
    std::string part = std::string(name_of(kind)) + " (" + std::to_string(count) + ")";
    std::vector<std::string> details;
    if (kind == SiteKind::Conv) {
      for (const char* key : {"k", "stride", "groups"}) {
        details.push_back(std::string(key) + "=" + choices(numbers[key]));
      }
    } else if (kind == SiteKind::Block) {
      for (const auto& [type, times] : types) {
        details.push_back(type + " (" + std::to_string(times) + ")");
      }
    }
    if (!details.empty()) part += ": " + join(details, ", ");
    parts.push_back(std::move(part));
  }
  return parts.empty() ? "no convolution or linear layer with a weight, and no block"
                       : join(parts, "; ");
}

Result<std::vector<Target>> select(const Model& model, const Selector& selector) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> group_of;
  for (FoundSite& found : find_sites(model)) {
    if (!selector.accepts(found.facts)) continue;
    const std::string key = std::string(name_of(found.facts.kind)) + found.relation.key();
    const auto [known, fresh] = group_of.emplace(key, groups.size());
    if (fresh) groups.emplace_back();
    groups[known->second].push_back(std::move(found));
  }
  if (groups.empty()) return Rejection(Reason::NothingSelected, selector.text(), selectable(model));
  std::vector<Target> targets;
  for (Group& group : groups) {
    const std::string name = group[0].site.name;
    auto target = make_target(std::move(group));
    if (!target.ok()) return std::move(target).rejection().at("target of '" + name + "'");
    targets.push_back(std::move(target).value());
  }
  return targets;
}

Result<std::vector<Target>> select(const Model& model, std::string_view selector) {
  CAMBIUM_TRY(const Selector parsed, Selector::parse(selector));
  return select(model, parsed);
}

}  // namespace cambium::model
