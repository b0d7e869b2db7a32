#include "schedule/steps/place.h"

#include <algorithm>

namespace cambium::schedule {
namespace {

bool has(Stmt s, Stmt wanted) {
  if (s == wanted) return true;
  if (const Loop* loop = program::as_loop(s)) return has(loop->body, wanted);
  if (const program::Seq* seq = program::as_seq(s)) {
    return std::any_of(seq->children.begin(), seq->children.end(),
                       [&](Stmt child) { return has(child, wanted); });
  }
  return false;
}

}  // namespace

Stmt child_with(const Program& program, const Loop* loop, const Site& site) {
  Stmt body = loop == nullptr ? program.root : loop->body;
  const program::Seq* seq = program::as_seq(body);
  if (seq == nullptr) return body;
  const auto found = std::find_if(seq->children.begin(), seq->children.end(),
                                  [&](Stmt child) { return has(child, site.block); });
  CAMBIUM_CHECK(found != seq->children.end(), "the block stands below the loop");
  return *found;
}

Program insert_before(Context& cx, const Program& program, Stmt there, Stmt what) {
  const Stmt both[] = {what, there};
  return program::replace(cx, program, there, cx.seq(both));
}
Program insert_after(Context& cx, const Program& program, Stmt there, Stmt what) {
  const Stmt both[] = {there, what};
  return program::replace(cx, program, there, cx.seq(both));
}

Program without(Context& cx, const Program& program, const Block* block) {
  const std::vector<Stmt> nothing;
  return program::replace(cx, program, block, cx.seq(nothing));
}

Stmt nest(Context& cx, std::span<const Expr> axes, Stmt inside) {
  for (std::size_t i = axes.size(); i-- > 0;) {
    inside = cx.loop(axes[i], program::LoopKind::Serial, inside);
  }
  return inside;
}

bool used_between(std::span<const Site> sites, const Buffer* buffer, std::size_t first,
                  std::size_t last, const Block* but) {
  return std::any_of(sites.begin(), sites.end(), [&](const Site& site) {
    const auto& buffers = site.block->body->buffers;
    return site.order >= first && site.order < last && site.block != but &&
           std::find(buffers.begin(), buffers.end(), buffer) != buffers.end();
  });
}

bool written_between(std::span<const Site> sites, const Buffer* buffer, std::size_t first,
                     std::size_t last, const Block* but) {
  return std::any_of(sites.begin(), sites.end(), [&](const Site& site) {
    return site.order >= first && site.order < last && site.block != but &&
           site.block->body->target == buffer;
  });
}

const Site* find_site(std::span<const Site> sites, std::string_view block) {
  const auto found = std::find_if(sites.begin(), sites.end(),
                                  [&](const Site& site) { return site.block->name == block; });
  return found == sites.end() ? nullptr : &*found;
}

}  // namespace cambium::schedule
