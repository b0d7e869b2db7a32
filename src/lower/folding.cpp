#include "lower/folding.h"

namespace cambium::lower {

Folding::Folding(Site& site, const Place& x, std::span<const std::int64_t> axes)
    : site_(site), x_(x), reduced_(x.dims.size()) {
  for (const std::int64_t axis : axes) {
    reduced_[static_cast<std::size_t>(axis)] = true;
    count_ *= x.dims[static_cast<std::size_t>(axis)];
  }
}

Place Folding::stage(std::string_view suffix, DType dtype) const {
  Dims dims;
  Order order;
  std::vector<std::int64_t> number(reduced_.size());  // of a dimension among those that remain
  for (std::size_t dim = 0; dim < reduced_.size(); ++dim) {
    number[dim] = static_cast<std::int64_t>(dims.size());
    if (!reduced_[dim]) dims.push_back(x_.dims[dim]);
  }
  for (const std::size_t dim : x_.memory_order()) {
    if (!reduced_[dim]) order.push_back(number[dim]);
  }
  return site_.local(suffix, std::move(dims), dtype, std::move(order));
}

std::vector<Ix> Folding::kept(At at) const {
  std::vector<Ix> remaining;
  for (std::size_t dim = 0; dim < reduced_.size(); ++dim) {
    if (!reduced_[dim]) remaining.push_back(at[dim]);
  }
  return remaining;
}

std::vector<Ix> Folding::kept(const Place& target, At at) const {
  return keeps_ones(target) ? kept(at) : std::vector<Ix>(at.begin(), at.end());
}

void Folding::fold(const Place& target, Combine combine, const Element& element) const {
  Iterators iterators;
  for (std::size_t dim = 0; dim < reduced_.size(); ++dim) {
    if (!reduced_[dim]) {
      iterators.push_back({program::spatial(iterator_name(dim), x_.dims[dim])});
    } else if (keeps_ones(target)) {
      iterators.push_back({});
    }
  }
  std::vector<Range> ranges;
  std::vector<std::size_t> place(reduced_.size());  // of a reduced dimension among the ranges
  for (const std::size_t dim : x_.memory_order()) {
    if (!reduced_[dim]) continue;
    place[dim] = ranges.size();
    ranges.push_back(program::reduce(iterator_name(dim), x_.dims[dim]));
  }
  site_.reduce(target, combine, iterators, ranges, [&](At spatial, At sums) {
    std::vector<Ix> at;
    std::size_t next = 0;
    for (std::size_t dim = 0; dim < reduced_.size(); ++dim) {
      at.push_back(reduced_[dim] ? sums[place[dim]] : spatial[next++]);
    }
    return element(x_.at(at), at);
  });
}

}  // namespace cambium::lower
