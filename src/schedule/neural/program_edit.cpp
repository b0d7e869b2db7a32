#include "schedule/neural/program_edit.h"

#include <algorithm>

namespace cambium::schedule::neural {

using program::ScalarKind;

Draft::Draft(Context& cx, const Program& program)
    : cx_(cx),
      program_(program),
      fresh_(cx, program),
      sites_(program::sites_of(program)),
      parameters_(program.parameters.begin(), program.parameters.end()),
      locals_(program.locals.begin(), program.locals.end()) {}

Result<Nest*> Draft::edit(const Block* block) {
  const auto known = nests_.find(block);
  if (known != nests_.end()) return &known->second;
  const auto site =
      std::find_if(sites_.begin(), sites_.end(), [&](const Site& s) { return s.block == block; });
  CAMBIUM_TRY(Nest nest, nest_of(cx_, sites_, *site));
  return &nests_.emplace(block, std::move(nest)).first->second;
}

void Draft::put(const Block* beside, bool after, Nest nest) {
  (after ? after_ : before_)[beside].push_back(std::move(nest));
}

std::vector<std::int64_t> Draft::dims_of(const Buffer* buffer) const {
  const std::span<const std::int64_t> dims = resolve(buffer)->dims;
  return {dims.begin(), dims.end()};
}

void Draft::resize(const Buffer* buffer, std::size_t axis, std::int64_t size) {
  std::vector<std::int64_t> dims = dims_of(buffer);
  dims[axis] = size;
  resized_[buffer] =
      cx_.buffer(buffer->name, buffer->dtype, dims, buffer->role, buffer->annotations);
}

const Buffer* Draft::add_local(const Buffer* like, std::string_view suffix,
                               const std::vector<std::int64_t>& dims) {
  const std::string base = std::string(like->name) + std::string(suffix);
  locals_.push_back(cx_.buffer(fresh_.buffer(base), like->dtype, dims, program::Role::Local));
  return locals_.back();
}

const Buffer* Draft::add_weights(const Buffer* origin, const std::vector<std::int64_t>& dims) {
  const Buffer* made =
      cx_.buffer(fresh_.buffer(origin->name), origin->dtype, dims, program::Role::Constant);
  parameters_.insert(std::find(parameters_.begin(), parameters_.end(), origin) + 1, made);
  added_.insert(made);
  return made;
}

void Draft::redirect(const Buffer* buffer, std::function<Indices(const Indices&)> to) {
  redirected_[buffer] = std::move(to);
}

const Buffer* Draft::resolve(const Buffer* buffer) const {
  const auto found = resized_.find(buffer);
  return found == resized_.end() ? buffer : found->second;
}

Stmt Draft::built(const Nest& nest) const {
  std::vector<Iterator> iterators;
  Indices bindings;
  for (const NestAxis& axis : nest.axes) {
    if (axis.iterator == nullptr) continue;
    iterators.push_back({axis.iterator, axis.kind});
    bindings.push_back(cx_.axis(axis.loop, axis.extent));
  }
  Body body{};
  body.iterators = iterators;
  body.target = nest.target;
  body.indices = nest.indices;
  body.combine = nest.combine;
  body.value = nest.value;
  body.init = nest.init;
  Stmt s = cx_.block(nest.name, retargeted(body), bindings, nullptr, nest.annotations);
  for (std::size_t i = nest.axes.size(); i-- > 0;) {
    const NestAxis& axis = nest.axes[i];
    if (axis.is_shared) break;
    s = cx_.loop(cx_.axis(axis.loop, axis.extent), axis.how, s, axis.annotations);
  }
  return s;
}

const Body* Draft::retargeted(const Body& body) const {
  const auto load = [&](Scalar s) {
    const Buffer* to = resolve(s->buffer);
    if (s->kind != ScalarKind::Load) return to == s->buffer ? s : cx_.gather(to, s->operands);
    const auto moved = redirected_.find(s->buffer);
    if (moved != redirected_.end()) {
      return cx_.load(to, moved->second(Indices(s->indices.begin(), s->indices.end())));
    }
    return to == s->buffer ? s : cx_.load(to, s->indices);
  };
  const auto same = [](Expr e) { return e; };
  Body fields = body;
  fields.target = resolve(body.target);
  fields.value = rewrite_loads(cx_, body.value, load, same);
  fields.init = rewrite_loads(cx_, body.init, load, same);
  return cx_.body(fields);
}

Stmt Draft::rebuilt(Stmt s) const {
  for (const auto& [block, nest] : nests_) {
    if (nest.top != s) continue;
    std::vector<Stmt> all;
    if (const auto found = before_.find(block); found != before_.end()) {
      for (const Nest& other : found->second) all.push_back(built(other));
    }
    all.push_back(built(nest));
    if (const auto found = after_.find(block); found != after_.end()) {
      for (const Nest& other : found->second) all.push_back(built(other));
    }
    return cx_.seq(all);
  }
  if (const Loop* loop = program::as_loop(s)) {
    const Stmt body = rebuilt(loop->body);
    return body == loop->body ? s : cx_.loop(loop->axis, loop->how, body, loop->annotations);
  }
  if (const program::Seq* seq = program::as_seq(s)) {
    std::vector<Stmt> children;
    for (Stmt child : seq->children) children.push_back(rebuilt(child));
    if (std::equal(children.begin(), children.end(), seq->children.begin())) return s;
    return cx_.seq(children);
  }
  const Block* block = program::as_block(s);
  const std::span<const Buffer* const> used = block->body->buffers;
  if (std::none_of(used.begin(), used.end(), [&](const Buffer* b) {
        return resized_.count(b) > 0 || redirected_.count(b) > 0;
      })) {
    return s;
  }
  return cx_.block(block->name, retargeted(*block->body), block->bindings, block->predicate,
                   block->annotations);
}

NeuralApplied Draft::finish(Names made) const {
  NeuralApplied applied;
  std::vector<const Buffer*> parameters, locals;
  for (const Buffer* b : parameters_) {
    parameters.push_back(resolve(b));
    const bool is_new = added_.count(b) > 0;
    for (std::size_t d = 0; d < b->dims.size(); ++d) {
      const std::int64_t before = is_new ? 0 : b->dims[d];
      const std::int64_t after = parameters.back()->dims[d];
      if (before == after) continue;
      applied.changes.push_back(
          {std::string(b->name), static_cast<std::int64_t>(d), before, after});
    }
  }
  for (const Buffer* b : locals_) locals.push_back(resolve(b));
  applied.program = {program_.name, cx_.keep(parameters), cx_.keep(locals), rebuilt(program_.root)};
  applied.made = std::move(made);
  return applied;
}

}  // namespace cambium::schedule::neural
