#include "schedule/rules/sites.h"

#include "base/check.h"

namespace cambium::schedule {

using program::Block;
using program::Body;
using program::Buffer;
using program::Loop;
using program::Site;

Site site_of(const Program& program, std::string_view block) {
  Site site = program::find_site(program, block);
  CAMBIUM_CHECK(site.block != nullptr, "no such block");
  return site;
}

Site site_of(const Draft& draft, std::string_view block) {
  Site site = draft.find_site(block);
  CAMBIUM_CHECK(site.block != nullptr, "no such block");
  return site;
}

std::vector<const Loop*> loops_feeding(const Site& site, std::size_t iterator) {
  std::vector<const Loop*> feeding;
  for (const Loop* loop : site.loops) {
    if (program::uses(site.block->bindings[iterator], loop->axis)) feeding.push_back(loop);
  }
  return feeding;
}

Names names_of(const std::vector<const Loop*>& loops) {
  Names names;
  for (const Loop* loop : loops) names.emplace_back(loop->name());
  return names;
}

std::optional<std::size_t> lane_iterator(const Body& body) {
  for (std::size_t i = 0; i < body.iterators.size(); ++i) {
    const auto stride = program::stride_of(*body.target, body.indices, body.iterators[i].axis);
    if (body.iterators[i].extent() > 1 && stride == 1) return i;
  }
  return std::nullopt;
}

namespace {

const Block* only(const std::vector<Site>& sites, const std::vector<std::size_t>& found) {
  return found.size() == 1 ? sites[found[0]].block : nullptr;
}

}  // namespace

const Block* only_reader(const Program& program, const Buffer* buffer) {
  const std::vector<Site> sites = program::sites_of(program);
  return only(sites, program::readers_of(sites, buffer));
}

const Block* only_writer(const Program& program, const Buffer* buffer) {
  const std::vector<Site> sites = program::sites_of(program);
  return only(sites, program::writers_of(sites, buffer));
}

bool is_made_at_load(const std::vector<program::Site>& sites, const program::Buffer* buffer) {
  if (buffer->role != program::Role::Local) return buffer->role == program::Role::Constant;
  for (std::size_t writer : program::writers_of(sites, buffer)) {
    for (const program::Buffer* read : sites[writer].block->body->buffers) {
      if (read != buffer && !is_made_at_load(sites, read)) return false;
    }
  }
  return true;
}

bool is_reduction(const Body& body) {
  for (const program::Iterator& iterator : body.iterators) {
    if (iterator.kind == program::IteratorKind::Reduce) return true;
  }
  return false;
}

bool is_vectorized(const Site& site) {
  for (const Loop* loop : site.loops) {
    if (loop->how == program::LoopKind::Vectorized) return true;
  }
  return false;
}

std::int64_t work_of(const Site& site) {
  std::int64_t work = 1;
  for (const Loop* loop : site.loops) work *= loop->extent();
  return work;
}

}  // namespace cambium::schedule
