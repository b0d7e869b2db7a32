#include "schedule/rules/panel_layout.h"

#include <algorithm>

#include <fmt/format.h>

#include "schedule/rules/index_digits.h"

namespace cambium::schedule {

using program::Body;
using program::Expr;

Result<Names> panel_layout(const program::Block& block, const Contraction& c,
                           std::int64_t panel_width, std::int64_t block_size, std::int64_t terms) {
  const Body& body = *block.body;
  const Expr lane = body.iterators[c.lane].axis;
  const std::int64_t columns = body.iterators[c.lane].extent();
  Names outer, panels, blocks, lanes, beside;
  std::vector<std::pair<std::size_t, std::string>> reduced;  // by the loop that moves it
  for (std::size_t d = 0; d < c.right->indices.size(); ++d) {
    const Expr index = c.right->indices[d];
    if (program::uses(index, lane)) {
      const auto digits = digits_of(index);
      if (!digits || digits->back().axis != lane) {
        return Rejection(Reason::BadLayout, std::string(block.name),
                         "its lanes are not a digit of an index");
      }
      std::string within = fmt::format("d{}", d);
      if (digits->size() > 1) {
        outer.push_back(fmt::format("{} / {}", within, columns));
        within = fmt::format("({} % {})", within, columns);
      }
      if (columns > panel_width) {
        panels.push_back(fmt::format("{} / {}", within, panel_width));
        within = fmt::format("{} % {}", within, panel_width);
      }
      lanes.push_back(within);
      continue;
    }
    std::size_t order = 0;
    for (std::size_t i = 0; i < c.reduce.size(); ++i) {
      if (program::uses(index, body.iterators[c.reduce[i]].axis)) order = i + 1;
    }
    if (order == 0) {
      outer.push_back(fmt::format("d{}", d));
    } else if (order == c.reduce.size() && block_size > 0) {
      if (index != body.iterators[c.reduce.back()].axis) {
        return Rejection(Reason::BadLayout, std::string(block.name), "its blocks are not an index");
      }
      blocks.push_back(fmt::format("d{} / {}", d, block_size));
      reduced.emplace_back(order, fmt::format("d{} % {}", d, block_size));
    } else if (order == c.reduce.size() && terms > 1) {
      if (index != body.iterators[c.reduce.back()].axis) {
        return Rejection(Reason::BadLayout, std::string(block.name), "its terms are not an index");
      }
      reduced.emplace_back(order, fmt::format("d{} / {}", d, terms));
      beside.push_back(fmt::format("d{} % {}", d, terms));
    } else {
      reduced.emplace_back(order, fmt::format("d{}", d));
    }
  }
  if (lanes.size() != 1) {
    return Rejection(Reason::BadLayout, std::string(block.name), "its lanes appear in two indices");
  }
  std::stable_sort(reduced.begin(), reduced.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  Names dims = outer;
  dims.insert(dims.end(), panels.begin(), panels.end());
  dims.insert(dims.end(), blocks.begin(), blocks.end());
  for (auto& [order, name] : reduced) dims.push_back(std::move(name));
  dims.push_back(lanes[0]);
  dims.insert(dims.end(), beside.begin(), beside.end());
  return dims;
}

}  // namespace cambium::schedule
