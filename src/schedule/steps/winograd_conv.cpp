#include "schedule/steps/winograd_conv.h"

#include <algorithm>
#include <optional>

#include "expr/simplify.h"
#include "schedule/steps/rebuild.h"

namespace cambium::schedule {
namespace {

using namespace program;

constexpr std::int64_t kTaps = 3;

Rejection not_winograd(const Block& block, std::string why) {
  return Rejection(Reason::NotWinograd, std::string(block.name), std::move(why));
}

std::size_t times_used(std::span<const Expr> indices, Expr axis) {
  return static_cast<std::size_t>(
      std::count_if(indices.begin(), indices.end(), [axis](Expr e) { return uses(e, axis); }));
}

// What is added to out + tap; nothing when the index is no such sum.
std::optional<std::int64_t> offset_of(Context& cx, Expr index, Expr out, Expr tap) {
  expr::Context& all = cx.indices();
  Expr rest = expr::simplify(all, expr::sub(all, expr::sub(all, index, out), tap));
  if (rest->kind != expr::Kind::Const) return std::nullopt;
  return expr::value_of(rest).factor;
}

// The window that `tap` runs over, if it does.
std::optional<WinogradConv::Window> window_of(Context& cx, const Body& body, Scalar data,
                                              Scalar weights, std::size_t tap) {
  const Iterator& k = body.iterators[tap];
  if (k.kind != IteratorKind::Reduce || k.extent() != kTaps) return std::nullopt;
  const auto in_weights = std::find(weights->indices.begin(), weights->indices.end(), k.axis);
  if (in_weights == weights->indices.end() || times_used(weights->indices, k.axis) != 1 ||
      times_used(data->indices, k.axis) != 1) {
    return std::nullopt;
  }
  WinogradConv::Window w{};
  w.tap = tap;
  w.weight_dim = static_cast<std::size_t>(in_weights - weights->indices.begin());
  if (weights->buffer->dims[w.weight_dim] != kTaps) return std::nullopt;
  while (!uses(data->indices[w.data_dim], k.axis)) ++w.data_dim;
  for (w.out = 0; w.out < body.iterators.size(); ++w.out) {
    const Iterator& o = body.iterators[w.out];
    if (o.kind != IteratorKind::Spatial || times_used(data->indices, o.axis) != 1 ||
        times_used(weights->indices, o.axis) != 0) {
      continue;
    }
    if (const auto offset = offset_of(cx, data->indices[w.data_dim], o.axis, k.axis)) {
      w.offset = *offset;
      return w;
    }
  }
  return std::nullopt;
}

// Loops as lowering makes them, one for each iterator and for this block alone.
bool is_as_lowered(const Site& site) {
  const Block& block = *site.block;
  Stmt inner = &block;
  for (auto loop = site.loops.rbegin(); loop != site.loops.rend(); ++loop) {
    if ((*loop)->body != inner || !is_plain(**loop)) return false;
    inner = *loop;
  }
  for (std::size_t i = 0; i < block.bindings.size(); ++i) {
    const auto loop = std::find_if(site.loops.begin(), site.loops.end(),
                                   [&](const Loop* l) { return l->axis == block.bindings[i]; });
    if (loop == site.loops.end() || (*loop)->extent() != block.body->iterators[i].extent()) {
      return false;
    }
  }
  return site.loops.size() == block.bindings.size() && block.predicate->kind == expr::Kind::Bool &&
         expr::truth_of(block.predicate);
}

bool begins_at_zero(Scalar s) {
  return s != nullptr && s->kind == ScalarKind::Const && is_floating(s->type) && s->number() == 0;
}

}  // namespace

Result<WinogradConv> winograd_conv(Context& cx, const Program& program, const std::string& name) {
  CAMBIUM_TRY(const Block* block, block_named(program, name));
  const Body& body = *block->body;
  const Scalar value = body.value;
  if (body.combine != Combine::Sum || value->kind != ScalarKind::Binary ||
      value->binary() != BinaryFn::Mul || value->operands[0]->kind != ScalarKind::Load ||
      value->operands[1]->kind != ScalarKind::Load) {
    return not_winograd(*block, "it is not a sum of products of two loads");
  }
  if (!begins_at_zero(body.init) || value_type(body.target->dtype) != body.target->dtype) {
    return not_winograd(*block, "its sum does not begin with 0.0, or is rounded at every step");
  }
  WinogradConv conv;
  conv.data = value->operands[0];
  conv.weights = value->operands[1];
  if (conv.data->buffer->role == Role::Constant) std::swap(conv.data, conv.weights);
  if (conv.weights->buffer->role != Role::Constant) {
    return not_winograd(*block, "its weights are not constant");
  }
  if (conv.data->buffer == body.target) return not_winograd(*block, "it reads its own results");
  std::vector<WinogradConv::Window> windows;
  for (std::size_t k = 0; k < body.iterators.size(); ++k) {
    if (const auto w = window_of(cx, body, conv.data, conv.weights, k)) windows.push_back(*w);
  }
  if (windows.size() < 2) return not_winograd(*block, "no two dimensions have 3-wide windows");
  std::sort(windows.begin(), windows.end(),
            [](const auto& a, const auto& b) { return a.data_dim < b.data_dim; });
  conv.rows = windows[windows.size() - 2];
  conv.columns = windows.back();
  const std::vector<Site> sites = sites_of(program);
  conv.site = site_of(sites, block);
  if (!is_as_lowered(conv.site)) return not_winograd(*block, "its loops are scheduled already");
  return conv;
}

}  // namespace cambium::schedule
