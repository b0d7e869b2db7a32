#include "schedule/steps/annotate.h"

#include <algorithm>
#include <bit>

#include "schedule/steps/rebuild.h"

namespace cambium::schedule {
namespace {

using program::Annotation;
using program::Annotations;
using program::Hint;

bool belongs_to(Hint hint, Part part) {
  switch (hint) {
    case Hint::Prefetch: return part == Part::Block;
    case Hint::Unroll:
    case Hint::Grain: return part == Part::Loop;
    case Hint::Kernel: return part != Part::Buffer;
    case Hint::Space:
    case Hint::Align: return part == Part::Buffer;
  }
  return false;
}

// Refuses UnknownHint: no such key, of another part, or not of that form.
Result<Annotation> annotation_of(const Annotate& step) {
  const auto hint = program::enumerator_named<Hint>(step.key);
  const Rejection refused(Reason::UnknownHint, step.key);
  if (!hint || !belongs_to(*hint, step.part)) return refused;
  if (!program::takes_number(*hint)) {
    const bool sound = !step.text.empty() && step.number == 0 &&
                       step.text.find_first_of("\"\n") == std::string::npos;
    if (!sound) return refused;
    return Annotation{step.key, true, 0, step.text};
  }
  const bool sound =
      step.text.empty() && step.number > 0 &&
      (*hint != Hint::Align || std::has_single_bit(static_cast<std::uint64_t>(step.number)));
  if (!sound) return refused;
  return Annotation{step.key, false, step.number, {}};
}

Annotations with(Context& cx, Annotations before, const Annotation& one) {
  std::vector<Annotation> all;
  std::copy_if(before.begin(), before.end(), std::back_inserter(all),
               [&](const Annotation& a) { return a.key != one.key; });
  all.push_back(one);
  return cx.annotations(all);
}

Result<Program> annotated(Context& cx, const Program& program, const Annotate& step,
                          const Annotation& one) {
  if (step.part == Part::Loop) {
    CAMBIUM_TRY(const Loop* loop, loop_named(program, step.name));
    Stmt other = cx.loop(loop->axis, loop->how, loop->body, with(cx, loop->annotations, one));
    return program::replace(cx, program, loop, other);
  }
  if (step.part == Part::Block) {
    CAMBIUM_TRY(const Block* block, block_named(program, step.name));
    Stmt other = cx.block(block->name, block->body, block->bindings, block->predicate,
                          with(cx, block->annotations, one));
    return program::replace(cx, program, block, other);
  }
  const Buffer* buffer = program::find_buffer(program, step.name);
  if (buffer == nullptr) return Rejection(Reason::UnknownName, step.name).at("buffers");
  const Buffer* other = cx.buffer(buffer->name, buffer->dtype, buffer->dims, buffer->role,
                                  with(cx, buffer->annotations, one));
  return with_buffer(cx, program, buffer, other);
}

}  // namespace

Result<Applied> Annotate::apply(Context& cx, const Program& program) const {
  CAMBIUM_TRY(const Annotation one, annotation_of(*this));
  CAMBIUM_TRY(const Program result, annotated(cx, program, *this, one));
  return Applied{result, {}};
}

Result<Applied> Prefetch::apply(Context& cx, const Program& program) const {
  return Annotate{Part::Block, block, "prefetch", "", distance}.apply(cx, program);
}

}  // namespace cambium::schedule
