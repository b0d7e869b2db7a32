#include "lower/layout.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace cambium::lower {
namespace {

std::uint64_t key_of(model::Value value) {
  return (std::uint64_t{value.node.index} << 32) | value.slot;
}

bool is_permutation(const Order& order) {
  std::vector<bool> seen(order.size());
  return std::all_of(order.begin(), order.end(), [&](std::int64_t dim) {
    const bool fits = dim >= 0 && dim < static_cast<std::int64_t>(order.size());
    if (!fits || seen[static_cast<std::size_t>(dim)]) return false;
    seen[static_cast<std::size_t>(dim)] = true;
    return true;
  });
}

}  // namespace

Order channels_last(std::int64_t rank) {
  CAMBIUM_CHECK(rank >= 2, "a value with channels has at least two dimensions");
  Order order{0};
  for (std::int64_t dim = 2; dim < rank; ++dim) order.push_back(dim);
  order.push_back(1);
  return order;
}

void Layouts::set(model::Value value, Order order) {
  CAMBIUM_CHECK(is_permutation(order), "a layout names each dimension once");
  orders_[key_of(value)] = std::move(order);
}

const Order& Layouts::of(model::Value value) const {
  static const Order as_it_is;
  const auto found = orders_.find(key_of(value));
  return found == orders_.end() ? as_it_is : found->second;
}

std::vector<std::int64_t> Layouts::dims_of(const model::Model& model, model::Value value) const {
  const std::vector<std::int64_t>& dims = model.type(value).dims;
  const Order& order = of(value);
  if (order.empty()) return dims;
  CAMBIUM_CHECK(order.size() == dims.size(), model.type(value).text());
  std::vector<std::int64_t> physical;
  for (const std::int64_t dim : order) physical.push_back(dims[static_cast<std::size_t>(dim)]);
  return physical;
}

}  // namespace cambium::lower
