#include "schedule/rules/activation_layout.h"

#include <algorithm>

#include "base/text.h"
#include "schedule/rules/sites.h"

namespace cambium::schedule {

using program::Buffer;
using program::Role;
using program::Site;

namespace {

bool is_in_registers(const Buffer& buffer) {
  return std::any_of(buffer.annotations.begin(), buffer.annotations.end(),
                     [](const program::Annotation& a) { return a.text == "register"; });
}

// Orders in which one dimension of more than one element, but not the last, goes first or last but
// one.
std::vector<Names> orders_of(const Buffer& buffer) {
  const std::size_t rank = buffer.dims.size();
  Names as_it_is;
  for (std::size_t d = 0; d < rank; ++d) as_it_is.push_back("d" + std::to_string(d));
  std::vector<Names> orders{as_it_is};
  for (std::size_t d = 0; d + 1 < rank; ++d) {
    if (buffer.dims[d] == 1) continue;
    for (const std::size_t to : {std::size_t{0}, rank - 2}) {
      Names moved = as_it_is;
      moved.erase(moved.begin() + static_cast<std::ptrdiff_t>(d));
      moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(to), as_it_is[d]);
      if (std::find(orders.begin(), orders.end(), moved) == orders.end()) orders.push_back(moved);
    }
  }
  return orders;
}

}  // namespace

Status choose_activation_layout(Draft& draft, const std::string& block) {
  const auto leave = [](const char* why) {
    return Rejection(Reason::NothingToDo, "activation-layout", why);
  };
  const Buffer* buffer = site_of(draft, block).block->body->target;
  if (buffer->role != Role::Local || is_in_registers(*buffer))
    return leave("it does not fill a buffer in memory");
  if (buffer->elements() * size_of(buffer->dtype) <= draft.machine().l1_bytes) {
    return leave("its buffer fits the first cache");
  }
  const std::vector<Site> sites = program::sites_of(draft.program());
  const auto writers = program::writers_of(sites, buffer);
  if (sites[writers.front()].block->name != block)
    return leave("another block fills its buffer first");
  if (is_made_at_load(sites, buffer)) return leave("it is made at load");
  const std::vector<Names> orders = orders_of(*buffer);
  if (orders.size() == 1) return leave("only one order is possible");
  Names layouts{"as it is"};
  for (std::size_t i = 1; i < orders.size(); ++i) layouts.push_back(join(orders[i], ", "));
  Ints weights(layouts.size(), 1);
  weights[0] = 2 * static_cast<std::int64_t>(layouts.size());
  const std::string name(buffer->name);
  const std::string chosen = draft.layout("layout", name, layouts, 0, weights);
  const auto at = std::find(layouts.begin(), layouts.end(), chosen) - layouts.begin();
  if (at == 0) return Ok{};
  CAMBIUM_REQUIRE(draft.apply(SetLayout{name, orders[static_cast<std::size_t>(at)]}));
  return Ok{};
}

}  // namespace cambium::schedule
