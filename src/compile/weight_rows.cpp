#include "compile/weight_rows.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "compile/group.h"
#include "program/analysis.h"
#include "program/walk.h"
#include "schedule/neural/nest.h"

namespace cambium::compile {
namespace {

using program::Block;
using program::Body;
using program::Buffer;
using program::Expr;
using program::Role;
using program::Scalar;
using schedule::neural::Digit;
using schedule::neural::Digits;

constexpr std::int64_t kUnknown = -1;

// The read of a constant in a sum of products; nullptr for other blocks.
Scalar weights_of(const Body& body) {
  Scalar found = nullptr;
  if (body.combine != program::Combine::Sum) return found;
  program::for_each_scalar(body.value, [&](Scalar s) {
    const bool is_weight =
        s->kind == program::ScalarKind::Load && s->buffer->role == Role::Constant;
    if (is_weight) found = s;
  });
  return found;
}

// Buffers of which sums of products read the elements, directly or through copies.
std::set<const Buffer*> summed(const std::vector<program::Site>& sites) {
  std::set<const Buffer*> found;
  const auto add_reads = [&](const Block& block) {
    for (const Buffer* buffer : block.body->buffers) {
      if (buffer != block.body->target) found.insert(buffer);
    }
  };
  for (std::size_t before = 1; before != found.size();) {
    before = found.size();
    for (const program::Site& site : sites) {
      const bool is_sum = weights_of(*site.block->body) != nullptr;
      if (is_sum || found.contains(site.block->body->target)) add_reads(*site.block);
    }
  }
  return found;
}

// Calls f(row, channel) for all values of the iterators that move one of them. False where these
// are not counted by digits.
template <class F>
bool for_each_row(program::Context& cx, Expr row, Expr channel, const F& f) {
  const std::optional<Digits> rows = schedule::neural::digits_of(cx, row);
  const std::optional<Digits> channels = schedule::neural::digits_of(cx, channel);
  if (!rows || !channels) return false;
  std::vector<std::pair<std::int64_t, std::int64_t>> points{{rows->offset, channels->offset}};
  std::vector<Digit> all = rows->all;
  for (const Digit& digit : channels->all) {
    if (rows->find(digit.axis) == nullptr) all.push_back(digit);
  }
  const auto place = [](const Digits& digits, Expr axis) {
    const Digit* const digit = digits.find(axis);
    return digit == nullptr ? 0 : digit->coefficient;
  };
  for (const Digit& digit : all) {
    const std::int64_t by_row = place(*rows, digit.axis);
    const std::int64_t by_channel = place(*channels, digit.axis);
    const std::size_t count = points.size();
    for (std::int64_t i = 1; i < digit.extent; ++i) {
      for (std::size_t p = 0; p < count; ++p) {
        points.emplace_back(points[p].first + i * by_row, points[p].second + i * by_channel);
      }
    }
  }
  for (const auto& [r, c] : points) f(r, c);
  return true;
}

}  // namespace

std::optional<lower::WeightRows> weight_rows(const model::Model& model, model::NodeId nest) {
  program::Context cx;
  const auto made = lower_group(cx, model, {&nest, 1}, {});
  if (!made.ok()) return std::nullopt;
  const std::vector<program::Site> sites = program::sites_of(made->program);
  const std::set<const Buffer*> intermediate = summed(sites);
  lower::WeightRows all;
  for (const Buffer* parameter : made->program.parameters) {
    if (parameter->role != Role::Constant) continue;
    std::vector<std::int64_t>& rows = all.emplace_back();
    for (const program::Site& site : sites) {
      const Body& body = *site.block->body;
      const Scalar weights = weights_of(body);
      if (weights == nullptr || weights->buffer != parameter) continue;
      if (intermediate.contains(body.target)) continue;
      rows.resize(static_cast<std::size_t>(parameter->dims[0]), kUnknown);
      bool agree = true;
      const bool counted =
          for_each_row(cx, weights->indices[0], body.indices[1], [&](auto row, auto channel) {
            std::int64_t& known = rows[static_cast<std::size_t>(row)];
            agree = agree && (known == kUnknown || known == channel);
            known = channel;
          });
      if (!counted || !agree) return std::nullopt;
    }
    if (std::find(rows.begin(), rows.end(), kUnknown) != rows.end()) return std::nullopt;
  }
  return all;
}

}  // namespace cambium::compile
